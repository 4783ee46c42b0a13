import test from 'ava';
import { parseRulesText } from '../../src/gates/patterns/rules-text.ts';
import { readPushBody } from '../../src/hosts/webhook.ts';
import { ANALYZE_REQUEST, PRE_RECEIVE_REQUEST } from '../../src/model/change.ts';
import { CraError } from '../../src/model/errors.ts';
import type { RuleSet } from '../../src/model/rules.ts';
import { NAME, WORDS } from '../../src/model/schema.ts';
import { createValidator, parseJsonBody } from '../../src/model/validate.ts';

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const DEEP = 100_000;

const TWICE: [title: string, text: string][] = [
  ['at the top', '{"a":1,"a":1}'],
  ['far apart', '{"a":1,"b":{"c":[1,2]},"d":"x","a":2}'],
  ['by an escape', '{"\\u0061":1,"a":2}'],
  ['by another escape', '{"\\/":1,"/":2}'],
  ['with an escaped quotation mark', '{"a\\"b":1,"a\\u0022b":2}'],
  ['that ends with a backslash', '{"a\\\\":1,"a\\\\":2}'],
  ['that is empty', '{"":1,"":2}'],
  ['that is __proto__', '{"__proto__":{},"__proto__":{}}'],
  ['that is __proto__ by an escape', '{"__proto__":1,"\\u005f_proto__":2}'],
  ['that is constructor', '{"constructor":1,"constructor":2}'],
  ['that is an index', '{"7":1,"7":2}'],
  ['in a nested object', '{"a":{"b":1,"b":2}}'],
  ['in an object of a list', '[{"a":1},{"a":1,"a":2}]'],
  ['deep inside', `${'[{"a":'.repeat(500)}{"x":1,"x":1}${'}]'.repeat(500)}`],
  ['with spaces before the colon', '{"a" :1,"a"\t\r\n :2}'],
  ['with a value that hides it', '{"a":"\\"a\\":1","a":"}"}'],
  ['of halves of a character', '{"\\ud800":1,"\\ud800":2}'],
  ['three times', '{"a":1,"a":2,"a":3}'],
];

for (const [title, text] of TWICE) {
  test(`parseJsonBody refuses a field that is given twice, ${title}`, (t) => {
    t.notThrows(() => JSON.parse(text));
    t.throws(() => parse(text), { instanceOf: CraError, message: /gives a field twice/ });
  });
}

const ONCE = [
  '{}',
  '[]',
  '""',
  'null',
  '[1,2,"a","a"]',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":1,\\"a\\":2"}',
  '{"a":"a\\\\","b":"\\\\\\":"}',
  '{"A":1,"a":2,"\\u0041\\u030a":3,"\\u00c5":4}',
  '{"__proto__":1,"constructor":{"prototype":2}}',
  '{"a:":":","b":"a:b"}',
  ' { "a" : [ { "b" : "c" } , { "b" : "c" } ] } ',
];

test('parseJsonBody takes what only looks like a field that is given twice', (t) => {
  for (const text of ONCE) t.deepEqual(parse(text), JSON.parse(text), text);
  const deep = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
  t.notThrows(() => parse(deep));
});

test('a rules file and a webhook are refused as well', (t) => {
  const text = '{"version":1,"version":1}';
  const source = { name: 'rules', text, isToml: false };
  t.throws(() => parseRulesText(source, {} as RuleSet), { message: /gives a field twice/ });
  const body = '{"ref":"refs/heads/a","ref":"refs/heads/b","commits":[]}';
  t.throws(() => readPushBody(Buffer.from(body), { provider: 'github', isForm: false }), {
    message: /gives a field twice/,
  });
});

const UNREADABLE = [
  ...['', ' ', '\t\n', '...', '--', '\u00a0\u2003', '\u2800\u2800', '\u3164', '\u115f\u1160'],
  ...['\uffa0', '\u200b\u200d\ufeff', '\u00ad', '\u2060', '\u17b4', '\u{e0041}', '\u0301', '!?'],
];
const READABLE = ['a', '7', 'ä', '漢字', '١', 'Ж', '\u3164a', '🙂 ok', 'x'.repeat(4_000)];
const wordsOf = createValidator({ type: 'string', pattern: WORDS }, 'reason');
const nameOf = createValidator({ type: 'string', pattern: NAME }, 'name');

test('a reason and a name need a letter or a digit', (t) => {
  for (const text of UNREADABLE) {
    t.throws(() => wordsOf(text), { message: /letter or a digit/ }, JSON.stringify(text));
    t.throws(() => nameOf(text), { message: /letter or a digit/ }, JSON.stringify(text));
  }
  for (const text of READABLE) t.is(wordsOf(text), text);
});

const DISORDER = [
  ...['main\n', 'a\tb', 'a\rb', 'a\u0000', 'a\u001b[2J', 'a\u007f', 'a\u0085', 'a\u2028b'],
  ...['a\u2029b', 'a\u202eb', 'a\u202a', '\u2066a\u2069', 'a\u200eb', 'a\u200fb', 'a\u061cb'],
  ...[
    'a\u200bb',
    'a\ufeff',
    'a\u00adb',
    'a\u2060b',
    'a\u3164',
    'a\uffa0b',
    'a\u{e0041}',
    'a\u034fb',
  ],
];

test('repo_name and branch take no control character and none that turns text', (t) => {
  const analyze = createValidator(ANALYZE_REQUEST, 'body');
  const push = createValidator(PRE_RECEIVE_REQUEST, 'body');
  const body = { repo_name: 'acme/shop', branch: 'main', commit_message: '', diff: 'x' };
  for (const branch of ['feature/grün-テスト_1.2', 'fix/👩‍💻-❤️', 'می‌خواهم']) {
    t.notThrows(() => analyze({ ...body, branch }));
  }
  for (const bad of [...DISORDER, '\u3164', '...']) {
    t.throws(() => analyze({ ...body, repo_name: bad }), { message: /^repo_name: must/ });
    t.throws(() => analyze({ ...body, branch: bad }), { message: /^branch: must/ });
    const facts = { repo_name: bad, refs: ['r'], refs_total: 1, pusher: null, reason: null };
    const asked = { ...facts, fail: 'open', commits: 0, patches: '', messages: '' };
    t.throws(() => push(asked), { message: /^repo_name: must/ });
  }
});
