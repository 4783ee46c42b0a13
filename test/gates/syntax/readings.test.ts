import test from 'ava';
import { hiddenBreaks } from '../../../src/gates/syntax/parse/readings.ts';
import { findingsIn } from '../../analysis/worker/gates-run.ts';
import { judge } from '../../analysis/worker/judge-commits.ts';

/** The last statement of a handler in Java. */
const java = (statement: string) => `import javax.servlet.http.*;
public class A extends HttpServlet {
  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws Exception {
    ${statement}
  }
}
`;
const python = (statement: string) => `import os
from flask import Flask, request
app = Flask(__name__)
@app.route('/x')
def x():
    ${statement}
`;
const EXEC = 'Runtime.getRuntime().exec(req.getParameter("x"))';

/** What the compiler reads, and what is found: `id severity line`. */
const CASES: [title: string, path: string, text: string, found: string[]][] = [
  [
    'names with escapes in Java',
    'A.java',
    java(String.raw`Runtime.getRuntime().\u0065xec(req.\u0009get\uuu0050arameter("x"));`),
    ['vuln-01 critical 4'],
  ],
  [
    'an escaped end of a comment in Java',
    'A.java',
    java(String.raw`/* \u002a\u002f ${EXEC}; /* */`),
    ['vuln-01 critical 4'],
  ],
  [
    'an escaped line break in Java',
    'A.java',
    java(String.raw`// hi \u000a ${EXEC};`),
    ['ast-unparsed high 4'],
  ],
  ['a carriage return in Java', 'A.java', java(`// hi\r ${EXEC};`), ['ast-unparsed high 4']],
  [
    'full-width letters in Python',
    'a.py',
    python("\uff45val(request.args['x'])"),
    ['vuln-02 critical 6'],
  ],
  [
    'mathematical letters in Python',
    'a.py',
    python("os.\u{1d4fc}ystem(request.\uff41rgs['x'])"),
    ['vuln-01 critical 6'],
  ],
  [
    'a carriage return in Python',
    'a.py',
    python("c = request.args['x'] # hi\r    os.system(c)"),
    ['ast-unparsed high 6'],
  ],
  [
    'escapes that are text in Java',
    'A.java',
    java(String.raw`log("caf\u00e9 \\u0065 \u001b[0m");`),
    [],
  ],
  ['letters that are text in Python', 'a.py', python("print('\uff25\uff36\uff21\uff2c')"), []],
];

test('a line that ends sooner is found behind an older line', async (t) => {
  const before = java(`log(1); // one\r two\n    log(2);`);
  const after = before.replace('log(2);', `// hi\r ${EXEC};`);
  const { open } = await judge(t, { 'A.java': before }, { 'A.java': after });
  t.true(open.includes('high ast-unparsed A.java:5'), open.join());
});

test('carriage returns without end cost no more than other text', (t) => {
  const text = Buffer.from(`${'\r'.repeat(4_000_000)}x${'\r'.repeat(4_000_000)}\n`);
  t.deepEqual(hiddenBreaks(text, 'py'), [0]);
  t.deepEqual(hiddenBreaks(text.subarray(0, 4_000_000), 'py'), []);
});

for (const [title, path, text, found] of CASES) {
  test(`gate 2 reads as the compiler does: ${title}`, async (t) => {
    const own = (await findingsIn(text, {}, path)).filter(({ gate }) => gate === 'ast');
    const short = own.map(({ id, severity, line }) => `${id} ${severity} ${line}`);
    t.deepEqual(short, found);
    const lines = text.split('\n');
    for (const { excerpt, line } of own) {
      t.is(excerpt?.trim(), lines[(line ?? 0) - 1]?.trim(), 'it shows what stands there');
    }
    const plain = path === 'a.py' ? python('pass') : java('int a;');
    const { open } = await judge(t, { [path]: plain }, { [path]: text });
    const grave = open.filter((one) => /^(?:critical|high) (?:vuln|ast)-/.test(one));
    t.deepEqual(
      grave.map((one) => one.replace(/^(\S+) (\S+) \S+:/, '$2 $1 ')),
      found,
      'the same as whole files',
    );
  });
}
