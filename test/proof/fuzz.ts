import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import { CHANGE, fuzzRequest, type Known, type Tokens } from '../../bench/fuzz/requests.ts';
import { type SocketAnswer, sendBytes } from '../../bench/fuzz/socket.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import { type GuardedDaemon, startGuardedDaemon } from '../http/credentials.ts';

const SECONDS = 600;
const AT_A_TIME = 6;
/** What is not HTTP may stay without an answer; everything else gets one. */
const WIRE_WAIT_MS = 1_500;
const JSON_WAIT_MS = 60_000;
const HEALTH_WAIT_MS = 5_000;
const HEALTH_EVERY = 100;
const SENT_CHARS_SHOWN = 4_000;
const FAULTS_SHOWN = 20;

/** Hostile HTTP and JSON against every endpoint: no crash, no 5xx, health answers throughout. */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const ends: (() => unknown)[] = [temporary.remove];
  try {
    const teardown = (end: () => unknown) => void ends.push(end);
    const settings = { SERVICE_TRUST_PROXY: 'true' };
    const daemon = await startGuardedDaemon({ teardown }, settings, join(temporary.path, 'data'));
    const seconds = options.count ?? SECONDS;
    const counts = await fuzz(daemon, options.seed, seconds * 1000, options.progress);
    const code = await daemon.stop();
    if (code !== 0) counts.faults.push(`the daemon ended with ${code}`);
    const { faults } = counts;
    const statuses = [...counts.statuses].sort(([a], [b]) => a - b);
    return {
      title: 'Hostile HTTP and JSON',
      facts: [
        `seed ${options.seed}, ${seconds} s, ${AT_A_TIME} connections at a time, authentication on`,
        'requests are examples of the API description with one part changed, and damaged HTTP',
      ],
      tables: [
        {
          columns: ['what', 'number'],
          rows: [
            ['requests', counts.requests],
            ['of them damaged HTTP', counts.wire],
            ['health asked, all answered 200 when there are no faults', counts.health],
            ['slowest answer of health, ms', counts.healthMaxMs],
            ['scan threads or children lost', counts.lost],
            ['**faults**', faults.length],
          ],
        },
        {
          columns: ['answer', 'times'],
          rows: statuses.map(([status, times]) => [status === 0 ? 'none' : String(status), times]),
        },
      ],
      notes: [
        'a fault is a 5xx other than 503 (and 505, which the HTTP library itself answers to what is ' +
          'no request line of HTTP/1.1), JSON without an answer in the envelope, an error in the ' +
          'log of the daemon, or health that does not answer 200',
        ...faults.slice(0, FAULTS_SHOWN),
      ],
      holds: faults.length === 0 && counts.requests > 0,
    };
  } finally {
    for (const end of ends.reverse()) end();
  }
}

interface Counts {
  requests: number;
  wire: number;
  health: number;
  healthMaxMs: number;
  lost: number;
  statuses: Map<number, number>;
  faults: string[];
}

/** Sends for so long; the daemon goes on afterwards. */
export async function fuzz(
  daemon: GuardedDaemon,
  seed: number,
  ms: number,
  progress: (text: string) => void,
): Promise<Counts> {
  const counts: Counts = {
    requests: 0,
    wire: 0,
    health: 0,
    healthMaxMs: 0,
    lost: 0,
    statuses: new Map(),
    faults: [],
  };
  const tokens: Tokens = {
    api: daemon.apiToken,
    override: daemon.overrideToken,
    admin: await daemon.person('admin'),
  };
  let known = await makeKnown(daemon);
  const endAt = performance.now() + ms;
  let number = 0;

  async function send(): Promise<void> {
    while (performance.now() < endAt && counts.faults.length < FAULTS_SHOWN) {
      const mine = number++;
      const request = fuzzRequest(seed, mine, tokens, known);
      const waitMs = request.kind === 'wire' ? WIRE_WAIT_MS : JSON_WAIT_MS;
      const answer = await sendBytes(daemon.port, request.pieces, waitMs);
      counts.requests += 1;
      if (request.kind === 'wire') counts.wire += 1;
      counts.statuses.set(answer.status, (counts.statuses.get(answer.status) ?? 0) + 1);
      const fault = faultOf(request.kind, answer);
      if (fault !== null) {
        const sent = Buffer.concat(request.pieces).toString('latin1');
        const shown = JSON.stringify(sent.slice(0, SENT_CHARS_SHOWN));
        counts.faults.push(
          `${fault} to request ${mine} of seed ${seed} (${request.route}): ${shown}`,
        );
      }
      if (mine % HEALTH_EVERY === 0) await askHealth(daemon, counts);
      if (mine % 1000 === 999) {
        known = await makeKnown(daemon);
        tokens.admin = await daemon.person('admin');
        readLog(daemon, counts);
        progress(`fuzz: ${mine + 1} requests, ${counts.faults.length} faults`);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, send));
  await askHealth(daemon, counts);
  readLog(daemon, counts);
  return counts;
}

function faultOf(kind: 'wire' | 'json', answer: SocketAnswer): string | null {
  const { status, body, contentType, isRefused } = answer;
  if (isRefused) return 'nobody listens';
  // Whatever is not a request line, uWebSockets.js answers 505 before the service sees it.
  if (status === 505 && kind === 'wire') return null;
  if (status >= 500 && status !== 503) return `${status} ${body.slice(0, 300)}`;
  // A path with a blank or a letter of no ASCII ends the request line: that is damaged HTTP, too.
  if (kind === 'wire' || status === 0 || !contentType.startsWith('application/')) return null;
  if (body === '') return null;
  try {
    const value = JSON.parse(body) as { ok?: unknown; openapi?: unknown; version?: unknown };
    const isKnown = (typeof value.ok === 'boolean' || value.openapi) ?? value.version;
    return isKnown ? null : `no envelope: ${body.slice(0, 300)}`;
  } catch {
    return `no JSON: ${body.slice(0, 300)}`;
  }
}

async function askHealth(daemon: GuardedDaemon, counts: Counts): Promise<void> {
  const start = performance.now();
  const pieces = [Buffer.from('GET /api/cra/health HTTP/1.1\r\nHost: a\r\n\r\n')];
  const { status } = await sendBytes(daemon.port, pieces, HEALTH_WAIT_MS);
  counts.health += 1;
  counts.healthMaxMs = Math.max(counts.healthMaxMs, performance.now() - start);
  if (status !== 200) counts.faults.push(`health answers ${status}`);
}

/** Errors of the daemon are faults; what it lost and replaced is counted. The log is let go. */
function readLog({ log }: GuardedDaemon, counts: Counts): void {
  for (const entry of log.splice(0)) {
    if (entry['msg'] === 'AST child ended') counts.lost += 1;
    const isError = entry['level'] === 'error' || entry['level'] === 'fatal';
    if (isError) counts.faults.push(`in the log: ${JSON.stringify(entry).slice(0, 2_000)}`);
  }
}

/** An RFC that nobody has decided about, its finding and a task for it. */
async function makeKnown({ url, apiToken }: GuardedDaemon): Promise<Known> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiToken}` },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { data?: Record<string, unknown> }).data;
  };
  const rfc = await post('analyze', CHANGE);
  const rfcId = String(rfc?.['rfc_id'] ?? 'RFC-0');
  const findingId = `${rfcId.replace('RFC-', 'F-')}-1`;
  const task = await post('claude-task', { findingId });
  return { rfcId, findingId, taskId: String(task?.['taskId'] ?? 'T-0') };
}
