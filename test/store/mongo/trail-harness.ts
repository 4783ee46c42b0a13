import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { type Db, Long, MongoClient, Timestamp } from 'mongodb';
import { follow, newChain } from '../../../src/audit/chain.ts';
import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import { type AuditEntry, type AuditEvent, plainEvent } from '../../../src/model/audit.ts';
import type { DecisionRequest } from '../../../src/model/decision.ts';
import { DEFAULT_TENANT } from '../../../src/model/principal.ts';
import { type RfcRecord, recordText, summarise } from '../../../src/model/records.ts';
import { connectInProcess } from '../../../src/rpc/channel.ts';
import { createClient, createServer, implement } from '../../../src/rpc/service.ts';
import type { AddRules, RulebookStore } from '../../../src/store/contract/store.ts';
import { type DecideInput, Trail, type TrailStore } from '../../../src/store/contract/trail.ts';
import { auditDatabaseName, defaultAuditUrl } from '../../../src/store/mongo/address.ts';
import { type AuditDocument, auditCollection } from '../../../src/store/mongo/audit-collection.ts';
import { openMongoAuditSource } from '../../../src/store/mongo/audit-source.ts';
import { decisionCollections } from '../../../src/store/mongo/database.ts';
import {
  createMongoTrail,
  type MongoTrail,
  type MongoTrailOptions,
} from '../../../src/store/mongo/open-trail.ts';
import { createRulebookReader } from '../../../src/store/mongo/rulebook.ts';
import { INDEXES } from '../../../src/store/mongo/schema.ts';
import { repoKey } from '../../../src/store/stored-record.ts';
import { databaseUrl, type SharedMongod, sharedMongod } from '../../mongod/mongod.ts';
import { sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { takeSlot } from './slots.ts';

/** A database of its own on a mongod, with records and a trail. */
export interface TrailPlace {
  mongod: SharedMongod;
  client: MongoClient;
  records: Db;
  audit: Db;
  auditUrl: string;
}

/** Opens an empty database; without `url` on the shared mongod, which has no access control. */
export async function openPlace(t: ExecutionContext, mongod?: SharedMongod): Promise<TrailPlace> {
  const leave = await takeSlot();
  t.teardown(leave);
  const server = mongod ?? (await sharedMongod());
  const url = databaseUrl(server);
  const client = new MongoClient(url);
  t.teardown(() => client.close());
  const records = client.db();
  const audit = client.db(auditDatabaseName(records.databaseName));
  return {
    mongod: server,
    client,
    records,
    audit,
    auditUrl: defaultAuditUrl(url, records.databaseName),
  };
}

/** A daemon's trail at a place, as its callers see it. */
export interface OpenTrail extends TrailStore {
  reconcile(): Promise<number>;
  acceptGap: MongoTrail['acceptGap'];
  completePush: MongoTrail['completePush'];
  addRules(input: AddRules): ReturnType<RulebookStore['addRules']>;
  notes: string[];
  close(): Promise<void>;
}

export async function openTrail(
  t: ExecutionContext,
  place: Pick<TrailPlace, 'records' | 'auditUrl'>,
  options: Partial<MongoTrailOptions> = {},
): Promise<OpenTrail> {
  await place.records.collection('rfcs').createIndexes([...(INDEXES.rfcs ?? [])]);
  const notes: string[] = [];
  const started = performance.now();
  const trail = await createMongoTrail({
    records: place.records,
    auditUrl: place.auditUrl,
    signer: createCheckpointSigner(new Uint8Array(32).fill(7)),
    version: 'test',
    instance: randomBytes(8).toString('hex'),
    clock: { now: Date.now, mono: () => performance.now() - started },
    keptNote: null,
    onNote: (note) => notes.push(note),
    isPassive: true,
    ...options,
  });
  await trail.gate.check();
  const server = createServer([implement(Trail, { ...trail.writer, ...trail.reader })]);
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= trail.close();
    return closing;
  };
  t.teardown(close);
  return {
    ...createClient(Trail, connectInProcess(server)),
    reconcile: trail.reconcile,
    acceptGap: trail.acceptGap,
    completePush: trail.completePush,
    addRules: async (input) => trail.addRules(input, { stopReason: () => null }),
    notes,
    close,
  };
}

/** Puts a record into the store, as the driver of records does; BLOCKED unless told. */
export async function putRecord(
  { records }: Pick<TrailPlace, 'records'>,
  overrides: Partial<RfcRecord> & { rfc_id: string },
): Promise<RfcRecord> {
  const gate = {
    status: 'fail',
    findings: [sampleFinding(1)],
    suppressed_count: 0,
    skip_reason: null,
    duration_ms: 1,
  } as const;
  const record = sampleRecord({
    overall_status: 'BLOCKED',
    gates: { risk: { ...gate, findings: [...gate.findings] }, ast: PASS, llm: PASS },
    ...overrides,
  });
  await records.collection<{ _id: string }>('rfcs').insertOne({
    _id: record.rfc_id,
    tenant_id: record.tenant_id,
    repo_key: repoKey(record.repo_name),
    branch: record.branch,
    commit_sha: record.commit_sha,
    status: record.overall_status,
    rev: record.rev,
    fence: 0,
    diff: null,
    seq: new Timestamp(Long.fromNumber(0)),
    created_at: record.created_at,
    json: JSON.stringify(record),
    summary: JSON.stringify(summarise(record)),
  } as never);
  return record;
}

/** Writes a record over what is there, as another daemon may. */
export async function replaceDocument({ records }: Pick<TrailPlace, 'records'>, next: RfcRecord) {
  const change = { status: next.overall_status, rev: next.rev, json: JSON.stringify(next) };
  const rfcs = records.collection<{ _id: string }>('rfcs');
  await rfcs.updateOne({ _id: next.rfc_id }, { $set: change });
}

const PASS = { status: 'pass', findings: [], skip_reason: null, duration_ms: 1 } as never;

/** An RFC with a verdict, and a comment on its finding. */
export async function commented(place: Pick<TrailPlace, 'records'>) {
  const record = await putRecord(place, { rfc_id: 'RFC-1' });
  const finding_id = record.gates.risk.findings[0]?.finding_id ?? '';
  const at = '2026-11-21T12:00:00.000Z';
  const comment = { comment_id: 'C-1', finding_id, text: 'seen', at, by: { id: 'a', name: null } };
  const event = plainEvent({
    kind: 'comment',
    op_id: 'comment 1',
    principal: null,
    rfc_id: 'RFC-1',
    details: { finding_id },
  });
  const remark = { kind: 'comment', comment } as const;
  return { tenant_id: record.tenant_id, rfc_id: 'RFC-1', remark, event, at };
}

/** A review that lets a held RFC pass. */
export async function moving(place: Pick<TrailPlace, 'records'>) {
  const held = await putRecord(place, { rfc_id: 'RFC-1' });
  const next = { ...held, overall_status: 'PASSED' as const, rev: held.rev + 1 };
  const about = { kind: 'review', op_id: 'move 1', principal: null, rfc_id: 'RFC-1' } as const;
  const event = plainEvent({ ...about, details: { status_after: 'PASSED' } });
  const from = 'BLOCKED' as const;
  return { record: recordText(next), from, expectedRev: held.rev, event };
}

/** The record as it stands now, or null. */
export async function getRecord({ records }: Pick<TrailPlace, 'records'>, rfcId: string) {
  const found = await records
    .collection<{ _id: string; json?: string }>('rfcs')
    .findOne({ _id: rfcId });
  return found?.json === undefined ? null : (JSON.parse(found.json) as RfcRecord);
}

function request(overrides: Partial<DecisionRequest> = {}): DecisionRequest {
  return {
    action: 'override',
    principal: {
      id: 'alice',
      name: 'Alice',
      credential: 'oidc',
      role: 'change-manager',
      tenant_id: DEFAULT_TENANT,
    },
    actor: 'Alice',
    reason: 'a false alarm',
    at: '2026-11-21T12:00:00.000Z',
    commit_sha: null,
    repo_full_name: null,
    accept_findings: false,
    ...overrides,
  };
}

export function decisionInput(
  rfcId: string,
  opId: string,
  overrides: Partial<DecisionRequest> = {},
): DecideInput {
  return {
    tenant_id: DEFAULT_TENANT,
    rfc_id: rfcId,
    op_id: opId,
    request_hash: `hash of ${overrides.action ?? 'override'}`,
    expectedRev: null,
    request: request(overrides),
  };
}

/** Entries of an operation by slot, as they stand in the trail. */
export async function entriesOf(
  { audit }: Pick<TrailPlace, 'audit'>,
  opId: string,
): Promise<AuditDocument[]> {
  return auditCollection(audit).find({ op_id: opId }).sort({ slot: 1 }).toArray();
}

/** Phases of the entries of an operation: intent first. */
export async function phasesOf(place: Pick<TrailPlace, 'audit'>, opId: string): Promise<string[]> {
  return (await entriesOf(place, opId)).map(({ phase }) => phase);
}

const CALL = { stopReason: () => null };

/** Reads revisions as another daemon would. */
export function rulesOf(records: Db) {
  const reader = createRulebookReader(decisionCollections(records).rules);
  return {
    newest: async (known: number) => await reader.newestRules({ known }, CALL),
    at: async (number: number) => await reader.rulesAt({ number }, CALL),
    list: async (limit: number) => await reader.listRules({ limit, before: null }, CALL),
  };
}

/** An event of the trail: a login. */
export function login(opId: string): AuditEvent {
  return {
    kind: 'login',
    phase: 'whole',
    op_id: opId,
    tenant_id: 'default',
    principal: null,
    actor: null,
    rfc_id: null,
    rfc_rev: null,
    repo_name: null,
    reason: null,
    details: {},
  };
}

/** All chains as a reader gets them; throws where an entry does not follow the one before. */
export async function readChains(place: TrailPlace): Promise<Map<string, AuditEntry[]>> {
  const source = await openMongoAuditSource({ url: place.auditUrl, auditUrl: place.auditUrl });
  try {
    const chains = new Map<string, AuditEntry[]>();
    for (const chain of await source.chains()) {
      let state = newChain(chain);
      const entries: AuditEntry[] = [];
      for await (const text of source.entries(chain)) {
        const entry = JSON.parse(text) as AuditEntry;
        if (entry.seq !== state.size + 1 || entry.prev !== state.head) {
          throw new Error(`${chain} ${entry.seq} does not follow ${state.size}`);
        }
        state = follow(state, text);
        entries.push(entry);
      }
      chains.set(chain, entries);
    }
    return chains;
  } finally {
    await source.close();
  }
}
