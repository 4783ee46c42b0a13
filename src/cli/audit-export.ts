import { parseArgs } from 'node:util';
import { exportTrail } from '../audit/export.ts';
import { readAuditSettings } from '../daemon/config/config.ts';
import { CraError } from '../model/errors.ts';
import { startCounter } from './audit-counter.ts';
import { findSigner } from './audit-key.ts';
import { writeLines } from './audit-out.ts';
import { describeFlaw } from './audit-report.ts';
import { openSource } from './audit-source.ts';
import { printable } from './terminal.ts';

const OPTIONS = { out: { type: 'string', short: 'o' }, since: { type: 'string' } } as const;

/** `cra audit export`: exit code 0, or 1 when the trail that was exported is bad. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const since = values.since === undefined ? null : timeOf(values.since);
  const settings = readAuditSettings();
  const signer = findSigner(settings);
  const source = await openSource(settings);
  const counter = startCounter(process.stderr, 'entries exported');
  try {
    const onEntry = counter.step;
    const { flaw, summary } = await writeLines(values.out ?? process.stdout, (write) =>
      exportTrail(source, { write, nowMs: Date.now(), since, signer, onEntry }),
    );
    const { chains, entries } = summary;
    if (flaw === null) {
      const signed = signer === null ? 'not signed: there is no key' : 'signed';
      process.stderr.write(`${entries} entries of ${chains} chains exported, ${signed}\n`);
      return 0;
    }
    const text = `the trail is bad, so the export is not signed: ${describeFlaw(flaw)}`;
    process.stderr.write(`${printable(text)}\n`);
    return 1;
  } finally {
    counter.stop();
    await source.close();
  }
}

function timeOf(text: string): string {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new CraError('INVALID_ARGUMENT', '--since must be a time, like 2026-11-21T10:00:00Z');
}
