import test from 'ava';
import { toRdjson } from '../../src/model/rdjson.ts';
import { finding, outcome } from './outcomes.ts';

test('toRdjson gives what has a place and is not suppressed, with byte columns', (t) => {
  const findings = [
    finding('vuln-01', { file: 'a.js', line: 3, end_line: 3, column: 7, fix: 'Use execFile.' }),
    finding('secret-key', { file: 'b', line: 4, end_line: 9, column: 2, severity: 'medium' }),
    finding('risk-mode', { file: 'c', severity: 'low' }),
    finding('risk-line', { file: 'd', line: 2, severity: 'info' }),
    finding('diff-unreadable'),
    finding('secret-a', { file: 'e', suppressed: { by: 'cra-ignore', reason: 'made up' } }),
  ];
  t.deepEqual(toRdjson(outcome(findings)), {
    source: { name: 'cra' },
    severity: 'ERROR',
    diagnostics: [
      {
        message: 'found vuln-01\n\nUse execFile.',
        location: { path: 'a.js', range: { start: { line: 3, column: 7 } } },
        severity: 'ERROR',
        code: { value: 'vuln-01' },
      },
      {
        message: 'found secret-key',
        location: { path: 'b', range: { start: { line: 4 }, end: { line: 9 } } },
        severity: 'WARNING',
        code: { value: 'secret-key' },
      },
      {
        message: 'found risk-mode',
        location: { path: 'c' },
        severity: 'INFO',
        code: { value: 'risk-mode' },
      },
      {
        message: 'found risk-line',
        location: { path: 'd', range: { start: { line: 2 } } },
        severity: 'INFO',
        code: { value: 'risk-line' },
      },
    ],
  });
  t.is(toRdjson(outcome([], { overall_status: 'PASSED' })).severity, 'INFO');
});
