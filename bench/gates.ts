import { describeCorpus, openCorpus } from './corpus/corpus.ts';
import type { RunOptions } from './options.ts';
import { measurePushes } from './push-gate.ts';
import type { Report } from './report.ts';
import { measureRiskGate } from './risk-gate.ts';
import { measureSyntaxGate } from './syntax-gate.ts';

/** What gates 1 and 2 cost: over all files, and gate 2 over those of JS/TS. */
export async function run(options: RunOptions): Promise<Report> {
  const all = await openCorpus(options, 'all');
  const risk = await measureRiskGate(all, options.seed);
  options.progress('gates: gate 1 done');
  const scripts = await openCorpus(options, 'script');
  const syntax = await measureSyntaxGate(scripts);
  const pushes = options.repos.length > 0 ? [await measurePushes(options)] : [];
  return {
    title: 'Gates 1 and 2',
    facts: [describeCorpus(all), `gate 2: ${describeCorpus(scripts)}`],
    tables: [...risk, ...syntax, ...pushes],
    notes: [
      'gate 2: CPU of the asking process and of its child together; a fragment is a hunk, or a ' +
        'whole new file, that holds a sink word',
      'sent to the child: the same in one process; a bare parse is one of SWC with its JSON, of ' +
        'the text within what makes it parse',
      'pushes: each commit alone, in one process without the child, the least CPU of three runs; ' +
        'reading the files from git is not counted',
    ],
    holds: true,
  };
}
