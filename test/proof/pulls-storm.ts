import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report, Table } from '../../bench/report.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { COMMIT_STATUS } from '../../src/pushes/limits.ts';
import { fake } from '../../src/rules/fake.ts';
import { type DaemonProcess, request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { type AppHost, startAppHost, writeAppSettings } from '../hosts/app-host.ts';
import { type HostedRepository, openRepository } from '../hosts/git-repository.ts';
import { databaseUrl, startMongod } from '../mongod/mongod.ts';
import { leak } from '../pushes/daemon/bad-code.ts';
import { type Hook, pullHook } from '../pushes/daemon/hooks.ts';

const KILLS = 10;
const REPOS = 50;
const PULLS_EACH = 4;
const STORM_MS = 60_000;
const HOST_LATENCY_MS = 250;
const DRAIN_MS_MAX = 1_500_000;
const MINUTE_MS = 60_000;
const FAULTS_SHOWN = 20;
const SECRET = fake('hub-', 40);

/** What becomes of each pull request: ten events about four heads. */
const STEPS: readonly { action: string; head: number }[] = [
  { action: 'opened', head: 0 },
  { action: 'reopened', head: 0 },
  { action: 'synchronize', head: 1 },
  { action: 'reopened', head: 1 },
  { action: 'labeled', head: 1 },
  { action: 'synchronize', head: 2 },
  { action: 'reopened', head: 2 },
  { action: 'labeled', head: 2 },
  { action: 'synchronize', head: 3 },
  { action: 'reopened', head: 3 },
];
const LAST_HEAD = 3;

interface Pull {
  repo: string;
  repoId: number;
  number: number;
  dir: string;
  heads: readonly string[];
  isBad: boolean;
}

/** An event, and what was answered to it. */
interface Sent {
  pull: Pull;
  head: number;
  /** Null: it is nothing to judge. */
  rfcId: string | null;
  tries: number;
}

const STORES = ['SQLite', 'MongoDB'] as const;

/** Events of pull requests with a slow GitHub, while the daemon is killed again and again. */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  for (const name of STORES) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const mongod = name === 'MongoDB' ? await startMongod() : null;
    const store = mongod === null ? {} : { SERVICE_STORE_URL: databaseUrl(mongod) };
    const outcome = await measure(store, options).finally(mongod?.stop);
    const rows = [...outcome.rows, ['**faults**', outcome.faults.length]];
    tables.push({ columns: [name, 'number'], rows });
    faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`));
  }
  return {
    title: 'kill -9 in a storm of pull requests (GitHub App)',
    facts: [
      `seed ${options.seed}; ${REPOS} repositories of kind file:///, ${PULLS_EACH} pull requests ` +
        `of forks each; ${STEPS.length} events about ${LAST_HEAD + 1} heads of each`,
      `a stub of GitHub that answers after ${HOST_LATENCY_MS} ms and checks each request by ` +
        'the published description; an event without an answer is sent again under its id',
    ],
    tables,
    notes: [
      'a fault: an event that was answered otherwise than with 200, one whose RFC is not there ' +
        'or not final, a last head without the verdict that is right for it, a head with two ' +
        'check runs, a run that is not completed, a last head whose run is missing or shows ' +
        'another verdict, a budget that was exceeded',
      'each daemon has a budget of its own: one that is killed leaves no trace of its calls',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

/** `store`: settings of the store. */
async function measure(store: Record<string, string>, options: RunOptions) {
  const kills = options.count ?? KILLS;
  const random = createRandom(options.seed);
  const undo: (() => unknown)[] = [];
  const t = { teardown: (step: () => unknown) => void undo.push(step) };
  try {
    const host = await startAppHost(t);
    host.latencyMs = HOST_LATENCY_MS;
    const ticking = setInterval(() => {
      host.now = Date.now();
    }, 1_000);
    t.teardown(() => clearInterval(ticking));
    const root = temporaryDir(t);
    const pulls = Array.from({ length: REPOS }, (_, index) => makePulls(root, index)).flat();
    options.progress(`pulls-storm: ${REPOS} repositories`);
    const port = await freePort();
    const dataDir = temporaryDir(t);
    const env = { ...settings(t, { port, root, host }), ...store };
    const faults: string[] = [];
    /** When each daemon ran, ms since the epoch. */
    const lives: { from: number; until: number }[] = [];
    const start = async (): Promise<DaemonProcess> => {
      host.now = Date.now();
      const from = Date.now();
      const daemon = await startDaemonProcess(t, dataDir, env);
      lives.push({ from, until: Number.POSITIVE_INFINITY });
      daemon.process.once('exit', (code, signal) => {
        if (signal === 'SIGKILL' || code === 0) return;
        const errors = daemon.log.flatMap(({ level, err, msg }) => {
          return Number(level) < 50 ? [] : [JSON.stringify({ msg, err })];
        });
        faults.push(`a daemon ended by itself (${code}): ${errors.slice(-2).join(' ')}`);
        options.progress(`pulls-storm: ${faults.at(-1)} ${daemon.errors()}`);
        running = start();
      });
      return daemon;
    };
    let running = start();
    await running;
    const url = `http://127.0.0.1:${port}/api/cra`;
    const begun = performance.now();
    const storm = sendAll(pulls, url, faults);
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay((STORM_MS / (kills + 1)) * (0.5 + random.next()));
      await (await running).kill();
      Object.assign(lives.at(-1) ?? {}, { until: Date.now() });
      running = start();
      await running;
      options.progress(`pulls-storm: ${kill} kills`);
    }
    const sent = await storm;
    const stormSeconds = (performance.now() - begun) / 1_000;
    options.progress(`pulls-storm: ${sent.length} events after ${Math.round(stormSeconds)} s`);
    if (!(await isDrained(url))) faults.push('not everything was judged and posted in time');
    const drainedSeconds = (performance.now() - begun) / 1_000;
    const { unread, ...judged } = await checkRfcs(sent, url);
    faults.push(...judged.faults, ...checkRuns(pulls, host));
    const busiest = mostCalls(host, lives);
    const most = COMMIT_STATUS.BURST_MAX + COMMIT_STATUS.REFILL_PER_MINUTE;
    if (busiest > most) faults.push(`a daemon made ${busiest} calls within a minute`);
    faults.push(...(await stopped(await running)));
    const again = sent.filter(({ tries }) => tries > 1).length;
    const rows: (string | number)[][] = [
      ['kills', kills],
      ['events', sent.length],
      ['sent more than once, as no daemon answered', again],
      ['until all were answered, s', stormSeconds],
      ['until all was judged and posted, s', drainedSeconds],
      ['RFCs', new Set(sent.map(({ rfcId }) => rfcId)).size - 1],
      ['of earlier heads: BLOCKED unread, as daemons died while they judged it', unread],
      ['check runs', host.runs.length],
      ['calls of the API', host.requests.length],
      [`calls of one daemon within a minute, at most (budget ${most})`, busiest],
    ];
    return { rows, faults };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function makePulls(root: string, index: number): Pull[] {
  const repo = `acme/r${index}`;
  const dir = join(root, `${repo}.git`);
  const hosted = openRepository(dir);
  const base = hosted.commit([{ name: 'README.md', data: 'read me\n' }]);
  return Array.from({ length: PULLS_EACH }, (_, at) => {
    const number = at + 1;
    const isBad = at === 0;
    const heads = makeHeads(hosted, base, { number, isBad });
    return { repo, repoId: 1_000 + index, number, dir, heads, isBad };
  });
}

function makeHeads(
  hosted: HostedRepository,
  base: string,
  { number, isBad }: Pick<Pull, 'number' | 'isBad'>,
): string[] {
  const ref = `refs/forks/${number}`;
  const heads: string[] = [];
  for (let head = 0; head <= LAST_HEAD; head += 1) {
    const text = isBad && head === LAST_HEAD ? leak(`pull ${number}`) : `words ${head}\n`;
    const from = heads.at(-1) ?? base;
    heads.push(hosted.commit([{ name: `pull-${number}.sh`, data: text }], { ref, from }));
  }
  return heads;
}

function settings(
  t: { teardown(step: () => unknown): void },
  { port, root, host }: { port: number; root: string; host: AppHost },
): Record<string, string> {
  const path = writeAppSettings(temporaryDir(t), { root, host, secret: SECRET });
  return { SERVICE_VCS_CONFIG: path, SERVICE_PORT: String(port) };
}

/** Sends all events within a minute, those of a pull request in their order. */
async function sendAll(pulls: readonly Pull[], url: string, faults: string[]): Promise<Sent[]> {
  const begun = performance.now();
  const gapMs = STORM_MS / (pulls.length * STEPS.length);
  const lines = pulls.map(async (pull, at) => {
    const sent: Sent[] = [];
    for (const [step, { action, head }] of STEPS.entries()) {
      const dueMs = (step * pulls.length + at) * gapMs - (performance.now() - begun);
      if (dueMs > 0) await delay(dueMs);
      const sha = pull.heads[head] ?? '';
      setRef(pull, sha);
      const { repo, repoId, number } = pull;
      const hook = pullHook('github', { repo, repoId, number, sha, action }, { secret: SECRET });
      const { rfcId, tries } = await send(hook, url, faults);
      sent.push({ pull, head, rfcId, tries });
    }
    return sent;
  });
  return (await Promise.all(lines)).flat();
}

/** As a host moves it: readers see the old head or the new one. */
function setRef({ dir, number }: Pull, sha: string): void {
  const path = join(dir, `refs/pull/${number}/head`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.lock`, `${sha}\n`);
  renameSync(`${path}.lock`, path);
}

async function send({ body, headers }: Hook, url: string, faults: string[]) {
  for (let tries = 1; ; tries += 1) {
    const init = { method: 'POST', headers, body: new Uint8Array(body) };
    const answer = await request(`${url}/webhook`, init).catch(() => null);
    if (answer?.status === 200) {
      const { rfc_id: rfcId = null } = answer.body.data as { rfc_id?: string };
      return { rfcId, tries };
    }
    if (answer !== null && answer.status !== 503) {
      faults.push(`an event was answered with ${answer.status}: ${answer.body.error}`);
      return { rfcId: null, tries };
    }
    await delay(100);
  }
}

async function isDrained(url: string): Promise<boolean> {
  const end = performance.now() + DRAIN_MS_MAX;
  while (performance.now() < end) {
    const { body } = await request(`${url}/dispatcher/status`);
    const { waiting, statuses_due: due } = body.data.pushes as Record<string, number | null>;
    const { body: drafts } = await request(`${url}/rfcs?status=DRAFT`);
    if (waiting === 0 && due === 0 && (drafts.data as unknown[]).length === 0) return true;
    await delay(2_000);
  }
  return false;
}

/** Each event has an RFC that is final, and each last head has the right verdict. */
async function checkRfcs(sent: readonly Sent[], url: string) {
  const faults: string[] = [];
  const known = new Map<string, RfcRecord>();
  for (const { rfcId } of sent) {
    if (rfcId === null || known.has(rfcId)) continue;
    const { status, body } = await request(`${url}/rfc/${rfcId}`);
    if (status === 200) known.set(rfcId, body.data as RfcRecord);
    else faults.push(`${rfcId} is not there: ${status}`);
  }
  const unread = new Set<string>();
  for (const { pull, head, rfcId } of sent) {
    const record = known.get(rfcId ?? '');
    if (record === undefined) continue;
    const { commit_sha, overall_status: status } = record;
    const name = `${pull.repo} pull request ${pull.number} head ${head}`;
    if (commit_sha !== pull.heads[head]) faults.push(`${name}: an RFC of another commit`);
    const isLast = head === LAST_HEAD;
    if (status === (pull.isBad && isLast ? 'BLOCKED' : 'PASSED')) continue;
    if (!isLast && status === 'SUPERSEDED') continue;
    const ids = record.gates.risk.findings.map(({ id }) => id);
    if (!isLast && ids.includes('scan-crashed')) unread.add(record.rfc_id);
    else faults.push(`${name}: ${status} (${ids.join(', ')})`);
  }
  return { faults, unread: unread.size };
}

/** Each head has one check run at most, which is completed; a last head one with its verdict. */
function checkRuns(pulls: readonly Pull[], { runs }: AppHost): string[] {
  const faults: string[] = [];
  for (const { repo, number, heads, isBad } of pulls) {
    for (const [head, sha] of heads.entries()) {
      const own = runs.filter((run) => run.repo === repo && run.head_sha === sha);
      const shown = own.map(({ status, conclusion }) => conclusion ?? status).join(', ');
      const right = isBad ? 'failure' : 'success';
      const isEnded = own.length <= 1 && shown !== 'in_progress';
      const isRight = head === LAST_HEAD ? shown === right : isEnded;
      if (!isRight)
        faults.push(`${repo} pull request ${number} head ${head}: ${shown || 'no run'}`);
    }
  }
  return faults;
}

/** Calls about check runs that one daemon made within a minute, at most. */
function mostCalls(
  { requests, requestedAt }: AppHost,
  lives: readonly { from: number; until: number }[],
): number {
  const times = requestedAt.filter((_, at) => requests[at]?.includes('check-runs'));
  const counts = lives.flatMap(({ from, until }) => {
    const own = times.filter((at) => at >= from && at <= until);
    return own.map((at, n) => own.slice(n).filter((other) => other - at < MINUTE_MS).length);
  });
  return Math.max(0, ...counts);
}

async function stopped(daemon: DaemonProcess): Promise<string[]> {
  const code = await daemon.stop();
  return code === 0 ? [] : [`the last daemon ended with ${code}`];
}
