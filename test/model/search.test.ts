import test from 'ava';
import { CraError } from '../../src/model/errors.ts';
import { SEARCH } from '../../src/model/limits.ts';
import { addressDigest, type Principal } from '../../src/model/principal.ts';
import { parseSearch, type Search, searchTexts } from '../../src/model/search.ts';
import { samplePush } from '../store/fixtures/pushes.ts';
import { sampleFinding, sampleRecord } from '../store/fixtures/records.ts';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const ANN: Principal = {
  id: 'sub-1',
  name: 'Ann',
  email: 'ann@example.com',
  credential: 'session',
  role: 'viewer',
  tenant_id: 'default',
};
const { email: _, ...NAMELESS } = ANN;
const parse = (q: string, principal: Principal = ANN) => parseSearch(q, { principal, nowMs: NOW });
const NOTHING: Search = {
  status: null,
  repo: null,
  component: null,
  texts: [],
  without: [],
  until: null,
  since: null,
};

const OWN = `contributor:${addressDigest('ann@example.com')}`;
const READ: readonly [q: string, Partial<Search>][] = [
  ['', {}],
  ['   ', {}],
  ['repo:acme/shop', { repo: 'acme/shop' }],
  ['REPO:acme/shop is:Blocked', { repo: 'acme/shop', status: 'BLOCKED' }],
  ['is:any', {}],
  ['rule:Vuln-01 severity:HIGH', { texts: ['rule:vuln-01', 'severity:high'] }],
  ['component:"web shop" author:Bob', { component: 'web shop', texts: ['author:bob'] }],
  [String.raw`repo:"a\"b \\c"`, { repo: String.raw`a"b \c` }],
  ['"Fix login"  fix', { texts: ['word:fix', 'word:login'] }],
  ['feature/Größe', { texts: ['word:feature', 'word:größe'] }],
  ['age:>3d', { until: '2026-11-18T12:00:00.000Z' }],
  ['age:<2h age:>30m', { since: '2026-11-21T10:00:00.000Z', until: '2026-11-21T11:30:00.000Z' }],
  ['age:>1d age:>2w', { until: '2026-11-07T12:00:00.000Z' }],
  ['is:blocked -author:me', { status: 'BLOCKED', without: [OWN] }],
  ['-severity:low -rule:a -severity:LOW', { without: ['severity:low', 'rule:a'] }],
  ['-fix', { texts: ['word:fix'] }],
  ['asked:me', { texts: ['asked:ann@example.com'] }],
  ['asked:Bob', { texts: ['asked:bob'] }],
  [`finding:${'Ab'.repeat(32)}`, { texts: [`finding:${'ab'.repeat(8)}`] }],
  ['author:me', { texts: [OWN] }],
];

for (const [q, found] of READ) {
  test(`parseSearch reads ${JSON.stringify(q)}`, (t) => {
    t.deepEqual(parse(q), { ...NOTHING, ...found });
  });
}

test('parseSearch finds the changes of a caller without an address by the id', (t) => {
  t.deepEqual(parse('author:me', NAMELESS).texts, ['author:sub-1']);
});

const REFUSED: readonly [q: string, problem: RegExp][] = [
  ['repo:a repo:b', /^q: "repo:b" is given twice$/],
  ['is:blocked is:passed', /^q: "is:passed" is given twice$/],
  ['is:open', /^q: "is:open" must be any, blocked, draft, rejected/],
  ['severity:bad', /^q: "severity:bad" must be critical, high/],
  ['age:3d', /^q: "age:3d" must be > or <, a number and m, h, d or w/],
  ['age:>999999w', /^q: "age:>999999w" must be/],
  ['colour:red', /^q: "colour:red" has no such key: use repo, component/],
  ['constructor:x', /has no such key/],
  ['-constructor:x', /has no such key/],
  ['-repo:a', /^q: "-repo:a" can not be left out$/],
  ['finding:x', /^q: "finding:x" must be a fingerprint/],
  ['rule:""', /^q: "rule:""" has no value$/],
  ['fix rule:', /^q: "rule:" has no value$/],
  ['fix ---', /^q: "---" has no letter or digit/],
  ['x '.repeat(SEARCH.TERMS_MAX + 1), /^q: must have at most 12 terms$/],
  ['x'.repeat(SEARCH.CHARS_MAX + 1), /^q: must have at most 1024 characters$/],
];

for (const [q, problem] of REFUSED) {
  test(`parseSearch refuses ${JSON.stringify(q.slice(0, 40))} and says why`, (t) => {
    const error = t.throws(() => parse(q), { instanceOf: CraError });
    t.is(error.code, 'INVALID_ARGUMENT');
    t.deepEqual(error.details, { field: 'q' });
    t.regex(error.message, problem);
  });
}

test('searchTexts has what a search finds, within its bounds', (t) => {
  const findings = Array.from({ length: 200 }, (_unused, n) => ({
    ...sampleFinding(n),
    id: `rule-${n}`,
    fingerprint: String(n).padEnd(64, '0'),
  }));
  const suppressed = { ...sampleFinding(1), id: 'quiet', severity: 'low' as const };
  const record = sampleRecord({
    rfc_id: 'RFC-1',
    repo_name: 'Acme/Shop',
    branch: 'feature/x',
    commit_message: `Fix ${'w '.repeat(5_000)}\nbody`,
    push: { ...samplePush({ rfc_id: 'RFC-P' }).push, pusher: 'Bob', contributors: ['d1'] } as never,
  });
  const hidden = { by: 'marker', reason: 'r' } as never;
  const risk = {
    ...record.gates.risk,
    findings: [...findings, { ...suppressed, suppressed: hidden }],
  };
  const texts = searchTexts({ ...record, gates: { ...record.gates, risk } });
  for (const text of ['author:bob', 'contributor:d1', 'severity:high', 'rule:rule-0']) {
    t.true(texts.includes(text), text);
  }
  for (const word of ['acme', 'shop', 'feature', 'x', 'fix'])
    t.true(texts.includes(`word:${word}`));
  t.false(texts.includes('rule:quiet'));
  t.false(texts.includes('severity:low'));
  t.false(texts.includes('word:body'));
  t.is(texts.filter((text) => text.startsWith('rule:')).length, SEARCH.RULES_MAX);
  t.is(texts.filter((text) => text.startsWith('finding:')).length, SEARCH.FINDINGS_MAX);
});
