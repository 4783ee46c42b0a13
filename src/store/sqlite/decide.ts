import { agentDayMax, agentDayUsedUp } from '../../model/agent.ts';
import type { AuditEntry, AuditEvent, AuditPlace } from '../../model/audit.ts';
import {
  acceptanceOf,
  acceptedFindings,
  comparesRejections,
  decided,
  type NewAcceptance,
  withLifted,
  withRemark,
} from '../../model/decision.ts';
import { AGENTS } from '../../model/limits.ts';
import {
  acceptsHead,
  deletedRecord,
  type RfcRecord,
  recordText,
  statusHost,
} from '../../model/records.ts';
import { commitsLifted } from '../../model/release.ts';
import type {
  AppendOutput,
  DecideInput,
  DecideOutput,
  EndAcceptanceInput,
  MoveInput,
  RemarkInput,
  RemarkOutput,
} from '../contract/trail.ts';
import {
  notWhole,
  otherRequest,
  overdueReview,
  staleRfc,
  unknownAcceptance,
  unknownRfc,
} from '../errors.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { decisionEvent, isSameEvent } from '../trail.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connection } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHeadSteps } from './pushes/claims.ts';
import { PUSH_QUERIES } from './pushes/queries.ts';
import { createRefusalWriter, createRejectedFinder } from './pushes/refusals.ts';
import { QUERIES, type StateRow } from './queries.ts';
import { createRevision } from './records.ts';
import { createTaskSteps } from './tasks.ts';
import { createTrendSteps } from './trends.ts';

interface KnownOp {
  tenant_id: string;
  rfc_id: string;
  request_hash: string;
  output: string;
}

interface KnownEntry extends AuditPlace {
  kind: string;
  entry: string;
}

/** The changes that a decision about a record makes. */
interface Change {
  /** Null: the record is deleted. */
  next: RfcRecord | null;
  accepts: readonly NewAcceptance[];
  withdraws: boolean;
}

interface DecisionParts {
  database: Connection;
  log: AuditLog;
  commits: Pick<GroupCommit, 'trends'>;
  /** Ms since the epoch. */
  now: () => number;
}

/** Decisions and events as they run within a transaction (see `Operation.run`). */
export function createDecisionSteps({ database, log, commits, now }: DecisionParts) {
  const findState = database.prepare<[string], StateRow>(QUERIES.state);
  const replaceRow = database.prepare(QUERIES.decide);
  const removeRow = database.prepare(QUERIES.remove);
  const findOp = database.prepare<[string], KnownOp>(QUERIES.decisionOp);
  const addOp = database.prepare(QUERIES.addDecisionOp);
  const findEntry = database.prepare<[string, string], KnownEntry>(QUERIES.auditOp);
  const addDeleted = database.prepare(PUSH_QUERIES.addDeleted);
  const keepRefusal = createRefusalWriter(database);
  const findRejected = createRejectedFinder(database);
  const findOverdue = database.prepare<[string], { rfc_id: string; due_at: string }>(
    QUERIES.overdueEmergency,
  );
  const countByAgents = database.prepare<[string], { count: number }>(QUERIES.overridesByAgents);
  const heads = createHeadSteps(database, now);
  const accepted = createAcceptedWriter(database);
  const tasks = createTaskSteps(database);
  const trends = createTrendSteps(database, commits.trends);

  function decide(input: DecideInput): DecideOutput {
    const earlier = findOp.get(input.op_id);
    if (earlier !== undefined) return replay(earlier, input);
    if (findEntry.get(input.op_id, 'whole') !== undefined) throw otherRequest();
    const state = findState.get(input.rfc_id);
    if (state?.tenant_id !== input.tenant_id) throw unknownRfc();
    const record = parseRecord(state.json);
    const commits = comparesRejections(input.request) ? commitsLifted(record, input.request) : null;
    const rejected = commits === null ? null : findRejected(commits);
    const request = withLifted(input.request, rejected);
    const change = changeOf(record, { ...input, request }, rejected ?? []);
    if (change === null) throw staleRfc(state);
    const overdue = input.request.refuse_overdue ? findOverdue.get(input.tenant_id) : undefined;
    if (overdue !== undefined) throw overdueReview(overdue);
    requireDayHasRoom(request);
    const audit = log.append(
      decisionEvent({
        opId: input.op_id,
        request,
        record,
        json: state.json,
        statusAfter: change.next?.overall_status ?? null,
        accepted: change.accepts.map(({ fingerprint }) => fingerprint),
        withdrawn: change.withdraws ? accepted.count(record) : 0,
      }),
    );
    // Nothing may fail from here on: the entry is written.
    heads.decided(record, change.next);
    if (change.next === null) remove(record, input.request.at);
    else replace(change.next, record.rev);
    if (change.withdraws) accepted.withdraw(record);
    accepted.add(record, change.accepts, input.request.at);
    const output = outputOf(record, change.next, audit);
    const { op_id, tenant_id, rfc_id, request_hash } = input;
    addOp.run(op_id, tenant_id, rfc_id, request_hash, JSON.stringify(output));
    return output;
  }

  /** The entries that are counted were written by transactions before this one. */
  function requireDayHasRoom(request: DecideInput['request']): void {
    const most = agentDayMax(request);
    if (most === null) return;
    const since = new Date(now() - AGENTS.DAY_MS).toISOString();
    if ((countByAgents.get(since)?.count ?? 0) >= most) throw agentDayUsedUp(most);
  }

  /** Closes its tasks, queues a commit status for its host, and keeps what it refused. */
  function remove(record: RfcRecord, at: string): void {
    const { rfc_id, tenant_id, rev } = record;
    const host = statusHost(record);
    if (host !== null) {
      addDeleted.run(host, now(), JSON.stringify(deletedRecord(record, at)), rfc_id);
    }
    keepRefusal(record, at);
    trends.counted(rfc_id, '');
    removeRow.run(rfc_id, tenant_id, rev);
    tasks.closeOf(record, at);
  }

  function replace(record: RfcRecord, expectedRev: number): void {
    const { overall_status, rev, rfc_id, tenant_id } = record;
    const { json, summary, vcs_host, trend } = recordText(record);
    const dueMs = vcs_host === null ? null : now();
    const status = [vcs_host, dueMs, acceptsHead(record) ? 1 : null];
    const id = [rfc_id, tenant_id, expectedRev];
    replaceRow.run(overall_status, rev, summary, json, ...status, ...id);
    trends.counted(rfc_id, trend);
  }

  const appendEvent = createEventStep(database, log);
  const moveRfc = createMoveStep({ database, log, commits, now });
  return { decide, appendEvent, moveRfc, ...createRemarkSteps(database, appendEvent) };
}

/** An event as it runs within a transaction. */
function createEventStep(database: Connection, log: AuditLog) {
  const findEntry = database.prepare<[string, string], KnownEntry>(QUERIES.auditOp);
  return (event: AuditEvent): AppendOutput => {
    if (event.phase !== 'whole') throw notWhole();
    const earlier = findEntry.get(event.op_id, event.phase);
    if (earlier === undefined) return { ...log.append(event), replayed: false };
    if (!isSameEvent(JSON.parse(earlier.entry) as AuditEntry, event)) throw otherRequest();
    return { chain: earlier.chain, seq: earlier.seq, replayed: true };
  };
}

/** The move of a review with its entry, within a transaction. */
function createMoveStep({ database, log, commits, now }: DecisionParts) {
  const revise = createRevision(database, commits.trends, now);
  return ({ event, ...input }: MoveInput): { rev: number } => {
    if (event.phase !== 'whole') throw notWhole();
    // Nothing may fail once the entry is written.
    return revise(input, () => log.append(event));
  };
}

/** What people add besides decisions, as it runs within a transaction. */
function createRemarkSteps(database: Connection, appendEvent: (event: AuditEvent) => AppendOutput) {
  const findState = database.prepare<[string], StateRow>(QUERIES.state);
  const findEntry = database.prepare<[string, string], KnownEntry>(QUERIES.auditOp);
  const accepted = createAcceptedWriter(database);
  const tasks = createTaskSteps(database);

  function addRemark({ tenant_id, rfc_id, remark, event }: RemarkInput): RemarkOutput {
    const state = findState.get(rfc_id);
    if (state?.tenant_id !== tenant_id) throw unknownRfc();
    const record = parseRecord(state.json);
    const next = withRemark(record, remark);
    const written = appendEvent(event);
    if (next !== record) tasks.setRecord(next);
    return { ...written, rev: next.rev };
  }

  function endAcceptance({ event, ...what }: EndAcceptanceInput): AppendOutput {
    const isRepeat = findEntry.get(event.op_id, event.phase) !== undefined;
    if (!isRepeat && !accepted.isAccepted(what)) throw unknownAcceptance();
    const written = appendEvent(event);
    if (!isRepeat) accepted.end(what);
    return written;
  }

  return { addRemark, endAcceptance };
}

/** Null: the transition table does not allow it, or the record has another rev. */
function changeOf(
  record: RfcRecord,
  { op_id, request, expectedRev }: DecideInput,
  rejected: readonly RfcRecord[],
): Change | null {
  if (expectedRev !== null && expectedRev !== record.rev) return null;
  const isDeletion = request.action === 'delete';
  const next = decided(record, op_id, request, rejected);
  if (next === null && !isDeletion) return null;
  const acceptance = acceptanceOf(request);
  return {
    next,
    accepts: acceptance === 'add' ? acceptedFindings(record, request) : [],
    withdraws: acceptance === 'withdraw',
  };
}

function outputOf(
  { rfc_id, repo_name }: RfcRecord,
  next: RfcRecord | null,
  audit: AuditPlace,
): DecideOutput {
  return {
    rfc_id,
    overall_status: next?.overall_status ?? null,
    decision: next?.override_history.at(-1) ?? null,
    repo_name,
    audit,
    replayed: false,
  };
}

function replay(earlier: KnownOp, { tenant_id, rfc_id, request_hash }: DecideInput): DecideOutput {
  const isSame =
    earlier.tenant_id === tenant_id &&
    earlier.rfc_id === rfc_id &&
    earlier.request_hash === request_hash;
  if (!isSame) throw otherRequest();
  return { ...(JSON.parse(earlier.output) as DecideOutput), replayed: true };
}

/** Whose fingerprints: what a decision accepts holds in the repository of its RFC. */
interface AcceptingRfc {
  tenant_id: string;
  rfc_id: string;
  repo_name: string;
}

/** Writes what decisions accept and withdraw, within their transaction. */
interface AcceptedWriter {
  add(rfc: AcceptingRfc, fingerprints: readonly NewAcceptance[], at: string): void;
  /** How many fingerprints decisions about this RFC have accepted. */
  count(rfc: AcceptingRfc): number;
  /** Takes them back; where another RFC accepted the same, that stays. */
  withdraw(rfc: AcceptingRfc): void;
  isAccepted(what: AcceptedPlace): boolean;
  /** Takes it back, whichever RFCs accepted it. */
  end(what: AcceptedPlace): void;
}

type AcceptedPlace = Omit<EndAcceptanceInput, 'event'>;

/** The accepted fingerprints of a database that is open for writing. */
function createAcceptedWriter(database: Connection): AcceptedWriter {
  const insert = database.prepare(QUERIES.accept);
  const countRows = database.prepare<[string, string], { count: number }>(QUERIES.acceptedByRfc);
  const remove = database.prepare(QUERIES.withdraw);
  const find = database.prepare<[string, string, string]>(QUERIES.accepted);
  const end = database.prepare<[string, string, string]>(QUERIES.endAcceptance);
  return {
    isAccepted: ({ tenant_id, repo_name, fingerprint }) =>
      find.get(tenant_id, repoKey(repo_name), fingerprint) !== undefined,
    end({ tenant_id, repo_name, fingerprint }) {
      end.run(tenant_id, repoKey(repo_name), fingerprint);
    },
    add({ tenant_id, rfc_id, repo_name }, fingerprints, at) {
      for (const { fingerprint, by, reason, rule, expires_at } of fingerprints) {
        const key = [tenant_id, repoKey(repo_name), fingerprint, rfc_id];
        insert.run(...key, by, reason, at, rule, expires_at);
      }
    },
    count: ({ tenant_id, rfc_id }) => countRows.get(tenant_id, rfc_id)?.count ?? 0,
    withdraw({ tenant_id, rfc_id }) {
      remove.run(tenant_id, rfc_id);
    },
  };
}
