import { createHash } from 'node:crypto';
import { type Document, Long } from 'mongodb';
import type { AuditEntry } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { HOUR_MS, USAGE_AMOUNTS } from '../../model/usage.ts';
import {
  COPY_PAGE,
  type CopiedKind,
  type CopyPage,
  type CopyProgress,
  type CopyRow,
  type CopySide,
  picked,
} from '../copy.ts';
import { holdingAmong } from './accepted.ts';
import { defaultAuditUrl } from './address.ts';
import { countAgentPlaces } from './agent-places.ts';
import { type AuditDocument, auditCollection, auditDocument } from './audit-collection.ts';
import { connectAudit } from './audit-connection.ts';
import {
  type CopyPlaces,
  createDeletedCopy,
  createRefusalCopy,
  createRepositoryCopy,
  createRevocationCopy,
  createRfcCopy,
  createTaskCopy,
  type KindCopy,
  type PlainPlaces,
  plainCopy,
} from './copy-records.ts';
import { COPY_MARKER, connectMongo, decisionCollections } from './database.ts';
import { type AcceptedDocument, packText, unpackText } from './documents.ts';
import { movePending } from './events.ts';
import { outputOf, readIntent } from './intents.ts';
import { insertMissing } from './operations.ts';
import { diffDaysOf, ensureAcceptedIndexes, ensureIndexes, keepDiffs } from './schema.ts';

/** The kind that each collection holds. `derived`: made from others; `daemons`: who runs here. */
export const COPIED_COLLECTIONS: Readonly<Record<string, CopiedKind | 'derived' | 'daemons'>> = {
  rfcs: 'rfcs',
  diffs: 'rfcs',
  baselines: 'repositories',
  decision_ops: 'operations',
  accepted: 'accepted',
  tasks: 'tasks',
  usage: 'usage',
  usage_hours: 'derived',
  budgets: 'budgets',
  review_calls: 'reviewCalls',
  review_answers: 'reviewAnswers',
  reports: 'reports',
  review_queue: 'reviewQueue',
  review_memory: 'reviewMemory',
  rules: 'rules',
  sessions: 'sessions',
  deploy_reports: 'deployReports',
  score_curves: 'scoreCurves',
  archived: 'archived',
  events: 'events',
  // Records that are copied are not counted yet: the first daemon does so.
  trends: 'derived',
  trend_marks: 'derived',
  trail_places: 'derived',
  agent_overrides: 'derived',
  meta: 'daemons',
};

/**
 * Connects to a store in MongoDB and to its trail, to be copied. `auditUrl` null: the server and
 * user of the records. A source deletes diffs as before; a target deletes no diff until a daemon
 * starts, with its setting. Rejects as `connectMongo` and `connectAudit` do.
 */
export async function openMongoCopy(url: string, auditUrl: string | null): Promise<CopySide> {
  const connection = await connectMongo(url);
  const { db, collections } = connection;
  try {
    const trail = await connectAudit(auditUrl ?? defaultAuditUrl(url, db.databaseName));
    const places: CopyPlaces = {
      ...collections,
      ...decisionCollections(db),
      audit: auditCollection(trail.db),
    };
    await ensureIndexes(db, collections, null);
    await ensureAcceptedIndexes(places);
    const side = { place: `mongodb:${connection.place}`, diffDays: await diffDaysOf(collections) };
    return createSide(side, places, async () => {
      await trail.client.close();
      await connection.close();
    });
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

function createSide(
  side: Pick<CopySide, 'place' | 'diffDays'>,
  places: CopyPlaces,
  close: () => Promise<void>,
): CopySide {
  const kinds = createKinds(places);
  const { meta } = places;
  return {
    ...side,
    async isEmpty() {
      const { meta: _, ...held } = places;
      for (const collection of Object.values(held)) {
        if ((await collection.findOne({}, { projection: { _id: 1 } })) !== null) return false;
      }
      return true;
    },
    read: (kind, after) => kinds[kind].read(after),
    write: (kind, rows, from) => kinds[kind].write(rows, from),
    begin: () => keepDiffs(places),
    async finish() {
      await sumUsage(places);
      await countAgentPlaces(places.agentPlaces, places.audit);
    },
    async loadProgress() {
      const found = await meta.findOne(COPY_MARKER);
      return found === null ? null : (JSON.parse(String(found['progress'])) as CopyProgress);
    },
    async saveProgress(progress) {
      if (progress === null) await meta.deleteOne(COPY_MARKER);
      else {
        const change = { $set: { progress: JSON.stringify(progress) } };
        await meta.updateOne(COPY_MARKER, change, { upsert: true });
      }
    },
    close,
  };
}

function createKinds(places: CopyPlaces): Record<CopiedKind, KindCopy> {
  const plain = places as unknown as PlainPlaces;
  return {
    rfcs: createRfcCopy(places, plain),
    deletedStatuses: createDeletedCopy(places, plain),
    deletedRefusals: createRefusalCopy(places, plain),
    repositories: createRepositoryCopy(plain),
    fallen: createRevocationCopy(places),
    entries: createEntryCopy(places),
    operations: createOperationCopy(places, plain),
    accepted: plainCopy('accepted', plain.accepted, {
      id: ({ rfc_id, fingerprint }) => `${rfc_id}:${fingerprint}`,
      // What a crash left behind accepts nothing; elsewhere it would.
      async kept(documents) {
        const holds = await holdingAmong(places.records, documents as AcceptedDocument[]);
        return documents.filter((document) => holds.has(String(document['rfc_id'])));
      },
    }),
    tasks: createTaskCopy(plain),
    usage: plainCopy('usage', plain.usage, { decimals: USAGE_AMOUNTS }),
    budgets: plainCopy('budgets', plain.budgets),
    reviewCalls: plainCopy('reviewCalls', plain.reviewCalls, {
      row: ({ call_id, owner, started_ms, reserved_nano_usd, scopes, usage }) => {
        const call = JSON.stringify({ call_id, owner, reserved_nano_usd, scopes, usage });
        return { call_id, owner, started_ms, call };
      },
      document: ({ call_id, started_ms, call }) => {
        return { _id: call_id, ...(JSON.parse(String(call)) as object), started_ms };
      },
    }),
    reviewAnswers: plainCopy('reviewAnswers', plain.reviewAnswers, { dates: { at_ms: 'at' } }),
    // No daemon holds a review any more.
    reviewQueue: plainCopy('reviewQueue', plain.reviewQueue, {
      added: () => ({ held_until: new Date(0), owner: null }),
    }),
    reviewMemory: plainCopy('reviewMemory', plain.reviewMemory, { dates: { at_ms: 'at' } }),
    reports: plainCopy('reports', plain.reports, { dates: { at_ms: 'at' } }),
    rules: plainCopy('rules', plain.rules, {
      // A number without a revision stays behind: it was fenced off.
      kept: async (documents) => documents.filter(({ entry }) => entry !== undefined),
      row: async ({ _id, entry, text }) => {
        return { number: _id, entry, text: await unpackText(text, 'rules') };
      },
      document: async ({ number, entry, text }) => {
        const packed = await packText(String(text), 'the rules');
        return { _id: number, op_id: `copy:${number}`, entry, text: packed };
      },
    }),
    sessions: plainCopy('sessions', plain.sessions, {
      added: ({ expires_at }) => ({ ends: new Date(String(expires_at)) }),
    }),
    deployReports: plainCopy('deployReports', plain.deployReports),
    scoreCurves: plainCopy('scoreCurves', plain.scoreCurves),
    archived: plainCopy('archived', plain.archived),
    events: createEventCopy(places, plain),
  };
}

/** Events, also events that still stand in the documents of their RFCs. */
function createEventCopy(places: CopyPlaces, plain: PlainPlaces): KindCopy {
  const { read, write } = plainCopy('events', plain.events, { dates: { at_ms: 'at' } });
  return {
    async read(after) {
      while (after === null && (await movePending(places)) > 0);
      return await read(after);
    },
    write,
  };
}

/** Sums of usage by hour, provider and model: one document of each. */
async function sumUsage({ usage, usageHours }: CopyPlaces): Promise<void> {
  await usageHours.deleteMany({});
  const hour = { $toLong: { $floor: { $divide: ['$at_ms', HOUR_MS] } } };
  const place = { tenant_id: '$tenant_id', hour, provider: '$provider', model: '$model' };
  const sums = Object.fromEntries(USAGE_AMOUNTS.map((name) => [name, { $sum: `$${name}` }]));
  const groups = usage.aggregate<Document>(
    [{ $group: { _id: place, calls: { $sum: 1 }, ...sums } }],
    { allowDiskUse: true },
  );
  let batch: Document[] = [];
  const flush = async () => {
    await insertMissing(usageHours, batch);
    batch = [];
  };
  for await (const { _id, calls, ...group } of groups) {
    const { tenant_id, hour: at, provider, model } = _id as Document;
    const hours = Long.isLong(at) ? at.toNumber() : Number(at);
    const name = JSON.stringify(['copy', tenant_id, hours, provider, model]);
    const id = createHash('sha256').update(name).digest('hex');
    batch.push({ _id: id, tenant_id, hour: hours, provider, model, calls, ...group });
    if (batch.length === COPY_PAGE.ROWS) await flush();
  }
  await flush();
}

/** Entries of the trail, chain by chain, the oldest first: the texts as they were written. */
function createEntryCopy({ audit }: CopyPlaces): KindCopy {
  return {
    async read(after): Promise<CopyPage> {
      const chains = (await audit.distinct('chain')).sort();
      let [chain, seq] = (after ?? [chains[0] ?? '', 0]) as [string, number];
      const rows: CopyRow[] = [];
      for (const name of chains.slice(Math.max(0, chains.indexOf(chain)))) {
        const found = await audit
          .find({ chain: name, seq: { $gt: name === chain ? seq : 0 } })
          .sort({ seq: 1 })
          .limit(COPY_PAGE.ROWS - rows.length)
          .toArray();
        rows.push(...found.map(({ entry }) => ({ entry })));
        seq = found.at(-1)?.seq ?? (name === chain ? seq : 0);
        chain = name;
        if (rows.length === COPY_PAGE.ROWS) return { rows, next: [chain, seq] };
      }
      return { rows, next: null };
    },
    async write(copied) {
      const texts = copied.map(({ entry }) => String(entry));
      const documents = texts.map((text) => auditDocument(JSON.parse(text) as AuditEntry, text));
      await insertMissing(audit, documents);
    },
  };
}

/**
 * What was answered to decisions, for repeats with their op_id. Here the trail says so, but for
 * decisions that were made in another store, which have documents.
 */
function createOperationCopy({ audit, operations }: CopyPlaces, plain: PlainPlaces): KindCopy {
  async function readCopied(after: string): Promise<CopyPage> {
    const filter = { _id: { $gt: after } };
    const found = await operations.find(filter).sort({ _id: 1 }).limit(COPY_PAGE.ROWS).toArray();
    const rows = found.map(({ _id: op_id, ...row }) => ({ op_id, ...row }));
    const last = found.length < COPY_PAGE.ROWS ? undefined : found.at(-1);
    return { rows, next: last === undefined ? ['made', 0, ''] : ['copied', last._id] };
  }

  async function readMade(afterMs: number, afterId: string): Promise<CopyPage> {
    const ts = new Date(afterMs);
    const behind =
      afterId === '' ? {} : { $or: [{ ts: { $gt: ts } }, { ts, op_id: { $gt: afterId } }] };
    const intents = await audit
      .find({ slot: 'intent', ...behind }, { hint: 'intents' })
      .sort({ ts: 1, op_id: 1 })
      .limit(COPY_PAGE.ROWS)
      .toArray();
    const rows = await answersOf(intents);
    const last = intents.length < COPY_PAGE.ROWS ? undefined : intents.at(-1);
    const next = last === undefined ? null : (['made', last.ts.getTime(), last.op_id] as const);
    return { rows, next };
  }

  async function answersOf(intents: readonly AuditDocument[]): Promise<CopyRow[]> {
    const names = intents.map(({ op_id }) => op_id);
    const bases = names.map((name) => name.replace(RETRY, ''));
    const found = await audit
      .find({ op_id: { $in: [...names, ...bases] }, slot: 'outcome' })
      .toArray();
    const outcomes = new Map(found.map((each) => [each.op_id, each]));
    const copied = await operations
      .find({ _id: { $in: bases } })
      .map(({ _id }) => _id)
      .toArray();
    return intents.flatMap(({ op_id, entry }, index) => {
      const outcome = outcomes.get(op_id);
      if (outcome === undefined) throw unsettled(op_id);
      const base = bases[index] ?? op_id;
      const requested = outcomes.get(base)?.phase === 'aborted' ? base : op_id;
      const isDecision = 'request_hash' in (JSON.parse(entry) as AuditEntry).details;
      if (outcome.phase !== 'done' || !isDecision || copied.includes(requested)) return [];
      const intent = readIntent(entry);
      const { chain, seq } = outcome;
      const output = { ...outputOf(intent, { chain, seq }), replayed: false };
      return {
        op_id: requested,
        ...picked(intent, ['tenant_id', 'rfc_id', 'request_hash']),
        output: JSON.stringify(output),
      };
    });
  }

  return {
    read(after) {
      const [part, place, id] = (after ?? ['copied', '']) as [
        'copied' | 'made',
        string | number,
        string,
      ];
      return part === 'copied' ? readCopied(String(place)) : readMade(Number(place), id);
    },
    write: plainCopy('operations', plain.operations).write,
  };
}

/** How a further attempt of an operation is called, behind the op_id that was given. */
const RETRY = /\.[2-9]$/;

function unsettled(opId: string): CraError {
  const message = `decision ${opId} has no outcome yet: start the daemon once, which settles it, and stop it`;
  return new CraError('FAILED_PRECONDITION', message);
}
