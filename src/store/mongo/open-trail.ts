import type { Db, MongoClient } from 'mongodb';
import { type CheckpointSigner, createCheckpointVerifier } from '../../audit/checkpoint.ts';
import { acceptGap, findGap, type StoredTrail } from '../../audit/continuity.ts';
import { createRounds, type Rounds } from '../../core/rounds.ts';
import type { AuditStatus, DecisionState } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type { Writer } from '../../rpc/service.ts';
import type { EventLane } from '../contract/events.ts';
import type { CompletePushInput } from '../contract/pushes.ts';
import type { Rulebook } from '../contract/store.ts';
import type { TrailReader, TrailWriter } from '../contract/trail.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import { createEntryProofs } from '../proofs.ts';
import { bootEvent, createTrailGate, newChainName, type TrailGate } from '../trail.ts';
import { defaultAuditUrl, STORE_DATABASE } from './address.ts';
import { auditCollection, createTrailList } from './audit-collection.ts';
import { connectAudit, openDatabase } from './audit-connection.ts';
import {
  type Appender,
  type Checkpoints,
  type Clock,
  createAppender,
  createCheckpoints,
} from './audit-log.ts';
import { createMongoAuditSource, readOtherChains } from './audit-source.ts';
import { decisionCollections } from './database.ts';
import { createDecisionSteps, settle } from './decide.ts';
import { createDecideSteps, type DecidePlaces, type DecideSteps } from './decide-steps.ts';
import { createIntentWatch, createReconciler, type IntentWatch } from './intents.ts';
import { bounded, createFreshRead, failRead, readFailure, reasonOf } from './operations.ts';
import { createRulesChange } from './rulebook.ts';
import { ensureAcceptedIndexes } from './schema.ts';
import { createTrailReader, createTrailWriter } from './trail.ts';
import {
  createFillGauge,
  evictionIn,
  type FillGauge,
  findOldest,
  type Level,
  type OldestEntry,
  readLevel,
} from './worm-level.ts';

export interface MongoTrailOptions {
  /** Database of the records, on the connection of the store. */
  records: Db;
  /** Connection string of the trail (`defaultAuditUrl` makes one of the store's). */
  auditUrl: string;
  signer: CheckpointSigner;
  /** Of the daemon, for the first entry of its chain. */
  version: string;
  /** Names this daemon across restarts, and no other: by it, it knows its former chains. */
  instance: string;
  clock: Clock;
  /** Subscriptions to events. */
  lanes?: readonly EventLane[];
  /** The checkpoint that was kept last; null: it is absent. */
  keptNote: string | null;
  /**
   * Called with each checkpoint, but while the trail lacks entries; copied off the machine it
   * proves what was there.
   */
  onNote(note: string): void;
  /** Looks for overdue intents only on `reconcile`. Else at the start and regularly. */
  isPassive?: boolean;
  /** Test only: stands between decisions and their steps. */
  wrapSteps?(steps: DecideSteps): DecideSteps;
}

/** The trail and the decisions of one daemon on MongoDB. */
export interface MongoTrail {
  /** The trail as it is stored, and the chain of this boot. */
  source: StoredTrail;
  chain: string;
  writer: TrailWriter;
  reader: TrailReader;
  /** Accepts the gap in the trail, as an entry of it (see `acceptGap`). */
  acceptGap(requested: { chain: string; actor: string; reason: string }): Promise<void>;
  gate: TrailGate;
  /** Changes the rules, with its audit entries. */
  addRules: Writer<typeof Rulebook>['addRules'];
  /** `completePush`, but for the history of the repository. */
  completePush(input: CompletePushInput): Promise<{ rev: number }>;
  /** Looks once for overdue intents and settles them; returns their number. */
  reconcile(): Promise<number>;
  /** Writes the last checkpoint and closes the connection to the trail. */
  close(): Promise<void>;
}

/**
 * Connects to the trail, begins a chain, and settles what this daemon left open when it was here
 * last. Rejects with a sentence for the operator: UNAVAILABLE when the database does not answer
 * or does not take the first entry, FAILED_PRECONDITION when the trail does not exist.
 */
export async function createMongoTrail(options: MongoTrailOptions): Promise<MongoTrail> {
  const { records, auditUrl } = options;
  const connection = await connectAudit(auditUrl);
  try {
    return await start(options, {
      client: connection.client,
      auditDb: connection.db,
      audit: auditCollection(connection.db),
      ...decisionCollections(records),
      diffs: records.collection('diffs'),
      tasks: records.collection('tasks'),
      fresh: createFreshRead(records),
    });
  } catch (thrown) {
    await connection.client.close();
    throw readFailure(thrown);
  }
}

/** The same with a connection of its own to the records, for a command beside the daemons. */
export async function connectMongoTrail(
  { url, auditUrl }: { url: string; auditUrl: string | null },
  options: Omit<MongoTrailOptions, 'records' | 'auditUrl'>,
): Promise<MongoTrail> {
  const { client, db } = await openDatabase(url, STORE_DATABASE);
  try {
    const place = auditUrl ?? defaultAuditUrl(url, db.databaseName);
    const trail = await createMongoTrail({ ...options, records: db, auditUrl: place });
    return { ...trail, close: () => trail.close().finally(() => client.close()) };
  } catch (thrown) {
    await client.close();
    throw thrown;
  }
}

interface Places extends DecidePlaces {
  client: MongoClient;
  auditDb: Db;
}

/** The state that the methods share; problems are kept apart by the check that finds them. */
interface Running {
  appender: Appender;
  gauge: FillGauge;
  checkpoints: Checkpoints;
  watch: IntentWatch;
  level: Level;
  lost: string[];
  oldest: OldestEntry | null;
  evicted: string | null;
  gate: TrailGate;
  unreadable: string | null;
}

async function start(options: MongoTrailOptions, places: Places): Promise<MongoTrail> {
  const { records, clock, signer, onNote } = options;
  const { audit, auditDb } = places;
  await ensureAcceptedIndexes(places);
  const others = await readOtherChains(audit, options.instance);
  const oldest = await findOldest(audit);
  const source = createMongoAuditSource(audit, async () => records);
  const kept = { note: options.keptNote, open: createCheckpointVerifier(signer.verifierKey) };
  const gate = createTrailGate(() => findGap(source, kept));

  const appender = createAppender({
    database: auditDb,
    chain: newChainName(clock.now()),
    clock,
    onWritten: () => running.checkpoints.notice(),
  });
  const running: Running = {
    appender,
    gauge: await createFillGauge(audit, () => appender.bytesWritten),
    checkpoints: createCheckpoints({
      appender,
      signer,
      now: clock.now,
      onNote: (note) => gate.state === 'open' && onNote(note),
    }),
    watch: createIntentWatch(audit, clock.mono),
    level: await readLevel(auditDb, records),
    lost: others.problems,
    oldest,
    evicted: evictionIn(oldest, null),
    gate,
    unreadable: null,
  };
  await boot(appender, options, others.unnamed);

  const inner = createDecideSteps(places, appender, clock.now, options.lanes);
  const steps = options.wrapSteps?.(inner) ?? inner;
  const isFull = () => running.gauge.isFull;
  const decisions = createDecisionSteps(steps, isFull);
  const rules = createRulesChange(places.rules, { append: steps.append, isFull });
  const newestMs = others.newestMs ?? clock.now();
  const reconcile = createReconciler({
    readOperations: steps.readOperations,
    settle: (intent) =>
      intent.kind === 'rules' ? rules.settle(intent.entry) : settle(steps, intent),
    watch: running.watch,
    serverNow: () => serverNow(auditDb),
    mono: clock.mono,
    former: others.former,
    firstSinceMs: newestMs - MONGO_TRAIL.INTENTS_WINDOW_MS,
  });
  const checked = gate.check();
  const rounds = startRounds(options, places, running, reconcile);
  return {
    writer: createTrailWriter({
      decisions,
      gate,
      append: appender.append,
      isFull,
      prove: createEntryProofs({
        source,
        signer,
        chain: () => appender.state.chain,
        seal: running.checkpoints.seal,
      }),
      status: () => statusOf(running, clock),
      state: () => decisionState(running),
    }),
    reader: createTrailReader(places, createTrailList(audit, records)),
    addRules: rules.add,
    source,
    chain: appender.state.chain,
    completePush: (input) => decisions.completePush(input).catch(failRead),
    reconcile,
    gate,
    async acceptGap(requested) {
      await acceptGap(source, kept, requested, async (events) => {
        for (const event of events) await appender.append(event, TRAIL.DECIDE_DEADLINE_MS);
      });
      await gate.check();
    },
    async close() {
      await checked;
      await rounds.stop();
      await running.checkpoints.close();
      await appender.close(MONGO_TRAIL.CLOSE_WAIT_MS);
      await places.client.close();
    },
  };
}

async function boot(
  appender: Appender,
  { version, instance }: MongoTrailOptions,
  heads: Parameters<typeof bootEvent>[2],
): Promise<void> {
  const event = bootEvent(appender.state.chain, version, heads);
  const details = { ...event.details, instance };
  try {
    await appender.append({ ...event, details }, TRAIL.DECIDE_DEADLINE_MS);
  } catch (thrown) {
    const reason = appender.trouble ?? reasonOf(thrown);
    const message = `the audit trail does not take the first entry: ${reason}`;
    throw new CraError('UNAVAILABLE', message, { cause: thrown });
  }
}

function startRounds(
  options: MongoTrailOptions,
  { audit, auditDb }: Places,
  running: Running,
  reconcile: () => Promise<number>,
): Rounds {
  const onRound = (thrown: unknown) => {
    running.unreadable = thrown === null ? null : `the trail cannot be read: ${reasonOf(thrown)}`;
  };
  const rounds = createRounds(onRound);
  const every = (intervalMs: number, run: () => Promise<unknown>) =>
    rounds.every(intervalMs, () => bounded(run(), MONGO_TRAIL.ROUND_MS));
  every(MONGO_TRAIL.FILL_INTERVAL_MS, async () => {
    await running.gauge.refresh();
    const oldest = await findOldest(audit);
    running.evicted ??= evictionIn(oldest, running.oldest);
    running.oldest ??= oldest;
  });
  every(MONGO_TRAIL.LEVEL_INTERVAL_MS, async () => {
    running.level = await readLevel(auditDb, options.records);
  });
  if (options.isPassive !== true) every(MONGO_TRAIL.RECONCILE_INTERVAL_MS, reconcile);
  // Until an administrator has accepted what the trail lacks, or the database answers again.
  every(MONGO_TRAIL.RECONCILE_INTERVAL_MS, async () => {
    if (running.gate.state === 'refused') await running.gate.check();
  });
  return rounds;
}

/** The hello command needs no privilege and returns the server's time. */
async function serverNow(database: Db): Promise<number> {
  const hello = await database.admin().command({ hello: 1 });
  return (hello['localTime'] as Date).getTime();
}

function decisionState({ appender, unreadable, gauge, gate }: Running): DecisionState {
  const { trouble } = appender;
  const isDown = trouble !== null || unreadable !== null;
  const reasons = [
    trouble === null ? null : `the trail does not take entries: ${trouble}`,
    unreadable,
    ...(gauge.isFull ? gauge.problems() : []),
    gate.problem,
  ];
  return {
    state: isDown ? 'down' : gauge.isFull ? 'full' : gate.state === 'open' ? 'up' : gate.state,
    reasons: reasons.filter((reason) => reason !== null),
  };
}

async function statusOf(running: Running, clock: Clock): Promise<AuditStatus> {
  const { appender, gauge, checkpoints, watch, level } = running;
  const sinceMs = clock.now() - MONGO_TRAIL.INTENTS_WINDOW_SHORT_MS;
  const open = await watch.look(sinceMs).catch((thrown: unknown) => {
    running.unreadable = `the trail cannot be read: ${reasonOf(thrown)}`;
    return [];
  });
  const { state, reasons } = decisionState(running);
  const sentences = [
    ...reasons,
    ...(gauge.isFull ? [] : gauge.problems()),
    running.evicted,
    ...running.lost,
    ...level.problems,
  ];
  return {
    worm: level.worm,
    problems: sentences.filter((sentence) => sentence !== null),
    state,
    chain: appender.state.chain,
    seq: appender.state.size,
    bytes: gauge.room.bytes,
    bytes_max: gauge.room.bytesMax,
    last_checkpoint: checkpoints.last,
    open_intents: open.length,
    missing_entries: 0,
    segments: null,
  };
}
