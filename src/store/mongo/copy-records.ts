import { type Collection, Decimal128, type Document, Timestamp } from 'mongodb';
import { touchedComponents } from '../../model/components.ts';
import { type Baseline, baselineId } from '../../model/push.ts';
import { recordText } from '../../model/records.ts';
import { openEmergency } from '../../model/release.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import {
  COPY_PAGE,
  type CopiedRfc,
  type CopyCursor,
  type CopyPage,
  type CopyRow,
  PLAIN_KINDS,
  type PlainKind,
  picked,
  RFC_FIELDS,
} from '../copy.ts';
import { parseRecord, searchedOf, weightOf } from '../stored-record.ts';
import type { AuditCollection } from './audit-collection.ts';
import type { Collections, DecisionCollections } from './database.ts';
import {
  type BaselineDocument,
  type DiffChunkDocument,
  type DiffReference,
  GONE_STATUS,
  type PushFields,
  packText,
  type RecordDocument,
  type RfcDocument,
  unpackText,
  type VcsFields,
} from './documents.ts';
import { insertMissing } from './operations.ts';
import { revocationsOf, revocationsOfPush } from './pushes/heads.ts';
import { IS_REFUSAL } from './pushes/queries.ts';
import { newDocument, readDiff, stageDiff } from './record-documents.ts';

/** All collections that a copy reads or writes. */
export interface CopyPlaces extends Collections, DecisionCollections {
  audit: AuditCollection;
}

/** How one kind is read and written. */
export interface KindCopy {
  read(after: CopyCursor | null): Promise<CopyPage>;
  /** `from`: number of the first row. */
  write(rows: readonly CopyRow[], from: number): Promise<void>;
}

/** How the documents of a kind differ from its rows. */
interface DocumentForm {
  /** The id of a document; absent: the key, as a document where that has several fields. */
  id?(row: CopyRow): unknown;
  /** Fields in ms that a document has as a date, and by which name. */
  dates?: Readonly<Record<string, string>>;
  /** Fields that a document has as decimals. */
  decimals?: readonly string[];
  /** Fields that only a document has. */
  added?(row: CopyRow): Document;
  /** The documents that are copied; absent: all. */
  kept?(documents: readonly Document[]): Promise<readonly Document[]>;
  /** In place of all these. */
  row?(document: Document): object | Promise<object>;
  document?(row: CopyRow): Document | Promise<Document>;
}

/** The collections without the types of their documents, for rows of any kind. */
export type PlainPlaces = Record<keyof CopyPlaces, Collection<Document>>;

/** Documents that are read in the order of their ids. */
export function plainCopy(
  kind: keyof typeof PLAIN_KINDS,
  collection: Collection<Document>,
  form: DocumentForm = {},
): KindCopy {
  const { key }: PlainKind = PLAIN_KINDS[kind];
  const { kept = async (documents: readonly Document[]) => documents } = form;
  const rowOf = form.row ?? ((document: Document) => plainRow(kind, document, form));
  const documentOf = form.document ?? ((row: CopyRow) => plainDocument(kind, row, form));
  const isObjectId = key.length > 1 && form.id === undefined;
  const idOf = (after: CopyCursor) => {
    const parts = [after].flat();
    return isObjectId ? Object.fromEntries(key.map((name, at) => [name, parts[at]])) : parts[0];
  };
  return {
    async read(after) {
      const filter = after === null ? {} : { _id: { $gt: idOf(after) as never } };
      const found = await collection.find(filter).sort({ _id: 1 }).limit(COPY_PAGE.ROWS).toArray();
      const last: unknown = found.length < COPY_PAGE.ROWS ? null : (found.at(-1)?._id ?? null);
      const next = isObjectId && last !== null ? key.map((name) => (last as Document)[name]) : last;
      const rows = await Promise.all((await kept(found)).map(rowOf));
      return { rows: rows as CopyRow[], next: next as CopyCursor | null };
    },
    async write(copied) {
      await insertMissing(collection, await Promise.all(copied.map(documentOf)));
    },
  };
}

/** The row of a document, by the fields of its kind. */
function plainRow(
  kind: keyof typeof PLAIN_KINDS,
  document: Document,
  { id, dates = {} }: DocumentForm = {},
): CopyRow {
  const { key, columns }: PlainKind = PLAIN_KINDS[kind];
  const { _id } = document;
  const own = key.length === 1 ? { [key[0] ?? '']: _id } : (_id as object);
  const fields: Document = { ...document, ...(id === undefined ? own : {}) };
  const row = [...key, ...columns].map((name) => [name, plainValue(fields[dates[name] ?? name])]);
  return Object.fromEntries(row) as CopyRow;
}

function plainValue(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  // Below 2^53, as usage of one call is bounded.
  return value instanceof Decimal128 ? Number(String(value)) : (value ?? null);
}

/** The document of a row. */
function plainDocument(
  kind: keyof typeof PLAIN_KINDS,
  row: CopyRow,
  { id, dates = {}, decimals = [], added = () => ({}) }: DocumentForm = {},
): Document {
  const { key, columns }: PlainKind = PLAIN_KINDS[kind];
  const [first = ''] = key;
  const own = Object.fromEntries(key.map((name) => [name, row[name]]));
  const _id = id === undefined ? (key.length === 1 ? row[first] : own) : id(row);
  const fields = columns.map((name) => {
    const value = row[name] ?? null;
    const date = dates[name];
    if (date !== undefined) return [date, new Date(Number(value))];
    return [name, decimals.includes(name) ? Decimal128.fromString(String(value)) : value];
  });
  return { ...(id === undefined ? {} : own), ...Object.fromEntries(fields), ...added(row), _id };
}

/** The place of row number `at` (0, 1, ...): before all that the server will give later. */
function placeAt(at: number): Timestamp {
  return new Timestamp({ t: 1, i: at + 1 });
}

/** Ids in the order of the store, which no index has for all tenants. */
async function idsInOrder(
  collection: Collection<Document>,
): Promise<{ id: string; seq: Timestamp }[]> {
  const found = collection
    .find({ deleted: { $ne: true } }, { projection: { seq: 1 } })
    .map(({ _id, seq }) => ({ id: String(_id), seq: seq as Timestamp }));
  return (await found.toArray()).sort((a, b) => a.seq.compare(b.seq));
}

/** Reads documents in the order of the store; the cursor is the number of the next one. */
function createOrderedRead(
  collection: Collection<Document>,
  rowOf: (document: Document) => CopyRow | Promise<CopyRow>,
): KindCopy['read'] {
  let ids: { id: string }[] = [];
  return async (after) => {
    if (after === null || ids.length === 0) ids = await idsInOrder(collection);
    const start = Number(after ?? 0);
    const page: CopyRow[] = [];
    let at = start;
    let bytes = 0;
    while (at < ids.length && at < start + COPY_PAGE.ROWS && bytes < COPY_PAGE.BYTES) {
      const part = ids.slice(at, at + PART_ROWS).map(({ id }) => id);
      const found = await collection.find({ _id: { $in: part as never[] } }).toArray();
      const byId = new Map(found.map((document) => [String(document._id), document]));
      const rows = await Promise.all(part.flatMap((id) => byId.get(id) ?? []).map(rowOf));
      page.push(...rows);
      for (const row of rows) bytes += weightOf(row);
      at += part.length;
    }
    return { rows: page, next: at < ids.length ? at : null };
  };
}

const PART_ROWS = 50;

/** Records in their order. Leases are not copied: no daemon of the source holds anything. */
export function createRfcCopy({ rfcs, diffs }: CopyPlaces, plain: PlainPlaces): KindCopy {
  return {
    read: createOrderedRead(plain.rfcs, (found) => rowOf(found as RfcDocument, diffs)),
    async write(copied, from) {
      const documents: Document[] = [];
      const chunks: Document[] = [];
      const ids = copied.map((row) => String(row['rfc_id']));
      const present = rfcs.find({ _id: { $in: ids } }, { projection: { _id: 1 } });
      const known = new Set(await present.map(({ _id }) => _id).toArray());
      for (const [index, row] of copied.entries()) {
        const rfc = row as unknown as CopiedRfc;
        const { rfc_id, diff } = rfc;
        if (known.has(rfc_id)) continue;
        const endOfDay = diff === null ? 0 : Date.parse(diff.day) + DAY_MS - 1;
        const staged = diff && stageDiff(rfc_id, diff, endOfDay);
        documents.push(rfcDocument(rfc, placeAt(from + index), staged?.reference ?? null));
        chunks.push(...(staged?.chunks ?? []));
      }
      // Chunks first: what has no record ends with its retention.
      await insertMissing(diffs, chunks);
      await insertMissing(rfcs, documents);
    },
  };
}

/** Of diffs and tombstones. */
const DAY_MS = 24 * 3_600_000;

async function rowOf(found: RfcDocument, diffs: Collection<DiffChunkDocument>): Promise<CopyRow> {
  const { _id, push, vcs, diff } = found;
  const [first] = diff === null ? [] : await diffs.find({ '_id.diff': diff.id }).limit(1).toArray();
  const sealed = diff === null || first === undefined ? null : await readDiff(diffs, diff);
  return {
    ...picked({ ...found, rfc_id: _id }, RFC_FIELDS),
    push:
      push === undefined
        ? null
        : { repo: push.repo, ref: push.ref, delivery: push.delivery, body: push.body ?? null },
    vcs:
      vcs === undefined
        ? null
        : { host: vcs.host, due: vcs.due?.getTime() ?? null, posted: vcs.posted },
    diff:
      sealed === null
        ? null
        : { ...sealed, day: first?.written_at.toISOString().slice(0, 10) ?? '' },
  };
}

function rfcDocument(row: CopiedRfc, seq: Timestamp, diff: DiffReference | null): RfcDocument {
  const { push, vcs, diff: _, rfc_id: __, ...fields } = row;
  const record = parseRecord(row.json);
  const own = {
    diff,
    push: push && pushFields(record, push),
    instance: 'copy',
    nowMs: 0,
    lanes: [],
  };
  const { vcs: ___, ...document } = newDocument(recordText(record), own);
  const newest = record.override_history.at(-1);
  const open = openEmergency(record);
  return {
    ...document,
    ...fields,
    branch: row.branch ?? '',
    status: row.status as RfcStatus,
    seq,
    // Any daemon takes a DRAFT up: the lease of its daemon is over.
    lease_until: document.owner === null ? null : new Date(0),
    ...(vcs === null ? {} : { vcs: vcsFields(vcs) }),
    ...(newest === undefined
      ? {}
      : { decided: { op: newest.decision_id, at: new Date(newest.at) } }),
    ...(open === null ? {} : { review_due: new Date(open.due_at) }),
    ...(record.landed_blocked === undefined ? {} : { landed: true as const }),
  };
}

function pushFields(
  record: ReturnType<typeof parseRecord>,
  { repo, ref, delivery, body }: NonNullable<CopiedRfc['push']>,
): PushFields {
  const { isAccepted, isUnjudged, dependsOn } = searchedOf(record);
  return {
    repo,
    ref,
    delivery: delivery ?? '',
    ...(body === null ? { swept: true as const } : { body }),
    due: new Date(0),
    owner: null,
    ...(isAccepted ? { accepted: true as const } : {}),
    ...(isUnjudged ? { unjudged: true as const } : {}),
    ...(dependsOn.length > 0 ? { rests_on: [...dependsOn] } : {}),
  };
}

function vcsFields({ due, ...vcs }: NonNullable<CopiedRfc['vcs']>): VcsFields {
  return due === null ? vcs : { ...vcs, due: new Date(due) };
}

/** Tasks in their order. */
export function createTaskCopy({ tasks }: PlainPlaces): KindCopy {
  return {
    read: createOrderedRead(tasks, (document) => plainRow('tasks', document)),
    async write(copied, from) {
      const documents = copied.map((row, index) => {
        const { rev } = JSON.parse(String(row['json'])) as { rev: number };
        return { ...plainDocument('tasks', row), rev, seq: placeAt(from + index) };
      });
      await insertMissing(tasks, documents);
    },
  };
}

/** The tombstone of a deleted record is removed after this time. */
const TOMBSTONE_MS = 7 * DAY_MS;

/** How many records came before, or with, what a deletion left. */
async function rankedRows(
  { rfcs }: PlainPlaces,
  found: readonly RfcDocument[],
  rowOf: (document: RfcDocument) => CopyRow,
): Promise<CopyPage> {
  const places = found.length === 0 ? [] : await idsInOrder(rfcs);
  const rows = found.map((document) => ({
    ...rowOf(document),
    rank: places.filter(({ seq }) => seq.compare(document.seq) <= 0).length,
  }));
  return { rows, next: null };
}

/** Writes fields into the tombstone of a record, which another row may have brought. */
async function addLeft(
  { rfcs }: CopyPlaces,
  { _id, ...left }: Partial<RecordDocument> & { _id: string },
  fields: Document,
  change: Document = {},
): Promise<void> {
  const others = Object.entries(left).filter(([name]) => !(name in fields));
  const $setOnInsert = Object.fromEntries(others);
  await rfcs.updateOne({ _id }, { $set: fields, $setOnInsert, ...change }, { upsert: true });
}

/** The statuses of deleted RFCs, in their tombstones. */
export function createDeletedCopy(places: CopyPlaces, plain: PlainPlaces): KindCopy {
  return {
    async read() {
      const filter = { 'vcs.due': { $exists: true }, 'vcs.deleted': { $exists: true } };
      const found = await places.rfcs.find({ deleted: true, ...filter }).toArray();
      return await rankedRows(plain, found, ({ _id: rfc_id, vcs, ...document }) => ({
        rfc_id,
        ...picked(document, ['tenant_id', 'repo_key', 'commit_sha']),
        vcs_host: vcs?.host ?? '',
        vcs_due: vcs?.due?.getTime() ?? 0,
        vcs_posted: vcs?.posted ?? null,
        json: vcs?.deleted ?? '',
      }));
    },
    async write(copied) {
      for (const row of copied) {
        const json = String(row['json']);
        const record = parseRecord(json);
        const vcs: VcsFields = {
          host: String(row['vcs_host']),
          posted: row['vcs_posted'] as string | null,
          due: new Date(Number(row['vcs_due'])),
          deleted: json,
          ...(record.push === null ? {} : { was_push: true as const }),
        };
        const own = { vcs, commit_sha: row['commit_sha'], rev: record.rev };
        await addLeft(places, tombstone(row), own);
      }
    },
  };
}

/** Refusals left by deleted RFCs that refused their changes, in the same documents. */
export function createRefusalCopy(places: CopyPlaces, plain: PlainPlaces): KindCopy {
  return {
    async read() {
      const found = await places.rfcs.find(IS_REFUSAL).toArray();
      return await rankedRows(plain, found, ({ _id: rfc_id, refusal, ...document }) => ({
        rfc_id,
        ...picked(document, ['tenant_id', 'repo_key', 'branch', 'commit_sha']),
        push_repo: refusal?.repo ?? null,
        push_ref: refusal?.ref ?? null,
        status: parseRecord(refusal?.json ?? '').overall_status,
        json: refusal?.json ?? '',
      }));
    },
    async write(copied) {
      for (const row of copied) {
        const { push_repo, push_ref } = row;
        const json = String(row['json']);
        const record = parseRecord(json);
        const components = touchedComponents(record);
        const pushed = push_ref === null ? {} : { repo: String(push_repo), ref: String(push_ref) };
        const left = tombstone(row);
        const own = {
          refusal: { json, at: new Date(record.updated_at), ...pushed },
          repo_key: left.repo_key,
          branch: String(row['branch']),
          commit_sha: record.commit_sha,
          status: GONE_STATUS,
          rev: record.rev,
          seq: left.seq,
          ...(components.length === 0 ? {} : { components }),
        };
        const { expires_at: _, ...lasting } = left;
        await addLeft(places, lasting, own, { $unset: { expires_at: '' } });
      }
    },
  };
}

/** The tombstone of a deleted record; `rank`: how many records came before, or with, it. */
function tombstone({ rfc_id, id = rfc_id, tenant_id, repo_key = '', rank = 1 }: Partial<CopyRow>) {
  return {
    _id: String(id),
    tenant_id: String(tenant_id),
    repo_key: String(repo_key),
    branch: '',
    commit_sha: null,
    status: 'REJECTED' as const,
    rev: 0,
    fence: 0,
    seq: placeAt(Number(rank) - 1),
    created_at: '',
    diff: null,
    owner: null,
    lease_until: null,
    deleted: true as const,
    deleted_by: 'copy',
    decisions: [],
    expires_at: new Date(Date.now() + TOMBSTONE_MS),
  };
}

/** What each repository held when it was seen first. */
export function createRepositoryCopy({ baselines }: PlainPlaces): KindCopy {
  return plainCopy('repositories', baselines, {
    // An unpublished one does not count: its adoption begins again.
    kept: async (documents) => documents.filter((document) => document['untold'] === undefined),
    async row(document) {
      const { _id, name = _id.repo_key, baseline } = document as BaselineDocument;
      const text = await unpackText(baseline, 'refs');
      const { host, sha, adopted_at, heads } = JSON.parse(text) as Baseline;
      return { ..._id, name, host, sha, adopted_at, heads: JSON.stringify(heads) };
    },
    async document({ tenant_id, repo_key, name, host, sha, adopted_at, heads }) {
      const known = { host, sha, heads: JSON.parse(String(heads)) as object, adopted_at };
      const baseline = await packText(JSON.stringify(known), 'the refs of the repository');
      return { _id: { tenant_id, repo_key }, name, sha, baseline };
    },
  });
}

/** What was revoked, in the documents of pushes and baselines. */
export function createRevocationCopy(places: CopyPlaces): KindCopy {
  const { rfcs, baselines } = places;
  return {
    async read() {
      const pushes = await rfcs.find({ 'fallen.at': { $exists: true } }).toArray();
      const lowered = await baselines.find({ 'fallen.at': { $exists: true } }).toArray();
      const found = [...pushes.flatMap(revocationsOfPush), ...lowered.flatMap(revocationsOf)];
      const rows = found.map((each) => ({ ...each, is_rejected: each.is_rejected ? 1 : 0 }));
      return { rows, next: null };
    },
    async write(copied) {
      for (const { tenant_id, id, at_ms, ...row } of copied) {
        const at = new Date(Number(at_ms));
        const repo = String(row['repo_key']);
        const sha = String(row['sha']);
        if (id === baselineId(sha)) {
          const _id = { tenant_id: String(tenant_id), repo_key: repo };
          await baselines.updateOne({ _id }, { $addToSet: { fallen: { sha, at } } });
        } else {
          const fallen = { repo, sha, is_rejected: row['is_rejected'] === 1, at };
          await addLeft(places, tombstone({ id, tenant_id }), { fallen });
        }
      }
    },
  };
}
