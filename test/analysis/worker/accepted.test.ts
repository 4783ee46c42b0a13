import test from 'ava';
import { FINDINGS_PER_RFC_MAX, RISK_GATE } from '../../../src/limits.ts';
import type { AcceptedFingerprint } from '../../../src/model/rules.ts';
import type { AcceptedInput } from '../../../src/store/contract/trail.ts';
import { pattern } from '../../gates/patterns/scan-text.ts';
import { findingsIn, short } from './gates-run.ts';

const TOKEN = 'tok_12345678';

/** A store that has accepted every fingerprint but those of `not`, and what it was asked. */
function acceptsAll(not: readonly string[] = []) {
  const asked: AcceptedInput[] = [];
  const findAccepted = async (input: AcceptedInput) => {
    asked.push(input);
    const accepted: AcceptedFingerprint[] = input.fingerprints
      .filter((fingerprint) => !not.includes(fingerprint))
      .map((fingerprint) => ({ fingerprint, reason: 'made up', by: 'ann', repo: input.repo_name }));
    return { accepted };
  };
  return { asked, findAccepted };
}

test('an accepted fingerprint suppresses its findings and says who and why', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  const findings = await findingsIn(`a = "${TOKEN}"\nb = "${TOKEN}"\n`, { findAccepted });
  t.deepEqual(short(findings), ['secret-token (ann: made up)'], 'one for both places');
  t.is(asked.length, 1);
  t.like(asked[0], { tenant_id: 'default', repo_name: 'shop' });
  t.is(asked[0]?.fingerprints.length, 1, 'each once');
});

test('the store is not asked about a change with nothing to suppress', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  t.deepEqual(await findingsIn('a = 1\n', { findAccepted }), []);
  const marked = await findingsIn(`"${TOKEN}" # cra-ignore secret-token: b\n`, { findAccepted });
  t.is(marked.filter(({ suppressed }) => suppressed === null).length, 1, 'the note alone');
  const vulnerable = "app.get('/', (req) => require('child_process').exec(req.query.c));\n";
  const [finding] = await findingsIn(vulnerable, { findAccepted }, 'src/a.js');
  t.is(finding?.id, 'vuln-01');
  t.is(finding?.suppressed, null);
  t.deepEqual(asked, []);
});

test('a vulnerability stays beside an accepted finding, whatever the store says', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  const text = `const k = "${TOKEN}";\napp.get('/', (req) => require('child_process').exec(req.query.c));\n`;
  const findings = await findingsIn(text, { findAccepted }, 'src/a.js');
  t.deepEqual(short(findings).sort(), ['secret-token (ann: made up)', 'vuln-01']);
  const vulnerability = findings.find(({ id }) => id === 'vuln-01');
  t.false(asked[0]?.fingerprints.includes(vulnerability?.fingerprint ?? ''));
});

test('a long reason is shown in one line of bounded length', async (t) => {
  const findAccepted = async ({ fingerprints: [fingerprint = ''] }: AcceptedInput) => ({
    accepted: [{ fingerprint, reason: `first\n  second ${'word '.repeat(700)}`, by: 'ann' }],
  });
  const [finding] = await findingsIn(`a = "${TOKEN}"\n`, { findAccepted });
  t.regex(finding?.suppressed?.reason ?? '', /^first second word .*…$/);
  t.is(finding?.suppressed?.reason.length, RISK_GATE.EXCERPT_CHARS_MAX);
});

test('without an answer of the store nothing is suppressed', async (t) => {
  const findAccepted = () => Promise.reject(new Error('no answer in time'));
  t.deepEqual(short(await findingsIn(`a = "${TOKEN}"\n`, { findAccepted })), ['secret-token']);
});

test('the store is asked about so many fingerprints; the rest is not suppressed', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  const words = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay'];
  const patterns = words.map((word) =>
    pattern({ id: `secret-${word}`, regex: `${word}_[0-9]{8}`, keywords: [`${word}_`] }),
  );
  const tokens = words.flatMap((word) =>
    Array.from({ length: 90 }, (_, n) => `${word}_${10_000_000 + n}\n`),
  );
  const findings = await findingsIn(tokens.join(''), { findAccepted, patterns });
  t.is(findings.length, 540);
  t.is(asked[0]?.fingerprints.length, FINDINGS_PER_RFC_MAX);
  const open = findings.filter(({ suppressed }) => suppressed === null);
  t.is(open.length, 540 - FINDINGS_PER_RFC_MAX);
});
