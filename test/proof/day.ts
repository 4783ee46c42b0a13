import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { checkLedger } from '../../bench/storm/ledger.ts';
import type { Entry } from '../../bench/storm/load-message.ts';
import { openStage, type Stage, waitForDrain } from '../../bench/storm/stage.ts';
import { createCheckpointSigner } from '../../src/audit/checkpoint.ts';
import { retry } from '../../src/core/retry.ts';
import { verifyArchive } from '../../src/store/archive-files.ts';
import { newDocument } from '../../src/store/mongo/record-documents.ts';
import type { MongodMember } from '../mongod/member.ts';
import { type Mongod, startMongod } from '../mongod/mongod.ts';
import { recordText, sampleRecord } from '../store/fixtures/records.ts';
import { mountSmallDisk, type SmallDisk } from './operations/full-disk.ts';
import { DAEMONS, flawsOf, openSite, readPushes, type Site } from './site.ts';

const HOURS = 24;
const REPOS = 12;
const CONNECTIONS = 8;
const PER_SECOND = 10;
/** Webhooks of one call of the load: what got no answer is sent again with the next one. */
const WEBHOOKS_A_CALL = 50;
const MEMBERS = 3;
/** The disk of the last member, which is filled. */
const MEMBER_MB = 900;
const OLD_RFCS_AN_HOUR = 300;
const OLD_AT = '2026-01-05T00:00:00.000Z';
const DOWN_MS = 2_000;
const START_TRIES = 5;
const DRAIN_MS_MAX = 900_000;
/** A refused push is found by the sweep of its repository. */
const HEADS_MS_MAX = 600_000;
const FAULTS_SHOWN = 20;

/**
 * Two daemons behind HAProxy on a replica set of three, under webhooks without end. In each
 * simulated hour (`--seconds` of the clock, `--count` hours) a daemon is killed and RFCs are
 * archived, every other time by a process that kills itself; every fourth hour the primary is
 * killed, every fourth the disk of a member is full. Needs root for that disk.
 */
export async function run(options: RunOptions): Promise<Report> {
  const hours = options.count ?? HOURS;
  const stage = await openStage({ repos: REPOS, seed: options.seed });
  const folder = join(stage.path, 'mongod');
  const disk = mountSmallDisk(join(folder, `member-${MEMBERS - 1}`), MEMBER_MB);
  const mongod = await startMongod({ folder, members: MEMBERS });
  const site = await openSite(stage, mongod.url.replace('/?', '/cra?'), null);
  const archive = await openArchive(site.storeUrl, join(stage.path, 'archive'));
  const random = createRandom(options.seed);
  const faults: string[] = [];
  let filling: Promise<void> = Promise.resolve();
  const counts = { kills: 0, failovers: 0, full: 0, ended: 0, archiveKills: 0 };
  try {
    const ending = new AbortController();
    const load = postUntil(stage, site.port, ending.signal);
    // What ended the run is told, not that the load was ended by it.
    load.catch(() => undefined);
    for (let hour = 0; hour < hours; hour += 1) {
      const hourMs = options.seconds * 1000;
      const over = delay(hourMs);
      await delay(random.between(0, hourMs / 4));
      const events: Promise<unknown>[] = [
        site.kill(hour % DAEMONS, DOWN_MS).then(() => (counts.kills += 1)),
        archive.runOnce(hour % 2 === 0 ? '5' : 'none').then((killed) => {
          if (killed) counts.archiveKills += 1;
        }),
      ];
      if (hour % 4 === 1) {
        events.push(failOver(mongod).then(() => (counts.failovers += 1)));
      } else if (hour % 4 === 3) {
        // A mongod writes little: it meets the full disk with a checkpoint, once a minute.
        filling = fillMember(mongod, disk, hourMs * 1.5).then((hasEnded) => {
          counts.full += 1;
          if (hasEnded) counts.ended += 1;
        });
      }
      await Promise.all([over, ...events]);
      // The primary is not killed while the member is away.
      if (hour % 4 === 0) await filling;
      options.progress(`day: hour ${hour + 1} of ${hours}`);
    }
    await filling;
    ending.abort();
    const latencies = await load;
    if (!(await waitForDrain(site.url, DRAIN_MS_MAX))) faults.push('the queue did not drain');
    const entries = await stage.load.ledger();
    const wrong = await untilHeadsMatch(stage, site, entries);
    faults.push(...wrong.map((ref) => `${ref}: no verdict on the head of the host`));
    faults.push(...(await site.stop()));
    // A refused webhook is one without an answer: the sweep finds its push.
    const refused = entries.filter(({ status }) => status === 503).length;
    const asked = entries.map((entry) => (entry.status === 503 ? { ...entry, status: 0 } : entry));
    const check = checkLedger(asked, await readPushes(site.storeUrl));
    faults.push(...check.faults, ...(await flawsOf(site)), ...(await archive.flaws()));
    const rows: Cell[][] = [
      [
        'simulated hours, and real minutes',
        `${hours}, ${((hours * options.seconds) / 60).toFixed(1)}`,
      ],
      ['webhooks sent, with repeats', entries.length],
      ['answered with 200; refused with 503', `${check.acknowledged}; ${refused}`],
      ['without an answer, sent again', entries.length - check.acknowledged - refused],
      ['answer, ms, the largest p99 of 50 webhooks', latencies],
      ['different bodies acknowledged', check.bodies],
      ['RFCs of webhooks in the store', check.rfcs],
      ['RFCs of pushes that a sweep found first', check.swept],
      ['their statuses', JSON.stringify(check.byStatus)],
      ['kill -9 of a daemon', counts.kills],
      ['kill -9 of the primary', counts.failovers],
      ['full disks of a member; it ended itself', `${counts.full}; ${counts.ended}`],
      [
        'archived RFCs; kill -9 of the archiving process',
        `${archive.total}; ${counts.archiveKills}`,
      ],
      ['refs whose head has no verdict', wrong.length],
      ['**faults**', faults.length],
    ];
    return {
      title: 'A day of storm with kills, fail-over, a full disk and the archive at once (MongoDB)',
      facts: [
        `seed ${options.seed}; ${DAEMONS} daemons behind HAProxy, a replica set of ${MEMBERS}, ` +
          `${REPOS} repositories on a host of kind file:///, ${PER_SECOND} webhooks a second; an ` +
          `hour takes ${options.seconds} s`,
        `load average at the end: ${loadavg()[0]?.toFixed(1)}`,
      ],
      tables: [{ columns: ['what', 'number'], rows }],
      notes: [
        'a fault: an acknowledged webhook whose RFC is not in the store, a body with two RFCs, a ' +
          'push that is not final in the end, a ref of the host whose head has no verdict, an old ' +
          'RFC that is not in exactly one place, an archive or an audit trail that does not verify',
        ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      ],
      holds: faults.length === 0,
    };
  } finally {
    await site.close();
    await archive.close();
    await mongod.stop();
    disk.free();
    disk.unmount();
    await stage.close();
  }
}

/** Posts until the signal and until each webhook has an answer; resolves with the worst p99, ms. */
async function postUntil({ load }: Stage, port: number, signal: AbortSignal): Promise<number> {
  let worst = 0;
  for (let call = 0, unanswered = 0; !signal.aborted || unanswered > 0; call += 1) {
    const outcome = await load.storm({
      port,
      name: `day-${call}`,
      count: signal.aborted ? 1 : WEBHOOKS_A_CALL,
      floodedShare: 0.4,
      connections: CONNECTIONS,
      perSecond: PER_SECOND,
      resend: true,
    });
    unanswered = outcome.statuses[0] ?? 0;
    worst = Math.max(worst, outcome.p99Ms);
    // Without a daemon all are cut off at once.
    if (unanswered > 0) await delay(500);
  }
  return worst;
}

async function failOver(mongod: Mongod): Promise<void> {
  const primary = await mongod.primary();
  await primary.kill();
  await delay(DOWN_MS * 2);
  await startAgain(primary);
}

/** A busy machine may need some tries. */
async function startAgain(member: MongodMember): Promise<void> {
  let tries = 0;
  await retry(() => member.start(), { delayMs: () => (++tries < START_TRIES ? 2_000 : null) });
}

/** Resolves with whether the member ended itself. */
async function fillMember({ members }: Mongod, disk: SmallDisk, ms: number): Promise<boolean> {
  const member = members[MEMBERS - 1];
  disk.fill();
  await delay(ms);
  disk.free();
  const hasEnded = member?.pid() === null;
  if (hasEnded && member !== undefined) await startAgain(member);
  return hasEnded;
}

/** Old RFCs, and the processes that archive them. */
async function openArchive(storeUrl: string, root: string) {
  mkdirSync(root, { recursive: true });
  const client = await MongoClient.connect(storeUrl);
  const db = client.db();
  const rfcs = db.collection<ReturnType<typeof newDocument>>('rfcs');
  const entry = fileURLToPath(new URL('archive-child.js', import.meta.url));
  let total = 0;

  async function addOld(): Promise<void> {
    const repo_name = `acme/old-${total / OLD_RFCS_AN_HOUR}`;
    const documents = Array.from({ length: OLD_RFCS_AN_HOUR }, () => {
      const rfc_id = `RFC-OLD-${total++}`;
      const record = sampleRecord({ rfc_id, repo_name, created_at: OLD_AT, updated_at: OLD_AT });
      const text = recordText(record);
      const how = { diff: null, push: null, instance: 'one', nowMs: Date.parse(OLD_AT), lanes: [] };
      // What the trends have not counted yet would stay.
      return { ...newDocument(text, how), trend: { next: text.trend } };
    });
    // A fail-over ends the write: what it wrote is written again, and nothing is archived yet.
    const writes = documents.map((document) => {
      return { replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } };
    });
    const delayMs = () => 1_000;
    await retry(() => rfcs.bulkWrite(writes, { writeConcern: { w: 'majority' } }), { delayMs });
  }

  /** Resolves with whether it killed itself. A fail-over may end it: the next one goes on. */
  async function archiveOnce(killAfter: string): Promise<boolean> {
    const child = spawn(process.execPath, [entry, storeUrl, root, killAfter], { stdio: 'ignore' });
    const [, signal] = await once(child, 'exit');
    return signal === 'SIGKILL';
  }

  return {
    get total() {
      return total;
    },
    async runOnce(killAfter: string): Promise<boolean> {
      await addOld();
      return await archiveOnce(killAfter);
    },
    /** What is in two places, in none, or does not verify. */
    async flaws(): Promise<string[]> {
      await archiveOnce('none');
      const old = { _id: /^RFC-OLD-/ } as object;
      const names = ['rfcs', 'archived'];
      const found = await Promise.all(
        names.map((name) => db.collection(name).find(old).project({ _id: 1 }).toArray()),
      );
      const ids = found.flat().map(({ _id }) => String(_id));
      const faults: string[] = [];
      if (new Set(ids).size !== total)
        faults.push(`${total - new Set(ids).size} old RFCs are lost`);
      if (ids.length !== new Set(ids).size) faults.push('old RFCs are in two places');
      if ((found[1]?.length ?? 0) < total - total / OLD_RFCS_AN_HOUR) {
        faults.push(`${found[1]?.length} of ${total} old RFCs were archived`);
      }
      const key = createCheckpointSigner(new Uint8Array(32).fill(3)).verifierKey;
      const flawed = [...verifyArchive(root, key)].filter(({ flaw }) => flaw !== null);
      return [...faults, ...flawed.map(({ flaw }) => `the archive: ${flaw}`)];
    },
    close: () => client.close(),
  };
}

/** Refs of acknowledged pushes of which no final RFC has the head that the host has. */
async function untilHeadsMatch(stage: Stage, site: Site, entries: readonly Entry[]) {
  const end = performance.now() + HEADS_MS_MAX;
  const client = await MongoClient.connect(site.storeUrl);
  const pushed = new Set(entries.map(({ repo, ref }) => `${stage.field.repos[repo]?.name} ${ref}`));
  try {
    for (;;) {
      const rfcs = client.db().collection('rfcs');
      const isFinal = { 'push.repo': { $exists: true }, status: { $nin: ['DRAFT', 'SUPERSEDED'] } };
      const final = await rfcs.find(isFinal).project({ json: 1 }).toArray();
      const judged = new Set(
        final.map(({ json }) => {
          const { repo_name, ref, commit_sha } = JSON.parse(String(json));
          return `${repo_name} ${ref} ${commit_sha}`;
        }),
      );
      const wrong = stage.field.repos.flatMap(({ name }) =>
        headsOf(join(stage.field.root, `${name}.git`))
          .map(({ ref, sha }) => ({ place: `${name} ${ref}`, sha }))
          .filter(({ place, sha }) => pushed.has(place) && !judged.has(`${place} ${sha}`))
          .map(({ place }) => place),
      );
      if (wrong.length === 0 || performance.now() > end) return wrong;
      await delay(5_000);
    }
  } finally {
    await client.close();
  }
}

function headsOf(dir: string): { ref: string; sha: string }[] {
  const format = '--format=%(refname) %(objectname)';
  const text = execFileSync('git', ['-C', dir, 'for-each-ref', format, 'refs/heads/'], {
    encoding: 'utf8',
  });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [ref = '', sha = ''] = line.split(' ');
      return { ref, sha };
    });
}
