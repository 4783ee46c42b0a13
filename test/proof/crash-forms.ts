import { startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { watchDuring } from '../../bench/daemon/watch.ts';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { attack, type FormOutcome } from './attack.ts';
import { makeBodies } from './bodies.ts';
import { CRASH_FORMS } from './crash-form.ts';

const COUNT = 100;
const FAULTS_SHOWN = 20;
/** Of the others' p99 under attack, against without. */
const FACTOR_MAX = 2;

/** Posts what kills parsers, and looks at what it does to everybody else. */
export async function run(options: RunOptions): Promise<Report> {
  const { only } = options;
  const forms = CRASH_FORMS.filter(({ name }) => only.length === 0 || only.includes(name));
  const count = options.count ?? COUNT;
  const bodies = await makeBodies(options);
  const temporary = makeTemporary();
  const daemon = await startHostedDaemon({ dataDir: temporary.path });
  try {
    const { result, strain } = await watchDuring(daemon, () =>
      attack({
        daemon,
        forms,
        count,
        bodies,
        seed: options.seed,
        quietMs: options.seconds * 1000,
        onForm: ({ name, faults }) =>
          options.progress(`crash-forms: ${name} done, ${faults.length} faults`),
      }),
    );
    const { outcomes, failures, quiet, attacked } = result;
    const faults = [...outcomes.flatMap((outcome) => outcome.faults), ...failures];
    const factor = attacked.p99 / quiet.p99;
    return {
      title: 'Text that kills the parser',
      facts: [
        `${forms.length} forms, each ${count} times beside \`child_process.exec(cmd + ...)\` and ` +
          `${count} times without, as a new file; the attacker sends one after the other`,
        `the others: ${result.rate} requests/s, a third of the ${Math.round(result.rateMax)}/s ` +
          'that the daemon took before; 10 KB diffs, half of them JS/TS with a sink',
      ],
      tables: [
        {
          columns: ['the others', 'without the attack', 'with it', 'factor'],
          rows: [
            ['p50, ms', quiet.p50, attacked.p50, attacked.p50 / quiet.p50],
            ['p99, ms', quiet.p99, attacked.p99, factor],
            ['requests that failed', '', failures.length, ''],
          ],
        },
        { columns: COLUMNS, rows: outcomes.map(rowOf) },
      ],
      notes: [
        `lag p99 of the main thread ${strain.lagP99Ms.toFixed(1)} ms, RSS at most ` +
          `${strain.rssMaxMb.toFixed(0)} MB, children at most ${strain.childrenMax}; afterwards ` +
          `${result.childrenAfter.length} run`,
        'a bare parser: @swc/core on the same text in a process of its own; where it is killed ' +
          'or takes too long the verdict must hold `ast-unparsed`, or the sink where that ' +
          'stands below a line that is too long to be parsed',
        ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      ],
      holds: faults.length === 0 && factor <= FACTOR_MAX,
    };
  } finally {
    await daemon.stop();
    temporary.remove();
  }
}

const COLUMNS = [
  'form',
  'posts',
  'a bare parser, by size',
  'ast-unparsed beside the sink',
  'the sink found instead',
  'ast-unparsed alone',
  'slowest, ms',
  'faults',
];

function rowOf(outcome: FormOutcome): Cell[] {
  const { name, posts, unparsed, found, unparsedAlone, maxMs, faults } = outcome;
  const counts = [unparsed, found, unparsedAlone];
  return [name, posts, fatesText(outcome), ...counts, maxMs, faults.length];
}

/** `parses: 300 1000; kills it: 3000 10000`. */
function fatesText({ fates }: FormOutcome): string {
  const sizes = new Map<string, number[]>();
  for (const [size, fate] of fates) sizes.set(fate, [...(sizes.get(fate) ?? []), size]);
  return [...sizes].map(([fate, list]) => `${fate}: ${list.join(' ')}`).join('; ');
}
