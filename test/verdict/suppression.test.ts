import test from 'ava';
import fc from 'fast-check';
import { isSuppressible, plainFinding } from '../../src/model/finding.ts';
import { acceptedIn, applySuppressions } from '../../src/verdict/suppression.ts';

const NEVER = [
  'vuln-01',
  'vuln-10',
  'diff-unreadable',
  'binary-file',
  'outside-diff',
  'ast-unparsed',
  'risk-unscanned',
  'risk-undecoded',
  'scan-crashed',
  'findings-overflow',
  'gate-pending',
  'marker-invalid',
  'marker-used',
];

const IDS = [...NEVER, 'secret-a', 'secret-ab', 'risk-a', 'ast-a'];

const FINDING = fc.record({
  id: fc.constantFrom(...IDS),
  file: fc.constantFrom('a', 'b', null),
  line: fc.option(fc.integer({ min: 1, max: 4 })),
  fingerprint: fc.constantFrom('1', '2', ''),
});

const MARKER = fc.record({
  file: fc.constantFrom('a', 'b'),
  line: fc.nat(4),
  coversNext: fc.boolean(),
  by: fc.constant('cra-ignore'),
  rules: fc.array(fc.constantFrom(...IDS, 'secret-*', 'risk-*', 'vuln-*', 'ast-*', 'risk-un*')),
  reason: fc.constant('why'),
});

test('applySuppressions suppresses exactly what a marker or a fingerprint covers', (t) => {
  const inputs = [fc.array(FINDING), fc.array(MARKER), fc.subarray(['1', '2'])] as const;
  fc.assert(
    fc.property(...inputs, (fields, markers, fingerprints) => {
      const findings = fields.map((each) =>
        plainFinding({ gate: 'risk', severity: 'high', message: 'found', ...each }),
      );
      const entries = fingerprints.map((fingerprint) => ({ fingerprint, reason: 'known' }));
      const accepted = acceptedIn('shop', entries);
      const judged = applySuppressions(findings, { markers, accepted });
      for (const [index, { id, file, line, fingerprint }] of findings.entries()) {
        const isMarked = markers.some(
          (marker) =>
            marker.file === file &&
            (marker.line === line || (marker.coversNext && marker.line + 1 === line)) &&
            marker.rules.some((rule) => rule === id || matchesStar(rule, id)),
        );
        const isExpected =
          isSuppressible(id) && file !== null && (isMarked || accepted.has(fingerprint));
        const suppressed = judged[index]?.suppressed ?? null;
        t.deepEqual({ ...judged[index], suppressed: null }, findings[index]);
        t.is(suppressed !== null, isExpected);
      }
    }),
  );
});

function matchesStar(rule: string, id: string): boolean {
  return rule.endsWith('*') && id.startsWith(rule.slice(0, -1));
}

for (const id of NEVER) {
  test(`isSuppressible says no to ${id}`, (t) => {
    t.false(isSuppressible(id));
  });
}

test('applySuppressions leaves what is suppressed already with its first reason', (t) => {
  const fields = { id: 'secret-a', gate: 'risk', severity: 'high', message: 'found' } as const;
  const suppressed = { by: 'cra-ignore', reason: 'a test key' };
  const finding = plainFinding({ ...fields, file: 'a', line: 1, fingerprint: '1', suppressed });
  const accepted = acceptedIn('shop', [{ fingerprint: '1', reason: 'known' }]);
  t.deepEqual(applySuppressions([finding], { markers: [], accepted }), [finding]);
});
