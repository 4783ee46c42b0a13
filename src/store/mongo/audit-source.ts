import type { Db, MongoClient } from 'mongodb';
import { leafHash } from '../../audit/chain.ts';
import type { DecisionScope, StoredTrail } from '../../audit/continuity.ts';
import { createRowCheck, type EntryRow } from '../../audit/records-check.ts';
import type { UndocumentedDecision } from '../../audit/verify.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import { type BootFacts, bootFacts, type ChainHead, headKey } from '../trail.ts';
import { databaseOf, defaultAuditUrl, STORE_DATABASE } from './address.ts';
import { type AuditCollection, auditCollection } from './audit-collection.ts';
import { openAuditDatabase, openDatabase } from './audit-connection.ts';
import { createStoredRecords } from './audit-records.ts';
import { type DecisionCollections, decisionCollections } from './database.ts';
import { decisionsIn } from './decide-record.ts';
import { batchesOf, failRead } from './operations.ts';

const FIRST_PAGE = 2;

/** Op_ids that are looked up in the trail at once. */
const LOOKED_UP = 200;

/**
 * Opens the trail of a store for reading: `find` is all that its user needs. The records are opened
 * when RFCs are to be compared with the trail.
 */
export async function openMongoAuditSource({
  url,
  auditUrl,
}: {
  url: string;
  auditUrl: string | null;
}): Promise<StoredTrail> {
  const trail = await openAuditDatabase(
    auditUrl ?? defaultAuditUrl(url, databaseOf(url, STORE_DATABASE)),
  );
  const opened: MongoClient[] = [trail.client];
  const audit = auditCollection(trail.db);
  let records: Promise<Db> | null = null;
  async function openOnce(): Promise<Db> {
    const { client, db } = await openDatabase(url, STORE_DATABASE);
    opened.push(client);
    return db;
  }
  const openRecords = () => {
    records ??= openOnce();
    return records;
  };
  return {
    ...createMongoAuditSource(audit, openRecords),
    async close() {
      for (const client of opened) await client.close();
    },
  };
}

const SHOWN = { _id: 0, chain: 1, seq: 1, op_id: 1, phase: 1, kind: 1, ts: 1, entry: 1 } as const;

/** Reads a trail on open connections; `close` leaves them open. */
export function createMongoAuditSource(
  audit: AuditCollection,
  openRecords: () => Promise<Db>,
): StoredTrail {
  const rows = createRowCheck();

  async function* behind(chain: string, start: number): AsyncGenerator<string> {
    let last = start;
    // The first page is small: `readBoots` wants the first entries of every chain only.
    for (let limit = FIRST_PAGE; ; limit = TRAIL.READ_PAGE) {
      // A page for itself, so that a slow reader loses no cursor.
      const page = await audit
        .find({ chain, seq: { $gt: last } })
        .project<Omit<EntryRow, 'ts'> & { ts: Date }>(SHOWN)
        .sort({ seq: 1 })
        .limit(limit)
        .toArray()
        .catch(failRead);
      for (const { ts, ...row } of page) {
        rows.look({ ...row, ts: new Date(ts).toJSON() });
        yield row.entry;
      }
      const newest = page.at(-1);
      if (newest === undefined) return;
      last = newest.seq;
    }
  }

  return {
    async chains() {
      // The names begin with the time of the boot.
      const names = await audit.distinct('chain').catch(failRead);
      return names.sort();
    },
    entries: (chain) => behind(chain, 0),
    entriesFrom: (chain, seq) => behind(chain, seq - 1),
    async head(chain) {
      const newest = { sort: { seq: -1 }, projection: { seq: 1, entry: 1 } } as const;
      const found = await audit.findOne({ chain }, newest).catch(failRead);
      return found && { seq: found.seq, hash: leafHash(found.entry).toString('hex') };
    },
    async *entriesNamed(kind) {
      const named = { op_id: { $gte: `${kind}:`, $lt: `${kind};` } };
      const found = await audit.find(named).sort({ op_id: 1 }).toArray().catch(failRead);
      for (const { entry } of found) yield entry;
    },
    async *undocumented(scope) {
      try {
        const records = decisionCollections(await openRecords()).records;
        for await (const decisions of batchesOf(decided(records, scope), LOOKED_UP)) {
          yield* await withoutEntry(audit, decisions);
        }
      } catch (thrown) {
        failRead(thrown);
      }
    },
    records: { ...createStoredRecords(audit, openRecords), rowFaults: () => rows.faults },
    close: () => Promise.resolve(),
  };
}

async function* decided(
  records: DecisionCollections['records'],
  scope: DecisionScope,
): AsyncGenerator<UndocumentedDecision> {
  if (scope.kind === 'newest') {
    const since = new Date(
      scope.sinceMs === null ? 0 : scope.sinceMs - MONGO_TRAIL.CLOCK_DIFFERENCE_MS,
    );
    const newest = records
      .find({ 'decided.at': { $gte: since } }, { projection: { decided: 1 } })
      .sort({ 'decided.at': -1 })
      .hint('decided')
      .limit(MONGO_TRAIL.DECIDED_COMPARED_MAX);
    for await (const { _id: rfcId, decided: by } of newest) {
      if (by !== undefined) yield { rfcId, opId: by.op };
    }
    return;
  }
  const every = records.find({ json: { $exists: true } }, { projection: { json: 1 } });
  for await (const { _id: rfcId, json = '' } of every) {
    for (const opId of opIdsIn(json)) yield { rfcId, opId };
  }
}

/** A record that is damaged shows no decision. */
function opIdsIn(json: string): string[] {
  try {
    return decisionsIn(json);
  } catch {
    return [];
  }
}

async function withoutEntry(
  audit: AuditCollection,
  decisions: readonly UndocumentedDecision[],
): Promise<UndocumentedDecision[]> {
  const opIds = decisions.map(({ opId }) => opId);
  const known = new Set<string>();
  const entries = audit
    .find({ op_id: { $in: opIds }, slot: { $in: ['intent', 'whole'] } })
    .project<{ op_id: string }>({ _id: 0, op_id: 1 });
  for await (const { op_id } of entries) known.add(op_id);
  return decisions.filter(({ opId }) => !known.has(opId));
}

/** What a new chain has to know of the others. */
export interface OtherChains {
  /** Heads that no boot entry names yet, heads of the oldest chains first. */
  unnamed: ChainHead[];
  /** Former chains of this daemon, by their boot entries: they are not written any more. */
  former: ReadonlySet<string>;
  /** Time of the newest entry, ms since the epoch; null: it is absent. */
  newestMs: number | null;
  /** Sentences about what should be there and is not. */
  problems: string[];
}

/** Reads the heads and the first entries of all chains: two look-ups for each. */
export async function readOtherChains(
  audit: AuditCollection,
  instance: string,
): Promise<OtherChains> {
  const heads = await readHeads(audit);
  const boots = await readBoots(audit, [...heads.keys()]);
  const named = new Set<string>();
  const former = new Set<string>();
  const gone = new Set<string>();
  for (const [chain, boot] of boots) {
    if (boot.instance === instance) former.add(chain);
    for (const head of boot.heads) {
      named.add(headKey(head));
      if ((heads.get(head.chain)?.seq ?? 0) < head.seq) gone.add(head.chain);
    }
  }
  const known = [...heads.values()];
  const beheaded = known.filter(({ chain }) => !boots.has(chain)).map(({ chain }) => chain);
  return {
    unnamed: known.filter((head) => !named.has(headKey(head))).slice(0, TRAIL.HEADS_NAMED_MAX),
    former,
    newestMs: known.length === 0 ? null : Math.max(...known.map(({ ms }) => ms)),
    problems: [
      ...problemOf('entries of the trail that were there are gone: chain', [...gone]),
      ...problemOf('the trail lost the first entry of chain', beheaded),
    ],
  };
}

interface Head extends ChainHead {
  ms: number;
}

/** The newest entry of each chain, the oldest chain first: names begin with the time. */
async function readHeads(audit: AuditCollection): Promise<Map<string, Head>> {
  // By the index `place`, backwards: one key for each chain (DISTINCT_SCAN).
  const newest = audit.aggregate<{ _id: string; seq: number; ts: Date; entry: string }>(
    [
      { $sort: { chain: -1, seq: -1 } },
      {
        $group: {
          _id: '$chain',
          seq: { $first: '$seq' },
          ts: { $first: '$ts' },
          entry: { $first: '$entry' },
        },
      },
    ],
    { hint: 'place' },
  );
  const heads: Head[] = [];
  for await (const { _id, seq, ts, entry } of newest) {
    heads.push({ chain: _id, seq, hash: leafHash(entry).toString('hex'), ms: ts.getTime() });
  }
  heads.sort((a, b) => (a.chain < b.chain ? -1 : 1));
  return new Map(heads.map((head) => [head.chain, head]));
}

async function readBoots(
  audit: AuditCollection,
  chains: readonly string[],
): Promise<Map<string, BootFacts>> {
  const boots = new Map<string, BootFacts>();
  for (let at = 0; at < chains.length; at += TRAIL.READ_PAGE) {
    const ids = chains.slice(at, at + TRAIL.READ_PAGE).map((chain) => `${chain}:1`);
    const found = audit.find({ _id: { $in: ids } }, { projection: { chain: 1, entry: 1 } });
    for await (const { chain, entry } of found) boots.set(chain, bootFacts(entry));
  }
  return boots;
}

function problemOf(what: string, chains: readonly string[]): string[] {
  const [first] = chains;
  if (first === undefined) return [];
  const more = chains.length === 1 ? '' : ` and ${chains.length - 1} more`;
  return [`${what} ${first}${more}; run cra audit verify`];
}
