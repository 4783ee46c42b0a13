import { createHash } from 'node:crypto';
import type { AuditEntry, AuditKind } from '../model/audit.ts';
import { type KeptAcceptance, kindOf } from '../model/decision.ts';
import { isAcceptable } from '../model/finding.ts';
import type { Principal } from '../model/principal.ts';
import {
  type Decision,
  type Emergency,
  type RfcRecord,
  type RfcSummary,
  summarise,
} from '../model/records.ts';
import { isPassing, type RfcStatus } from '../model/rfc.ts';
import { leafHash } from './chain.ts';
import { readEntry } from './entry.ts';
import { AUDIT_READ } from './limits.ts';
import type { AuditSource, Difference } from './source.ts';

/** A record as it stands in a store, and what the store keeps beside it to search by. */
export interface StoredRfc {
  rfc_id: string;
  tenant_id: string;
  repo_key: string;
  branch: string | null;
  commit_sha: string | null;
  created_at: string;
  status: string;
  rev: number;
  /** Of the RfcRecord and of its RfcSummary. */
  json: string;
  summary: string;
}

/** What a deleted RFC still refuses, as it stands in a store. */
export interface StoredRefusal {
  rfc_id: string;
  tenant_id: string;
  repo_key: string;
  branch: string | null;
  commit_sha: string | null;
  /** Where the store keeps it beside the record. */
  status?: string;
  /** Of `refusalLeft` of the record. */
  json: string;
}

/** A fingerprint that counts as accepted. */
export interface StoredAcceptance extends KeptAcceptance {
  tenant_id: string;
  repo_key: string;
}

/** A revision of the rules. */
export interface StoredRevision {
  number: number;
  /** JSON of its RulesEntry. */
  entry: string;
  /** SHA-256 of its text, hex. */
  textSha256: string;
}

/** An entry as it stands in a store, with what it is searched by there. */
export interface EntryRow {
  chain: string;
  seq: number;
  op_id: string;
  phase: string;
  kind: string;
  /** ISO 8601, UTC. */
  ts: string;
  /** Of the entry before it and of itself, where the store keeps them. */
  prev?: string;
  hash?: string;
  entry: string;
}

/**
 * Collects what the rows of a trail say otherwise than their entries, as a store reads them.
 * Entries that cannot be read are left to the check of their chain.
 */
export function createRowCheck(): { look(row: EntryRow): void; faults: readonly string[] } {
  const faults: string[] = [];
  return {
    faults,
    look({ hash, entry: text, ...row }) {
      if (faults.length >= AUDIT_READ.DIFFERENCES_LISTED_MAX) return;
      const { entry } = readEntry(text);
      if (entry === null) return;
      const where = `entry ${entry.seq} of chain ${entry.chain}`;
      for (const [name, found] of Object.entries(row)) {
        const said = entry[name as keyof AuditEntry];
        if (found === said) continue;
        faults.push(
          `${where}, ${name} of its row: it says ${valueText(said)}, not ${valueText(found)}`,
        );
      }
      if (hash !== undefined && hash !== leafHash(text).toString('hex')) {
        faults.push(`${where}, hash of its row: it is that of another text`);
      }
    },
  };
}

/** What a store shows as decided, beside its trail. Lists come in batches. */
export interface StoredRecords {
  /** Records with a decision or a status that only a decision gives, or unlike their row. */
  decided(): AsyncIterable<readonly StoredRfc[]>;
  /** The RFCs with these ids that exist. */
  among(rfcIds: readonly string[]): Promise<StoredRfc[]>;
  /** Refusals of the RFCs with these ids that were deleted. */
  refusals(rfcIds: readonly string[]): Promise<StoredRefusal[]>;
  /** The entries of these operations. */
  entriesOf(opIds: readonly string[]): Promise<string[]>;
  /** The entries of the carries to an RFC. */
  carriesOf(rfcId: string): Promise<string[]>;
  /** Acceptances that count: leftovers of a crash or race of a rejected or deleted RFC do not. */
  accepted(): AsyncIterable<readonly StoredAcceptance[]>;
  revisions(): AsyncIterable<readonly StoredRevision[]>;
  /** Differences between the rows of the trail that were read so far and their entries. */
  rowFaults(): readonly string[];
}

/**
 * Compares all decisions, accepted fingerprints and revisions of the rules that a store shows with
 * the entries that made them, and the entries with what the store shows. The trail itself must have
 * been verified. What begins or ends while this runs is not reported. Memory grows with the number
 * of deleted RFCs, of ended acceptances and of revisions.
 */
export async function* compareRecords(
  trail: Pick<AuditSource, 'chains' | 'entries'>,
  records: StoredRecords,
): AsyncGenerator<Difference> {
  const revisions = await readRevisions(records);
  const seen = newSeen();
  for await (const entries of batchesOf(decisionsIn(trail, seen))) {
    yield* (await missingIn(entries, records, seen)).map(differenceOf);
  }
  yield* records.rowFaults().map(differenceOf);
  yield* (await goneWithoutDeletion(trail, seen)).map(differenceOf);
  for await (const rfcs of records.decided()) {
    yield* (await flawsOfRecords(rfcs, records)).map(differenceOf);
  }
  for await (const rows of records.accepted()) {
    yield* (await flawsOfAccepted(rows, records, seen)).map(differenceOf);
  }
  yield* flawsOfRevisions(revisions, await readRevisions(records), seen).map(differenceOf);
}

/**
 * The same for some entries: whether the store shows their decisions, and what the records of these
 * show else. RFCs that are gone, accepted fingerprints and rules are not looked at.
 */
export async function compareEntries(
  texts: readonly string[],
  records: StoredRecords,
): Promise<Difference[]> {
  const made = texts.flatMap((text) => {
    const entry = LOOKED_AT.test(text) ? readEntry(text).entry : null;
    return entry !== null && DECIDING.has(entry.kind) && isDone(entry) ? [entry] : [];
  });
  const flaws: string[] = [];
  for (let at = 0; at < made.length; at += AUDIT_READ.COMPARED_AT_ONCE) {
    const some = made.slice(at, at + AUDIT_READ.COMPARED_AT_ONCE);
    flaws.push(...(await missingIn(some, records, newSeen())));
    const ids = [...new Set(some.flatMap(({ rfc_id }) => rfc_id ?? []))];
    flaws.push(...(await flawsOfRecords(await records.among(ids), records)));
  }
  return flaws.map(differenceOf);
}

function differenceOf(reason: string): Difference {
  return { reason, key: createHash('sha256').update(reason).digest('hex') };
}

/** What a walk over the entries has met. */
interface Seen {
  /** RFCs that entries decide about and that are not there, with the op_id of one of these. */
  gone: Map<string, string>;
  deleted: Set<string>;
  /** Ends of acceptances, by tenant, repository and fingerprint: the newest. */
  ended: Map<string, AuditEntry>;
  /** Revisions of the rules by number, and intents of revisions without an outcome yet. */
  rules: Map<number, AuditEntry>;
  rulesIntents: Map<string, AuditEntry>;
  /** The last entry that was read of each chain. */
  read: Map<string, number>;
}

function newSeen(): Seen {
  return {
    gone: new Map(),
    deleted: new Set(),
    ended: new Map(),
    rules: new Map(),
    rulesIntents: new Map(),
    read: new Map(),
  };
}

const DECIDING: ReadonlySet<AuditKind> = new Set([
  ...(['override', 'approve', 'reject', 'delete'] as const),
  ...(['emergency-override', 'emergency-confirm', 'emergency-object'] as const),
]);

/** `kind` of the entries that are looked at; a text that only quotes one costs a look. */
const LOOKED_AT =
  /"kind":"(?:override|approve|reject|delete|emergency-(?:override|confirm|object)|acceptance-ended|rules)"/;

/** The entries of decisions that were made; what concerns acceptances and rules is noted. */
async function* decisionsIn(
  trail: Pick<AuditSource, 'chains' | 'entries'>,
  seen: Seen,
): AsyncGenerator<AuditEntry> {
  for (const chain of await trail.chains()) {
    let read = 0;
    for await (const text of trail.entries(chain)) {
      read += 1;
      const entry = LOOKED_AT.test(text) ? readEntry(text).entry : null;
      if (entry === null) continue;
      note(entry, seen);
      if (DECIDING.has(entry.kind) && isDone(entry)) yield entry;
    }
    seen.read.set(chain, read);
  }
}

function isDone({ phase }: AuditEntry): boolean {
  return phase === 'whole' || phase === 'done';
}

function note(entry: AuditEntry, seen: Seen): void {
  const { kind, phase, op_id, tenant_id, repo_name, details } = entry;
  if (kind === 'delete' && phase !== 'aborted' && phase !== 'refused' && entry.rfc_id !== null) {
    seen.deleted.add(entry.rfc_id);
  }
  if (kind === 'acceptance-ended' && isDone(entry)) {
    const place = placeOf(tenant_id, repo_name ?? '', String(details['fingerprint']));
    seen.ended.set(place, later(seen.ended.get(place), entry));
  }
  if (kind !== 'rules') return;
  if (phase === 'intent') seen.rulesIntents.set(op_id, entry);
  const said = phase === 'done' ? seen.rulesIntents.get(op_id) : entry;
  if (isDone(entry)) seen.rulesIntents.delete(op_id);
  if (isDone(entry) && said !== undefined) seen.rules.set(Number(details['number']), said);
}

function later(one: AuditEntry | undefined, other: AuditEntry): AuditEntry {
  return one !== undefined && one.ts > other.ts ? one : other;
}

function placeOf(tenantId: string, repoName: string, fingerprint: string): string {
  return JSON.stringify([tenantId, repoName.toLowerCase(), fingerprint]);
}

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < AUDIT_READ.COMPARED_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** From the trail to the store: decisions show in the records, and deleted records are gone. */
async function missingIn(
  entries: readonly AuditEntry[],
  records: StoredRecords,
  seen: Seen,
): Promise<string[]> {
  const ids = new Set(entries.flatMap(({ rfc_id }) => rfc_id ?? []));
  const found = new Map((await records.among([...ids])).map((rfc) => [rfc.rfc_id, rfc]));
  const deletions = entries.filter(({ kind, rfc_id }) => kind === 'delete' && rfc_id !== null);
  const refusals = await flawsOfRefusals(deletions, records);
  const missing = entries.flatMap((entry) => {
    const { kind, rfc_id, op_id } = entry;
    const rfc = found.get(rfc_id ?? '');
    if (rfc_id === null) return [];
    if (kind === 'delete') {
      return rfc === undefined ? [] : [`${rfc_id} is there, but ${placed(entry)} deleted it`];
    }
    if (rfc === undefined) {
      seen.gone.set(rfc_id, op_id);
      return [];
    }
    const history = recordOf(rfc)?.override_history ?? [];
    if (history.some(({ decision_id }) => decision_id === op_id)) return [];
    return [`${rfc_id}, override_history: decision ${op_id} is missing (${placed(entry)})`];
  });
  return [...missing, ...refusals];
}

/** What a deleted RFC refused is there, as its deletion left it. */
async function flawsOfRefusals(
  deletions: readonly AuditEntry[],
  records: StoredRecords,
): Promise<string[]> {
  if (deletions.length === 0) return [];
  const left = await records.refusals(deletions.flatMap(({ rfc_id }) => rfc_id ?? []));
  const found = new Map(left.map((refusal) => [refusal.rfc_id, refusal]));
  const operations = await readOperations(
    records,
    deletions.map(({ op_id }) => op_id),
  );
  return deletions.flatMap((entry) => {
    // Entries of older versions, and of RFCs that refused nothing, have no digest.
    const digest = operations.get(entry.op_id)?.asked.details['refusal_sha256'];
    if (digest === undefined) return [];
    const refusal = found.get(entry.rfc_id ?? '');
    if (refusal !== undefined) return flawsOfRefusal(refusal, digest);
    return [`${entry.rfc_id}: what it refused is missing (${placed(entry)})`];
  });
}

function flawsOfRefusal(row: StoredRefusal, digest: unknown): string[] {
  const where = (name: string) => `${row.rfc_id}, ${name} of what it refused`;
  const shown = createHash('sha256').update(row.json).digest('hex');
  const record = recordOf(row);
  if (digest !== shown || record === null) return differs(where('SHA-256'), digest, shown);
  const { status = record.overall_status } = row;
  return [
    ...flawsOfColumns(row, record, where),
    ...unlike(where('status'), record.overall_status, status),
  ];
}

/** Where an entry stands, in words. */
function placed({ kind, chain, seq }: AuditEntry): string {
  return `${kind}, entry ${seq} of chain ${chain},`;
}

/** RFCs that were decided about and are gone; deletions meanwhile are looked for again. */
async function goneWithoutDeletion(
  trail: Pick<AuditSource, 'chains' | 'entries'>,
  seen: Seen,
): Promise<string[]> {
  const missing = () => [...seen.gone].filter(([rfcId]) => !seen.deleted.has(rfcId));
  if (missing().length === 0) return [];
  for (const chain of await trail.chains()) {
    let at = 0;
    const before = seen.read.get(chain) ?? 0;
    for await (const text of trail.entries(chain)) {
      at += 1;
      const entry = at > before && LOOKED_AT.test(text) ? readEntry(text).entry : null;
      if (entry !== null) note(entry, seen);
    }
  }
  return missing().map(
    ([rfcId, opId]) =>
      `${rfcId} is missing: decision ${opId} is about it, and the trail has no deletion`,
  );
}

/** Null: the JSON is damaged. */
function recordOf({ json }: Pick<StoredRfc, 'json'>): RfcRecord | null {
  try {
    return JSON.parse(json) as RfcRecord;
  } catch {
    return null;
  }
}

/** The entries of an operation: its intent and its outcome. */
interface Operation {
  /** Of phase `whole` or `intent`. */
  asked: AuditEntry;
  /** Null: its outcome has not come yet. */
  outcome: AuditEntry | null;
}

async function readOperations(
  records: StoredRecords,
  opIds: readonly string[],
): Promise<Map<string, Operation>> {
  const texts: string[] = [];
  for (let at = 0; at < opIds.length; at += AUDIT_READ.COMPARED_AT_ONCE) {
    texts.push(...(await records.entriesOf(opIds.slice(at, at + AUDIT_READ.COMPARED_AT_ONCE))));
  }
  return operationsIn(texts);
}

function operationsIn(texts: readonly string[]): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  const outcomes = new Map<string, AuditEntry>();
  for (const text of texts) {
    const { entry } = readEntry(text);
    if (entry === null) continue;
    if (entry.phase === 'whole') operations.set(entry.op_id, { asked: entry, outcome: entry });
    else if (entry.phase === 'intent') operations.set(entry.op_id, { asked: entry, outcome: null });
    else outcomes.set(entry.op_id, entry);
  }
  for (const [opId, outcome] of outcomes) {
    const operation = operations.get(opId);
    if (operation !== undefined) operation.outcome = outcome;
  }
  return operations;
}

/** From the store to the trail: each decision of a record says what its entry says. */
async function flawsOfRecords(
  rfcs: readonly StoredRfc[],
  records: StoredRecords,
): Promise<string[]> {
  const shown = rfcs.flatMap((row) => {
    const record = recordOf(row);
    return record === null ? [] : [{ row, record }];
  });
  const opIds = shown.flatMap(({ record }) =>
    (record.override_history ?? []).map(({ decision_id }) => decision_id),
  );
  const operations = await readOperations(records, opIds);
  const flaws: string[] = [];
  for (const { row, record } of shown) {
    if (!isWhole(record)) {
      flaws.push(`${row.rfc_id}: fields of the record are missing`);
      continue;
    }
    const carries = isCarried(record) ? await records.carriesOf(row.rfc_id) : [];
    flaws.push(
      ...flawsOfRow(row, record),
      ...flawsOfHistory(record, operations),
      ...flawsOfState(record, operations),
      ...flawsOfCarry(record, carries),
    );
  }
  return flaws;
}

/**
 * What a record shows of its decisions and the entries about it do not say, or say otherwise:
 * sentences. `texts`: all entries about the RFC, in any order.
 */
export function flawsOfShown(record: RfcRecord, texts: readonly string[]): string[] {
  if (!isWhole(record)) return [`${record.rfc_id}: fields of the record are missing`];
  const operations = operationsIn(texts);
  const missing = record.override_history
    .filter(({ decision_id }) => !operations.has(decision_id))
    .map(
      ({ decision_id }) => `${record.rfc_id}: decision ${decision_id} has no entry in the trail`,
    );
  const carries = texts.filter((text) => readEntry(text).entry?.kind === 'carry');
  return [
    ...missing,
    ...flawsOfHistory(record, operations),
    ...flawsOfState(record, operations),
    ...flawsOfCarry(record, carries),
  ];
}

/** Whether it has what every version writes; somebody may have removed it. */
function isWhole(record: Partial<RfcRecord>): boolean {
  const { gates, override_history, submitted_by } = record;
  return (
    [gates?.risk, gates?.ast, gates?.llm].every((gate) => Array.isArray(gate?.findings)) &&
    Array.isArray(override_history) &&
    override_history.every(({ principal }) => typeof principal === 'object') &&
    typeof submitted_by === 'object' &&
    [record.commit_message, record.repo_name].every((text) => typeof text === 'string')
  );
}

/** The trail says, the store shows. */
function differs(where: string, expected: unknown, found: unknown): string[] {
  const [one, other] = [expected, found].map(valueText);
  return one === other ? [] : [`${where}: the trail says ${one}, the store shows ${other}`];
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value ?? null, sortedFields) ?? 'null';
  const most = AUDIT_READ.SHOWN_CHARS_MAX;
  if (text.length <= most) return text;
  // Text that is cut off counts, too.
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS);
  return `${text.slice(0, most).toWellFormed()}… (SHA-256 ${digest}…)`;
}

const DIGEST_DIGITS = 12;

/** Half a character becomes one U+FFFD, or three where SQLite keeps it as text. */
const REPLACED = /[\ufffd\ud800-\udfff]+/gu;

/** Both sides have their fields in one order, and characters that every store can keep. */
function sortedFields(_: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replace(REPLACED, '\ufffd');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** What the store searches by says what the record says. */
function flawsOfRow(row: StoredRfc, record: RfcRecord): string[] {
  const where = (name: string) => `${row.rfc_id}, ${name} of its row`;
  const summary = summaryOf(row);
  return [
    ...flawsOfColumns(row, record, where),
    ...unlike(where('status'), record.overall_status, row.status),
    ...unlike(where('rev'), record.rev, row.rev),
    ...unlike(where('created_at'), record.created_at, row.created_at),
    ...(summary === null
      ? [`${where('summary')}: the store shows no JSON`]
      : flawsOfSummary(summary, record, where)),
  ];
}

function unlike(where: string, expected: unknown, found: unknown): string[] {
  const [one, other] = [expected, found].map(valueText);
  return one === other ? [] : [`${where}: the record says ${one}, the row ${other}`];
}

/** What a row is found by. */
function flawsOfColumns(
  row: Omit<StoredRefusal, 'json' | 'status'>,
  record: RfcRecord,
  where: (name: string) => string,
): string[] {
  return [
    ...unlike(where('rfc_id'), record.rfc_id, row.rfc_id),
    ...unlike(where('tenant_id'), record.tenant_id, row.tenant_id),
    ...unlike(where('repo_key'), record.repo_name.toLowerCase(), row.repo_key),
    ...unlike(where('branch'), record.branch, row.branch),
    ...unlike(where('commit_sha'), record.commit_sha, row.commit_sha),
  ];
}

/**
 * What lists show of an RFC. They cut long texts, older versions elsewhere, and show as many
 * findings as have room; summaries of older versions lack fields.
 */
function flawsOfSummary(
  summary: RfcSummary,
  record: RfcRecord,
  where: (name: string) => string,
): string[] {
  const facts = ({ updated_at, stats, gates, override, emergency, ...rest }: RfcSummary) => ({
    ...rest,
    override,
    risk: gates?.risk?.status,
    ast: gates?.ast?.status,
    llm: gates?.llm?.status,
    findings: GATE_NAMES.map((name) => listed(gates?.[name]?.findings)),
    emergency: emergency?.review ?? null,
  });
  const shown = facts(summary);
  const cut = (whole: string, text: string | undefined) =>
    text === undefined ? whole : whole.slice(0, text.length);
  const { commit_message, override } = record;
  const expected = {
    ...facts(summarise(record)),
    commit_message: cut(commit_message, summary.commit_message),
    override: override && { ...override, reason: cut(override.reason, summary.override?.reason) },
    findings: GATE_NAMES.map((name, at) =>
      listed(record.gates[name].findings).slice(0, shown.findings[at]?.length),
    ),
  };
  return Object.entries(expected).flatMap(([name, value]) => {
    const found = (shown as Record<string, unknown>)[name];
    return found === undefined ? [] : unlike(where(`${name} in the summary`), value, found);
  });
}

const GATE_NAMES = ['risk', 'ast', 'llm'] as const;

function listed(findings: readonly { id: string; severity: string }[] | undefined): string[] {
  return (findings ?? []).map(({ id, severity }) => `${severity} ${id}`);
}

function summaryOf({ summary }: StoredRfc): RfcSummary | null {
  try {
    return JSON.parse(summary) as RfcSummary;
  } catch {
    return null;
  }
}

function flawsOfHistory(record: RfcRecord, operations: ReadonlyMap<string, Operation>): string[] {
  const flaws: string[] = [];
  let before: { opId: string; rev: number } | null = null;
  const met = new Set<string>();
  for (const decision of record.override_history) {
    const { decision_id: opId } = decision;
    if (met.has(opId)) flaws.push(`${record.rfc_id}, override_history: ${opId} stands there twice`);
    met.add(opId);
    const operation = operations.get(opId);
    // That there is no entry is found by `undocumented`.
    if (operation === undefined) continue;
    flaws.push(...flawsOfDecision(record, decision, operation));
    const rev = operation.asked.rfc_rev ?? 0;
    if (before !== null && rev <= before.rev) {
      flaws.push(
        `${record.rfc_id}, override_history: ${opId} stands behind ${before.opId}, ` +
          `but the trail says that it was made before`,
      );
    }
    before = { opId, rev };
  }
  return flaws;
}

function flawsOfDecision(
  record: RfcRecord,
  decision: Decision,
  { asked, outcome }: Operation,
): string[] {
  const { rfc_id, tenant_id, repo_name, diff_hash, push } = record;
  const { decision_id, action, principal, actor, reason, at, commit_sha } = decision;
  const where = (name: string) => `${rfc_id}, decision ${decision_id}, ${name}`;
  const { details } = asked;
  const said = (name: string) => details[name];
  const kind = kindOf(decision.emergency ? { action, review_due_at: '' } : { action });
  const later = new Set(['refused', 'aborted']);
  return [
    ...(outcome !== null && later.has(outcome.phase)
      ? differs(where('outcome'), outcome.phase, 'done')
      : []),
    ...differs(where('rfc_id'), asked.rfc_id, rfc_id),
    ...differs(where('tenant_id'), asked.tenant_id, tenant_id),
    ...differs(where('repo_name'), asked.repo_name, repo_name.toWellFormed()),
    ...differs(where('kind'), asked.kind, kind),
    ...differs(where('principal'), personOf(asked.principal), personOf(principal)),
    ...differs(where('actor'), asked.actor, actor.toWellFormed()),
    ...differs(where('reason'), asked.reason, reason.toWellFormed()),
    ...differs(where('commit_sha'), said('commit_sha'), commit_sha?.toWellFormed() ?? null),
    ...differs(
      where('repo_full_name'),
      said('repo_full_name'),
      decision.repo_full_name?.toWellFormed() ?? null,
    ),
    ...differs(where('lifts'), said('lifts'), decision.lifts),
    // Entries of older versions have no time of their own on SQLite.
    ...(said('decided_at') === undefined ? [] : differs(where('at'), said('decided_at'), at)),
    // A push that was reopened was judged again.
    ...(push === null ? differs(`${rfc_id}, diff_hash`, said('diff_hash'), diff_hash) : []),
    // Entries about pushes, and entries of older versions, have no digest.
    ...(said('facts_sha256') !== undefined
      ? differs(
          `${rfc_id}, the change and its findings (SHA-256)`,
          said('facts_sha256'),
          factsDigest(record),
        )
      : []),
  ];
}

/**
 * SHA-256 (hex) of what an RFC says of its change when a person decides about it, and what no
 * decision, review, comment or task changes afterwards: the origin of the change, who submitted
 * it, and what gates 1 and 2 found.
 */
export function factsDigest(record: RfcRecord): string {
  const { branch, commit_message, commit_sha, repo_full_name, ref, submitted_by } = record;
  const { trigger, diff_source, created_at, diff_hash, stats, rules_revision, gates } = record;
  const findings = [...gates.risk.findings, ...gates.ast.findings].map((finding) => {
    const { id, finding_id, gate, severity, message, file, line, excerpt, fingerprint } = finding;
    const { title, flow } = finding;
    const isSuppressed = finding.suppressed !== null;
    // Findings of older versions have neither.
    const added = title === undefined && flow === undefined ? [] : [{ title, flow }];
    return [
      id,
      finding_id,
      gate,
      severity,
      message,
      file,
      line,
      excerpt,
      fingerprint,
      isSuppressed,
      ...added,
    ];
  });
  const facts = {
    branch,
    commit_message,
    commit_sha,
    repo_full_name,
    ref,
    submitted_by,
    trigger,
    diff_source,
    created_at,
    diff_hash,
    stats,
    rules_revision,
    findings,
    statuses: [gates.risk.status, gates.ast.status],
  };
  return createHash('sha256').update(JSON.stringify(facts, sortedFields)).digest('hex');
}

/** All of a principal in words. */
function personOf(principal: Principal | null): string | null {
  if (principal === null) return null;
  const { id, name, email = null, credential, role, tenant_id } = principal;
  return [id, name, email, credential, role, tenant_id].map(String).join(' | ');
}

/** Statuses that a reopened push may have until it is decided about again. */
const JUDGED_AGAIN: ReadonlySet<RfcStatus> = new Set(['DRAFT', 'BLOCKED', 'PASSED', 'SUPERSEDED']);
const DECIDED: ReadonlySet<RfcStatus> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

/** The status, the override and the emergency are what the decisions make of them. */
function flawsOfState(record: RfcRecord, operations: ReadonlyMap<string, Operation>): string[] {
  const { rfc_id, overall_status: status, override_history, push, rev } = record;
  const last = override_history.at(-1);
  if (last === undefined) {
    if (!DECIDED.has(status) || (status === 'OVERRIDDEN' && push !== null)) return [];
    return [`${rfc_id}, overall_status: the store shows ${status}, the trail has no decision`];
  }
  const operation = operations.get(last.decision_id);
  if (operation === undefined) return [];
  const { details } = operation.asked;
  const after = details['status_after'] as RfcStatus | undefined;
  const where = `${rfc_id}, overall_status after decision ${last.decision_id}`;
  const revAfter = (operation.asked.rfc_rev ?? 0) + 1;
  const flaws: string[] = [];
  if (rev < revAfter) flaws.push(...differs(`${rfc_id}, rev`, revAfter, rev));
  // A rejection stands for good; another verdict of a push may have fallen since.
  const mayFall = push !== null && after !== 'REJECTED' && rev > revAfter;
  const isAgain = mayFall && (JUDGED_AGAIN.has(status) || isCarried(record));
  if (after !== undefined && !isAgain) flaws.push(...differs(where, after, status));
  return [...flaws, ...flawsOfOverride(record), ...flawsOfEmergency(record, operations)];
}

/** It names the decision that let the change pass, in the words of that. */
function flawsOfOverride(record: RfcRecord): string[] {
  const { rfc_id, overall_status, override, override_history } = record;
  if (overall_status !== 'OVERRIDDEN' || isCarried(record)) return [];
  const made = override_history.filter(isPassing).map(({ actor, reason }) => ({ actor, reason }));
  const texts = new Set(made.map(valueText));
  if (override !== null && texts.has(valueText(override))) return [];
  return differs(`${rfc_id}, override`, made.at(-1), override);
}

function flawsOfEmergency(record: RfcRecord, operations: ReadonlyMap<string, Operation>): string[] {
  const { rfc_id, emergency, push, overall_status } = record;
  const expected = emergencyOf(record, operations);
  // It goes with the override when a push is reopened.
  const mayLack = push !== null && (overall_status !== 'OVERRIDDEN' || isCarried(record));
  if (emergency === undefined && mayLack) return [];
  return differs(`${rfc_id}, emergency`, expected, emergency);
}

const REVIEWS: Partial<Record<Decision['action'], Emergency['review']>> = {
  confirm: 'confirmed',
  object: 'objected',
  reject: 'rejected',
};

/** What the decisions make of an emergency, by their entries. */
function emergencyOf(
  { override_history }: RfcRecord,
  operations: ReadonlyMap<string, Operation>,
): Emergency | null {
  return override_history.reduce<Emergency | null>((former, { decision_id, action }) => {
    const asked = operations.get(decision_id)?.asked;
    const due = asked?.kind === 'emergency-override' ? asked.details['review_due_at'] : undefined;
    if (typeof due === 'string') return { decision_id, due_at: due, review: 'due' };
    const review = REVIEWS[action];
    if (review === undefined) return null;
    if (former?.review !== 'due') return former;
    return { decision_id: former.decision_id, due_at: former.due_at, review };
  }, null);
}

function isCarried({ overall_status, carried_from }: RfcRecord): boolean {
  return overall_status === 'OVERRIDDEN' && (carried_from ?? []).length > 0;
}

function flawsOfCarry(record: RfcRecord, carries: readonly string[]): string[] {
  if (!isCarried(record)) return [];
  const { rfc_id, carried_from } = record;
  const entries = carries.flatMap((text) => readEntry(text).entry ?? []);
  const said = entries.filter(({ phase }) => phase === 'whole' || phase === 'intent');
  const newest = said.sort((a, b) => (a.rfc_rev ?? 0) - (b.rfc_rev ?? 0)).at(-1);
  // `undocumented` reports a carry without an entry, where nobody decided before.
  if (newest === undefined) {
    return record.override_history.length === 0
      ? []
      : [`${rfc_id}, carried_from: the store shows a carry, the trail has none`];
  }
  return differs(`${rfc_id}, carried_from`, newest.details['carried_from'], carried_from);
}

/** An entry names so many first characters of a fingerprint. */
export const FINGERPRINT_CHARS = 16;

async function flawsOfAccepted(
  rows: readonly StoredAcceptance[],
  records: StoredRecords,
  seen: Seen,
): Promise<string[]> {
  const rfcIds = [...new Set(rows.map(({ rfc_id }) => rfc_id))];
  const found = await records.among(rfcIds);
  const byId = new Map(found.map((rfc) => [rfc.rfc_id, recordOf(rfc)]));
  const opIds = [...byId.values()].flatMap((record) =>
    (record?.override_history ?? []).map(({ decision_id }) => decision_id),
  );
  const operations = await readOperations(records, [...new Set(opIds)]);
  return rows.flatMap((row) =>
    flawsOfAcceptance(row, byId.get(row.rfc_id) ?? null, operations, seen),
  );
}

function flawsOfAcceptance(
  row: StoredAcceptance,
  record: RfcRecord | null,
  operations: ReadonlyMap<string, Operation>,
  seen: Seen,
): string[] {
  const { rfc_id, fingerprint, tenant_id, repo_key } = row;
  const name = `accepted fingerprint ${fingerprint.slice(0, FINGERPRINT_CHARS)} of ${rfc_id}`;
  if (record === null) return [`${name}: the store shows it, and ${rfc_id} is not there`];
  const made = record.override_history.findLast((one) => one.at === row.at && isPassing(one));
  const operation = operations.get(made?.decision_id ?? '');
  if (made === undefined || operation === undefined) {
    return [`${name}: the trail has no decision of ${row.at} that accepts it`];
  }
  const { asked } = operation;
  const { details } = asked;
  const where = (field: string) => `${name}, ${field}`;
  const by = `${asked.actor} (${asked.principal?.id}), ${rfc_id}`;
  const { repo_name } = record;
  return [
    ...(isAcceptedBy(fingerprint, record, asked)
      ? []
      : [`${name}: decision ${made.decision_id} does not accept it`]),
    ...differs(where('tenant_id'), asked.tenant_id, tenant_id),
    ...differs(
      where('repository'),
      (asked.repo_name ?? repo_name).toLowerCase(),
      repo_key.toWellFormed(),
    ),
    ...differs(where('by'), by, row.by.toWellFormed()),
    ...differs(where('reason'), asked.reason, row.reason.toWellFormed()),
    ...differs(where('expires_at'), details['expires_at'] ?? null, row.expires_at),
    ...flawsOfEnded(name, row, asked, seen),
  ];
}

/** Entries of older versions name no fingerprints: the fingerprints of the RFC's findings count. */
function isAcceptedBy(fingerprint: string, record: RfcRecord, { details }: AuditEntry): boolean {
  const named = details['accepted_findings'];
  if (Array.isArray(named)) return named.includes(fingerprint.slice(0, FINGERPRINT_CHARS));
  if (details['accepted'] === 0) return false;
  if (record.push !== null) return true;
  const { risk, ast, llm } = record.gates;
  const findings = [...risk.findings, ...ast.findings, ...llm.findings];
  return findings.some((one) => one.fingerprint === fingerprint && isAcceptable(one));
}

/** A fingerprint whose acceptance was ended later counts again. */
function flawsOfEnded(
  name: string,
  { tenant_id, repo_key, fingerprint }: StoredAcceptance,
  asked: AuditEntry,
  { ended }: Seen,
): string[] {
  const end = ended.get(placeOf(tenant_id, repo_key, fingerprint));
  if (end === undefined) return [];
  const isLater =
    end.chain === asked.chain
      ? end.seq > asked.seq
      : Date.parse(end.ts) - Date.parse(asked.ts) > AUDIT_READ.CLOCK_DIFFERENCE_MS;
  return isLater ? [`${name}: the store shows it, but ${placed(end)} ended it`] : [];
}

async function readRevisions(records: StoredRecords): Promise<Map<number, StoredRevision>> {
  const revisions = new Map<number, StoredRevision>();
  for await (const batch of records.revisions()) {
    for (const revision of batch) revisions.set(revision.number, revision);
  }
  return revisions;
}

/** `before` and `after`: what the store showed before and after the trail was read. */
function flawsOfRevisions(
  before: ReadonlyMap<number, StoredRevision>,
  after: ReadonlyMap<number, StoredRevision>,
  { rules, rulesIntents }: Seen,
): string[] {
  const open = new Set([...rulesIntents.values()].map(({ details }) => details['number']));
  const flaws: string[] = [];
  for (const [number, revision] of before) {
    const entry = rules.get(number);
    if (entry !== undefined) flaws.push(...flawsOfRevision(revision, entry));
    else if (!open.has(number))
      flaws.push(`rules, revision ${number}: the trail has no entry of it`);
  }
  for (const [number, entry] of rules) {
    if (after.has(number)) continue;
    flaws.push(`rules, revision ${number} is missing: ${placed(entry)} made it`);
  }
  return flaws;
}

function flawsOfRevision(
  { number, entry: json, textSha256 }: StoredRevision,
  { principal, details }: AuditEntry,
): string[] {
  const where = (field: string) => `rules, revision ${number}, ${field}`;
  let shown: Record<string, unknown>;
  try {
    shown = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return [`${where('entry')}: the store shows no JSON`];
  }
  const names = ['revision', 'source', 'text_sha256', 'comment'].filter((name) => name in details);
  const stored = details['stored_sha256'];
  return [
    ...differs(where('number'), number, shown['number']),
    ...names.flatMap((name) => differs(where(name), details[name], shown[name])),
    ...differs(where('added_by'), principal?.id ?? 'cra', shown['added_by']),
    ...(stored ? differs(where('SHA-256 of the text'), stored, textSha256) : []),
  ];
}
