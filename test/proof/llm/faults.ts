import { startHostedDaemon } from '../../../bench/daemon/hosted-daemon.ts';
import { createHttpClient } from '../../../bench/daemon/http-client.ts';
import { startServedDaemon } from '../../../bench/daemon/served-daemon.ts';
import { keepInFlight, percentile } from '../../../bench/harness.ts';
import type { RunOptions } from '../../../bench/options.ts';
import type { Report } from '../../../bench/report.ts';
import type { Script } from '../../gates/review/fake-vendor.ts';
import {
  bodyOf,
  dataOf,
  finalOf,
  folderIn,
  type LlmWorld,
  type ReviewedRfc,
  startAgain,
  withVendor,
} from './world.ts';

/** What is wrong with the vendor, and what must come of it. */
interface Fault {
  name: string;
  script: Script;
  over?: Record<string, unknown>;
  reason: string;
  calls: number;
  /** The verdict comes within so many seconds, and not before so many. */
  seconds: [least: number, most: number];
}

const limited = (headers: Record<string, string> = {}): Script => ({
  kind: 'http',
  status: 429,
  headers,
});
const SPEND_LIMIT = { error: { details: { error_code: 'enforced_spend_limit_reached' } } };
const NO_CREDIT = { error: { code: 'organization_spend_limit_exceeded' } };
const OPENAI = { protocol: 'openai' };
/** Nobody listens there (RFC 6335: port 1 is tcpmux). */
const DOWN = { base_url: 'http://127.0.0.1:1' };

const FAULTS: readonly Fault[] = [
  fault('down', { kind: 'answer' }, 'unavailable', 0, [0, 30], DOWN),
  fault('slow: no byte comes', { kind: 'hang' }, 'timeout', 3, [60, 110]),
  fault('429 without Retry-After', limited(), 'rate_limited', 3, [1, 30]),
  fault('429, Retry-After: 3', limited({ 'retry-after': '3' }), 'rate_limited', 3, [6, 40]),
  fault('429, Retry-After: 600', limited({ 'retry-after': '600' }), 'rate_limited', 1, [0, 10]),
  fault('spend limit (Anthropic)', { ...limited(), body: SPEND_LIMIT } as Script, 'spent', 1),
  fault(
    'spend limit (OpenAI)',
    { ...limited(), body: NO_CREDIT } as Script,
    'spent',
    1,
    [0, 10],
    OPENAI,
  ),
  fault('529', { kind: 'http', status: 529 }, 'unavailable', 3, [1, 30]),
  fault('401', { kind: 'http', status: 401 }, 'misconfigured', 1),
  fault('clipped prompt', { kind: 'clip' }, 'invalid_output', 2),
  fault('refusal', { kind: 'stop', reason: 'refusal' }, 'refused', 1),
];

function fault(
  name: string,
  script: Script,
  reason: string,
  calls: number,
  seconds: Fault['seconds'] = [0, 10],
  over: Fault['over'] = {},
): Fault {
  return { name, script, over, reason, calls, seconds };
}

const ROUNDS = 3;
const REVIEWS = 44;
const AT_A_TIME = 2;
const LAG_MS_MAX = 15;
const RATIO_MAX = 1.2;

/** Each fault with a daemon of its own, then callers beside a vendor that has them all. */
export function run(options: RunOptions): Promise<Report> {
  return withVendor(async (world) => {
    const rows: (string | number)[][] = [];
    const faults: string[] = [];
    for (const [index, each] of FAULTS.entries()) {
      if (options.only.length > 0 && !options.only.includes(each.name)) continue;
      const { row, problems } = await showFault(each, world, `fault-${index}`);
      rows.push(row);
      faults.push(...problems.map((problem) => `${each.name}: ${problem}`));
      options.progress(`llm-faults: ${row.join(', ')}`);
    }
    const beside = await callersBeside(world, options);
    const isGood = beside.ratio <= RATIO_MAX && beside.lagP99Ms <= LAG_MS_MAX;
    return {
      title: 'Faults of a vendor',
      facts: [
        'each fault with a daemon of its own and one change',
        `callers: changes that gates 1 and 2 block, ${AT_A_TIME} at a time, in ${ROUNDS} rounds of ` +
          `${options.seconds} s alone and ${options.seconds} s beside ${REVIEWS} reviews with all faults`,
      ],
      tables: [
        {
          columns: ['fault', 'verdict', 'gates.llm', 'calls', 'after s', 'within s'],
          rows,
        },
        {
          columns: ['callers without gate 3', 'alone', 'beside', 'ratio'],
          rows: beside.rows,
        },
      ],
      notes: [
        `the ratio is that of the medians (goal ${RATIO_MAX}); lag p99 goal ${LAG_MS_MAX} ms`,
        ...faults.map((each) => `FAULT: ${each}`),
      ],
      holds: faults.length === 0 && isGood,
    };
  });
}

async function showFault(each: Fault, world: LlmWorld, folder: string) {
  const { vendor } = world;
  const [least, most] = each.seconds;
  vendor.script = () => each.script;
  const settings = world.settings(each.over);
  const dataDir = folderIn(world, folder);
  const daemon = await startAgain(() => startServedDaemon(dataDir, settings));
  const client = createHttpClient(daemon.port);
  const before = vendor.requests.length;
  const start = performance.now();
  const { rfc_id } = dataOf<ReviewedRfc>(
    (await client.analyze(bodyOf({ 'src/a.js': ['use(1);'] }))).text,
  );
  const rfc = await finalOf(client, rfc_id);
  const seconds = (performance.now() - start) / 1000;
  const calls = vendor.requests.length - before;
  client.close();
  await daemon.stop();
  const { status, skip_reason, held } = rfc.gates.llm;
  const problems = [];
  if (rfc.overall_status !== 'BLOCKED' || status !== 'skipped' || held !== true) {
    problems.push(`${rfc.overall_status}, ${status}`);
  }
  if (skip_reason !== each.reason) problems.push(`${skip_reason}, not ${each.reason}`);
  if (calls !== each.calls) problems.push(`${calls} calls, not ${each.calls}`);
  if (seconds < least || seconds > most) problems.push(`took ${seconds.toFixed(1)} s`);
  const held_ = held === true ? ', held' : '';
  const llm = `${status}, ${skip_reason}${held_}`;
  const within = `${least} to ${most}`;
  return {
    row: [each.name, rfc.overall_status, llm, calls, seconds.toFixed(1), within],
    problems,
  };
}

/** Analyze of changes that gate 3 does not read, alone and while reviews meet every fault. */
async function callersBeside(world: LlmWorld, options: RunOptions) {
  const { vendor } = world;
  vendor.script = (user) => {
    const n = Number(/^file 1: src\/r(\d+)\.js$/m.exec(user)?.[1] ?? 0);
    return FAULTS[n % FAULTS.length]?.script ?? { kind: 'hang' };
  };
  const alone: number[] = [];
  const beside: number[] = [];
  const lags: [number[], number[]] = [[], []];
  let sent = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const dataDir = folderIn(world, `beside-${round}`);
    const settings = world.settings({ concurrency: REVIEWS });
    const daemon = await startAgain(() => startHostedDaemon({ dataDir, settings }));
    const client = createHttpClient(daemon.port);
    const load = async (ms: number[] | null, seconds: number) => {
      daemon.resetLag();
      const end = performance.now() + seconds * 1000;
      await keepInFlight(
        AT_A_TIME,
        () => performance.now() > end,
        async () => {
          sent += 1;
          const answer = await client.analyze(
            bodyOf({ 'src/run.js': [`exec('tar ' + req.query.n${sent});`] }),
          );
          if (dataOf<ReviewedRfc>(answer.text).overall_status !== 'BLOCKED') {
            throw new Error(`not blocked: ${answer.text}`);
          }
          ms?.push(answer.ms);
        },
      );
      return (await daemon.sample()).lagP99Ms;
    };
    await load(null, options.seconds / 2);
    lags[0].push(await load(alone, options.seconds));
    for (let n = 0; n < REVIEWS; n += 1) {
      await client.analyze(bodyOf({ [`src/r${n}.js`]: [`use(${round}, ${n});`] }));
    }
    lags[1].push(await load(beside, options.seconds));
    client.close();
    await daemon.stop();
    options.progress(`llm-faults: callers, round ${round + 1}`);
  }
  const row = (name: string, of: (values: readonly number[]) => number) => {
    return [name, of(alone), of(beside), of(beside) / of(alone)];
  };
  const lagP99Ms = Math.max(...lags[1]);
  return {
    rows: [
      ['changes', alone.length, beside.length, beside.length / alone.length],
      row('analyze, median ms', (values) => percentile(values, 0.5)),
      row('analyze, p99 ms', (values) => percentile(values, 0.99)),
      ['lag of the main thread p99, ms (worst round)', Math.max(...lags[0]), lagP99Ms, ''],
    ],
    ratio: percentile(beside, 0.5) / percentile(alone, 0.5),
    lagP99Ms,
  };
}
