import type { Collection, Db, Filter } from 'mongodb';
import type { AuditEntry, AuditKind } from '../../model/audit.ts';
import { isOwnKind, type ListEntriesInput } from '../contract/trail.ts';
import { cutPage, decodeCursor, encodeCursor } from '../lists.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import { MONGO_TRAIL } from './limits.ts';
import { bounded, insertMissing } from './operations.ts';

/**
 * Collection `trail_places`: where the entries of a tenant stand, so that they are listed without
 * looking at those of others. It is made from the trail, whose user may create no index, and stands
 * beside the records; each list brings it up to date first.
 */
export interface TrailPlaceDocument {
  /** `chain:seq` of the entry. */
  _id: string;
  /** Its place in the order of the trail, from 1. */
  n: number;
  tenant_id: string;
  kind: AuditKind;
  rfc_id: string | null;
  /** Entries about the trail itself, and logins, are listed apart. */
  group: 'own' | 'login' | 'other';
}

/** Of the newest entry that has a place, which it names as `rfc_id`; those before have theirs. */
const NEWEST = 'newest';

type Places = Collection<TrailPlaceDocument>;
type Listed = { entries: AuditEntry[]; next_cursor: string | null };

export interface TrailList {
  list(input: ListEntriesInput): Promise<Listed>;
}

/** The list of a trail. `records`: the database of the records. */
export function createTrailList(audit: AuditCollection, records: Db): TrailList {
  const places = records.collection<TrailPlaceDocument>('trail_places', {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: MONGO_TRAIL.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
  let indexed: Promise<unknown> | null = null;
  let running: Promise<void> | null = null;

  async function update(): Promise<void> {
    indexed ??= places.createIndexes([...PLACE_INDEXES]);
    await indexed.catch((thrown: unknown) => {
      indexed = null;
      throw thrown;
    });
    await catchUp(audit, places);
  }

  return {
    async list(input) {
      // What runs already may have begun before the newest entry was written.
      await running?.catch(() => undefined);
      running ??= update().finally(() => {
        running = null;
      });
      await bounded(running, MONGO_TRAIL.ATTEMPT_MS);
      return await read(audit, places, input);
    },
  };
}

const PLACE_INDEXES = [
  { name: 'listed', key: { tenant_id: 1, group: 1, n: -1 } },
  { name: 'by_kind', key: { tenant_id: 1, kind: 1, n: -1 } },
  { name: 'by_rfc', key: { tenant_id: 1, rfc_id: 1, n: -1 } },
] as const;

/** Entries that get their places in one step. */
const AT_ONCE = 1_000;

/**
 * Gives entries without a place theirs. The trail is capped, so its natural order is that of its
 * writes, the same for all daemons: those that do this at once write the same. All of a trail are
 * read from its start, later ones from its end.
 */
async function catchUp(audit: AuditCollection, places: Places): Promise<void> {
  const newest = await places.findOne({ _id: NEWEST });
  if (newest !== null) {
    const found: TrailPlaceDocument[] = [];
    for await (const document of audit.find({}, { ...ENTRY_ONLY, sort: { $natural: -1 } })) {
      if (document._id === newest.rfc_id) return await place(places, found.reverse(), newest.n);
      found.push(placeOf(document));
    }
    // Another trail than before: all places are those of the old one.
    await places.deleteMany({});
  }
  let n = 0;
  let part: TrailPlaceDocument[] = [];
  for await (const document of audit.find({}, { ...ENTRY_ONLY, sort: { $natural: 1 } })) {
    part.push(placeOf(document));
    if (part.length < AT_ONCE) continue;
    await place(places, part, n);
    n += part.length;
    part = [];
  }
  await place(places, part, n);
}

const ENTRY_ONLY = { projection: { kind: 1, entry: 1 } } as const;

/** Writes the places behind number `start`, then which is the newest. */
async function place(
  places: Places,
  found: readonly TrailPlaceDocument[],
  start: number,
): Promise<void> {
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const part = found.slice(at, at + AT_ONCE).map((one, n) => ({ ...one, n: start + at + n + 1 }));
    const last = part.at(-1);
    if (last === undefined) return;
    await insertMissing(places as never, part);
    const upTo = { ...last, _id: NEWEST, rfc_id: last._id, tenant_id: '' };
    await insertMissing(places as never, [upTo]);
    // Another daemon may be ahead.
    await places.updateOne({ _id: NEWEST, n: { $lt: last.n } }, { $set: upTo });
  }
}

function placeOf({ _id, kind, entry }: AuditDocument): TrailPlaceDocument {
  const { tenant_id, rfc_id } = JSON.parse(entry) as AuditEntry;
  const group = isOwnKind(kind) ? 'own' : kind === 'login' ? 'login' : 'other';
  return { _id, n: 0, tenant_id, kind, rfc_id, group };
}

async function read(
  audit: AuditCollection,
  places: Places,
  input: ListEntriesInput,
): Promise<Listed> {
  const { filter, index } = placeFilter(input);
  const found = await places
    .find(filter)
    .sort({ n: -1 })
    .limit(input.limit + 1)
    .hint(index)
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  const { page, next_cursor } = cutPage(found, input.limit, ({ n }) => encodeCursor(n));
  const ids = page.map(({ _id }) => _id);
  const documents = await audit
    .find({ _id: { $in: ids } }, { projection: { entry: 1 } })
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  const byId = new Map(documents.map(({ _id, entry }) => [_id, entry]));
  const texts = ids.flatMap((id) => byId.get(id) ?? []);
  return { entries: texts.map((text) => JSON.parse(text) as AuditEntry), next_cursor };
}

function placeFilter({ tenant_id, kind, logins, rfc_id, cursor }: ListEntriesInput): {
  filter: Filter<TrailPlaceDocument>;
  index: string;
} {
  const groups = (['other', 'login', 'own'] as const).filter(
    (group) => group === 'other' || (group === 'login' ? logins : kind !== null),
  );
  const filter: Filter<TrailPlaceDocument> = {
    tenant_id,
    group: { $in: groups },
    ...(kind === null ? {} : { kind }),
    ...(rfc_id === null ? {} : { rfc_id }),
    ...(cursor === null ? {} : { n: { $lt: decodeCursor(cursor) } }),
  };
  const rest = kind === null ? 'listed' : 'by_kind';
  return { filter, index: rfc_id === null ? rest : 'by_rfc' };
}
