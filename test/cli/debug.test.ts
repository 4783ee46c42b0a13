import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { AST_GATE } from '../../src/gates/limits.ts';
import { runCommand } from './fixtures/command.ts';
import { temporaryFolder } from './fixtures/repository.ts';

const SERVLET = `package a;
import javax.servlet.http.*;
public class Show extends HttpServlet {
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws Exception {
    run(request.getParameter("dir"));
  }
  private void run(String dir) throws Exception {
    Runtime.getRuntime().exec("ls " + dir);
  }
}
`;

test('debug il shows a file in the intermediate language', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'Show.java'), SERVLET);
  const { code, stdout } = await runCommand(['debug', 'il', 'Show.java'], { cwd });
  t.is(code, 0);
  t.regex(stdout, /^class Show#0 : HttpServlet$/m);
  t.regex(stdout, /^ {2}this%0\.run\(request%1\.getParameter\("dir"\)\)$/m);
});

test('debug il shows a file of TypeScript', async (t) => {
  const cwd = temporaryFolder(t);
  const text =
    "import { exec } from 'node:child_process';\nexport const run = (a: A) => exec('x ' + a.b);\n";
  writeFileSync(join(cwd, 'run.ts'), text);
  const { code, stdout } = await runCommand(['debug', 'il', 'run.ts'], { cwd });
  t.is(code, 0);
  t.regex(
    stdout,
    /^function run#0\(a%\d+: A\)\n {2}return child_process\.exec\(text\("x ", a%\d+\.b\)\)$/m,
  );
});

test('debug flows shows the flow and where parameters of a function go', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'Show.java'), SERVLET);
  const { code, stdout } = await runCommand(['debug', 'flows', 'Show.java'], { cwd });
  t.is(code, 0);
  t.regex(
    stdout,
    /^line 8: vuln-01, critical: exec gets request\.getParameter\(dir\) \(line 5\)$/m,
  );
  t.regex(stdout, /^function Show\.run#1, line 7\n {2}its parameters reach .*exec, line 8$/m);
});

test('debug says what is wrong with its arguments and the file', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'Large.java'), ' '.repeat(AST_GATE.FRAGMENT_BYTES_MAX + 1));
  writeFileSync(join(cwd, 'a.rb'), 'puts 1');
  const cases: [string[], RegExp][] = [
    [['debug'], /^cra debug: give il or flows, and one file$/m],
    [['debug', 'trees', 'a.rb'], /give il or flows/],
    [['debug', 'il', 'None.java'], /None\.java cannot be read: ENOENT$/m],
    [['debug', 'il', 'Large.java'], /Large\.java is larger than 256 KiB/],
    [
      ['debug', 'il', 'a.rb'],
      /a\.rb must be a file of Python, Go, Java, Kotlin, C#, JavaScript or TypeScript/,
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCommand(args, { cwd });
    t.is(code, 2, args.join(' '));
    t.regex(stderr, message);
  }
});
