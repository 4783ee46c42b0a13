import test from 'ava';
import { findingsIn } from '../../analysis/worker/gates-run.ts';

const CODE = "app.get('/', (req, res) => { require('child_process').exec(req.query.cmd) })";
const LINE_ENDS = [
  ['LF', '\n'],
  ['CR', '\r'],
  ['LS', '\u2028'],
  ['PS', '\u2029'],
] as const;

for (const [name, end] of LINE_ENDS) {
  test(`${name} ends a comment, and the code behind it is looked at`, async (t) => {
    for (const line of ['// made by a tool', '#!/usr/bin/env node', 'f() // x']) {
      const findings = await findingsIn(`${line}${end}${CODE}\n`, { patterns: [] }, 'src/a.js');
      t.deepEqual(
        findings.map(({ id, severity }) => `${severity} ${id}`),
        ['critical vuln-01'],
        line,
      );
    }
  });
}
