import { createHash } from 'node:crypto';
import { type Collection, Decimal128, type Document, Long } from 'mongodb';
import { CraError } from '../../model/errors.ts';
import {
  COPIED_KINDS,
  type CopiedKind,
  type CopyProgress,
  type CopyRow,
  type CopySide,
} from '../copy.ts';
import { HOUR_MS } from '../usage-sums.ts';
import { auditCollection } from './audit-collection.ts';
import { connectAudit, defaultAuditUrl } from './audit-connection.ts';
import { createDeletedCopy, createFallenCopy, createRepositoryCopy } from './copy-pushes.ts';
import {
  type CopyPlaces,
  createRecordCopies,
  each,
  type KindCopy,
  PAGE_ROWS,
  plain,
} from './copy-records.ts';
import { createEntryCopy, createOperationCopy } from './copy-trail.ts';
import { COPY_MARKER, connectMongo } from './database.ts';
import {
  acceptedCollection,
  decisionOpCollection,
  ensureAcceptedIndexes,
  HOLDING,
} from './decide-steps.ts';
import { packText, unpackText } from './documents.ts';
import { insertMissing } from './operations.ts';
import { rulesCollection } from './rulebook.ts';
import { ensureIndexes } from './schema.ts';

/** The kind that each collection holds. `derived`: made from others; `daemons`: who runs here. */
export const COPIED_COLLECTIONS: Readonly<Record<string, CopiedKind | 'derived' | 'daemons'>> = {
  rfcs: 'rfcs',
  diffs: 'rfcs',
  history_repos: 'historyRepos',
  history_changes: 'historyChanges',
  history_files: 'historyFiles',
  baselines: 'repositories',
  decision_ops: 'operations',
  accepted: 'accepted',
  tasks: 'tasks',
  usage: 'usage',
  usage_hours: 'derived',
  budgets: 'budgets',
  review_calls: 'reviewCalls',
  review_answers: 'reviewAnswers',
  review_queue: 'reviewQueue',
  review_memory: 'reviewMemory',
  rules: 'rules',
  sessions: 'sessions',
  meta: 'daemons',
};

/**
 * Connects to a store in MongoDB and to its trail, to be copied. `auditUrl` null: the server and
 * user of the records. Rejects as `connectMongo` and `connectAudit` do.
 */
export async function openMongoCopy(url: string, auditUrl: string | null): Promise<CopySide> {
  const connection = await connectMongo(url);
  const { db, collections } = connection;
  try {
    const trail = await connectAudit(auditUrl ?? defaultAuditUrl(url, db.databaseName));
    const places: CopyPlaces = {
      ...collections,
      audit: auditCollection(trail.db),
      accepted: acceptedCollection(db),
      operations: decisionOpCollection(db),
      rules: rulesCollection(db),
    };
    await ensureIndexes(collections);
    await ensureAcceptedIndexes(places.accepted);
    return createSide(`mongodb:${connection.place}`, places, async () => {
      await trail.client.close();
      await connection.close();
    });
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

function createSide(place: string, places: CopyPlaces, close: () => Promise<void>): CopySide {
  const kinds = createKinds(places);
  const { meta } = places;
  return {
    place,
    async isEmpty() {
      const { meta: _, ...held } = places;
      for (const collection of Object.values(held)) {
        if ((await collection.findOne({}, { projection: { _id: 1 } })) !== null) return false;
      }
      return true;
    },
    read: (kind, after) => kinds[kind].read(after),
    write: (kind, rows, from) => kinds[kind].write(rows, from),
    finish: () => sumUsage(places),
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
  const { accepted, rfcs, usage, budgets, sessions, rules } = places;
  const { reviewCalls, reviewAnswers, reviewQueue, reviewMemory } = places;
  const holding = async (documents: readonly Document[]) => {
    const ids = [...new Set(documents.map((each) => String(each['rfc_id'])))];
    const filter = { _id: { $in: ids }, deleted: { $ne: true as const } };
    const found = await rfcs.find(filter, { projection: { status: 1 } }).toArray();
    return new Set(found.filter(({ status }) => HOLDING.has(status)).map(({ _id }) => _id));
  };
  const kinds: Partial<Record<CopiedKind, KindCopy>> = {
    ...createRecordCopies(places),
    deletedStatuses: createDeletedCopy(places),
    repositories: createRepositoryCopy(places),
    fallen: createFallenCopy(places),
    entries: createEntryCopy(places),
    operations: createOperationCopy(places),
    // What a crash left behind accepts nothing; elsewhere it would.
    accepted: plain(accepted, {
      async rows(documents) {
        const holds = await holding(documents);
        return documents
          .filter(({ rfc_id }) => holds.has(rfc_id as string))
          .map(({ _id, ...row }) => row as CopyRow);
      },
      document: (row) => ({ _id: `${row['rfc_id']}:${row['fingerprint']}`, ...row }),
    }),
    usage: plain(usage, {
      rows: each(({ _id, ...row }) => ({ usage_id: _id, ...row, ...amounts(row, numberOf) })),
      document: ({ usage_id, ...row }) => ({ _id: usage_id, ...row, ...amounts(row, decimalOf) }),
    }),
    budgets: plain(budgets, {
      rows: each(({ _id, nano_usd }) => ({ scope: _id, nano_usd: Number(nano_usd) })),
      document: ({ scope, nano_usd }) => ({ _id: scope, nano_usd }),
    }),
    reviewCalls: plain(reviewCalls, {
      rows: each(({ _id: call_id, owner, started_ms, reserved_nano_usd, scopes, usage: log }) => ({
        ...{ call_id, owner, started_ms },
        call: JSON.stringify({ call_id, owner, reserved_nano_usd, scopes, usage: log }),
      })),
      document: ({ call_id, started_ms, call }) => ({
        ...{ _id: call_id, ...(JSON.parse(call as string) as object), started_ms },
      }),
    }),
    reviewAnswers: plain(reviewAnswers, {
      rows: each(({ _id, at, json }) => ({ key: _id, at_ms: (at as Date).getTime(), json })),
      document: ({ key, at_ms, json }) => ({ _id: key, at: new Date(Number(at_ms)), json }),
    }),
    reviewQueue: plain(reviewQueue, {
      rows: each(({ _id: review_id, due_ms, tries, json }) => ({ review_id, due_ms, tries, json })),
      document: ({ review_id, ...row }) => ({
        ...{ _id: review_id, ...row, held_until: new Date(0), owner: null },
      }),
    }),
    reviewMemory: createMemoryCopy(reviewMemory),
    rules: plain(rules, {
      // A number without a revision stays behind: it was fenced off.
      rows: async (documents) =>
        Promise.all(
          documents
            .filter(({ entry }) => entry !== undefined)
            .map(async ({ _id, entry, text }) => {
              return { number: _id, entry, text: await unpackText(text, 'rules') } as CopyRow;
            }),
        ),
      document: async ({ number, entry, text }) => ({
        ...{ _id: number, op_id: `copy:${number}`, entry },
        text: await packText(text as string, 'the rules'),
      }),
    }),
    sessions: plain(sessions, {
      rows: each(({ _id, ends, ...row }) => ({ session_id: _id, ...row })),
      document: ({ session_id, ...row }) => ({
        ...{ _id: session_id, ...row, ends: new Date(String(row['expires_at'])) },
      }),
    }),
  };
  const all = COPIED_KINDS.map((kind) => {
    const copy = kinds[kind];
    if (copy === undefined) throw new CraError('INTERNAL', `nothing copies ${kind}`);
    return [kind, copy] as const;
  });
  return Object.fromEntries(all) as Record<CopiedKind, KindCopy>;
}

/** What blocked changes; its ids are documents. */
function createMemoryCopy(reviewMemory: CopyPlaces['reviewMemory']): KindCopy {
  const fields = ['tenant_id', 'repo_key', 'line_key', 'kind'] as const;
  const idOf = (values: readonly unknown[]) =>
    Object.fromEntries(fields.map((name, at) => [name, values[at]]));
  return {
    async read(after) {
      const filter = after === null ? {} : { _id: { $gt: idOf([after].flat()) as never } };
      const found = await reviewMemory.find(filter).sort({ _id: 1 }).limit(PAGE_ROWS).toArray();
      const rows = found.map(({ _id, at, json }) => ({ ..._id, at_ms: at.getTime(), json }));
      const last = found.length < PAGE_ROWS ? undefined : found.at(-1)?._id;
      return { rows, next: last === undefined ? null : fields.map((name) => last[name]) };
    },
    async write(copied) {
      const documents = copied.map((row) => ({
        _id: idOf(fields.map((name) => row[name])),
        ...{ at: new Date(Number(row['at_ms'])), json: row['json'] },
      }));
      await insertMissing(reviewMemory, documents);
    },
  };
}

const AMOUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'cost_nano_usd',
] as const;

function amounts(row: Document, map: (value: unknown) => unknown): Document {
  return Object.fromEntries(AMOUNTS.map((name) => [name, map(row[name])]));
}

/** Below 2^53, as usage of one call is bounded. */
function numberOf(value: unknown): number {
  return Number(String(value));
}

function decimalOf(value: unknown): Decimal128 {
  return Decimal128.fromString(String(value));
}

/** Sums of usage by hour, provider and model: one document of each. */
async function sumUsage({ usage, usageHours }: CopyPlaces): Promise<void> {
  await usageHours.deleteMany({});
  const hour = { $toLong: { $floor: { $divide: ['$at_ms', HOUR_MS] } } };
  const place = { tenant_id: '$tenant_id', hour, provider: '$provider', model: '$model' };
  const sums = Object.fromEntries(AMOUNTS.map((name) => [name, { $sum: `$${name}` }]));
  const groups = usage.aggregate<Document>(
    [{ $group: { _id: place, calls: { $sum: 1 }, ...sums } }],
    { allowDiskUse: true },
  );
  let batch: Document[] = [];
  const flush = async () => {
    if (batch.length > 0) await insertMissing(usageHours as unknown as Collection<Document>, batch);
    batch = [];
  };
  for await (const { _id, calls, ...group } of groups) {
    const { tenant_id, hour: at, provider, model } = _id as Document;
    const hours = Long.isLong(at) ? at.toNumber() : Number(at);
    const name = JSON.stringify(['copy', tenant_id, hours, provider, model]);
    const id = createHash('sha256').update(name).digest('hex');
    batch.push({ _id: id, tenant_id, hour: hours, provider, model, calls, ...group });
    if (batch.length === PAGE_ROWS) await flush();
  }
  await flush();
}
