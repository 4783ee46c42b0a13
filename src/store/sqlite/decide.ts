import { agentDayMax, agentDayUsedUp } from '../../model/agent.ts';
import type { AuditEntry, AuditEvent } from '../../model/audit.ts';
import { type DecisionRequest, type NewAcceptance, withRemark } from '../../model/decision.ts';
import { AGENTS } from '../../model/limits.ts';
import { acceptsHead, type RfcRecord, recordText } from '../../model/records.ts';
import type { CarryInput } from '../contract/pushes.ts';
import type {
  AppendOutput,
  DecideInput,
  DecideOutput,
  EndAcceptanceInput,
  MoveInput,
  RemarkInput,
  RemarkOutput,
} from '../contract/trail.ts';
import { otherRequest, staleRfc, unknownAcceptance, unknownRfc } from '../errors.ts';
import {
  commitsCompared,
  decisionEvent,
  decisionOutput,
  leftovers,
  planDecision,
  requireSameRequest,
} from '../steps/decision.ts';
import { checkOutcome } from '../steps/push.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { isSameEvent, requireWhole } from '../trail.ts';
import type { AuditLog } from './audit-log.ts';
import { type Connection, prepared } from './connection.ts';
import type { DiffSegments } from './diffs.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHeadSteps } from './pushes/claims.ts';
import { PUSH_QUERIES } from './pushes/queries.ts';
import { createRejectedFinder } from './pushes/refusals.ts';
import { QUERIES, type StateRow } from './queries.ts';
import { createRecordSteps, createRevision } from './records.ts';
import { createTaskSteps } from './tasks.ts';
import { createTrendSteps } from './trends.ts';

interface DecisionParts {
  database: Connection;
  segments: DiffSegments;
  log: AuditLog;
  commits: GroupCommit;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * Decisions and the other changes that the trail records, as they run within a transaction (see
 * `Operation.run`): nothing may fail once the entry is written.
 */
export function createDecisionSteps(parts: DecisionParts) {
  const { database, log, commits, now } = parts;
  const queries = prepared(database, QUERIES);
  const findRejected = createRejectedFinder(database);
  const accepted = createAcceptedWriter(database);
  const tasks = createTaskSteps(database);
  const records = createRecordSteps(parts);
  const revise = createRevision(database, commits.trends, now);
  const write = createReplacement(parts);

  function decide(input: DecideInput): DecideOutput {
    const { op_id, tenant_id, rfc_id, request_hash, request: asked } = input;
    const earlier = queries.decisionOp.get(op_id);
    if (earlier !== undefined) {
      requireSameRequest(earlier, input);
      return { ...(JSON.parse(earlier.output) as DecideOutput), replayed: true };
    }
    if (queries.auditOp.get(op_id, 'whole') !== undefined) throw otherRequest();
    const { json } = requireState(rfc_id, tenant_id);
    const record = parseRecord(json);
    const commits = commitsCompared(record, asked);
    const facts = {
      rejected: commits === null ? null : findRejected(commits),
      overdue: asked.refuse_overdue ? (queries.overdueEmergency.get(tenant_id) ?? null) : null,
    };
    const plan = planDecision({ record, json }, input, op_id, facts);
    const { request, next, acceptance, accepts } = plan;
    requireDayHasRoom(request);
    const withdrawn = acceptance === 'withdraw' ? accepted.count(record) : 0;
    const audit = log.append(decisionEvent(plan, withdrawn));
    write(record, next, request.at);
    if (acceptance === 'withdraw') accepted.withdraw(record);
    accepted.add(record, accepts, request.at);
    const output = decisionOutput(plan, audit);
    queries.addDecisionOp.run(op_id, tenant_id, rfc_id, request_hash, JSON.stringify(output));
    return output;
  }

  function requireState(rfcId: string, tenantId: string): StateRow {
    const state = queries.state.get(rfcId);
    if (state?.tenant_id !== tenantId) throw unknownRfc();
    return state;
  }

  /** The entries that are counted were written by transactions before this one. */
  function requireDayHasRoom(request: DecisionRequest): void {
    const most = agentDayMax(request);
    if (most === null) return;
    const since = new Date(now() - AGENTS.DAY_MS).toISOString();
    if ((queries.overridesByAgents.get(since)?.count ?? 0) >= most) throw agentDayUsedUp(most);
  }

  function appendEvent(event: AuditEvent): AppendOutput {
    requireWhole(event);
    const earlier = queries.auditOp.get(event.op_id, event.phase);
    if (earlier === undefined) return { ...log.append(event), replayed: false };
    if (!isSameEvent(JSON.parse(earlier.entry) as AuditEntry, event)) throw otherRequest();
    return { chain: earlier.chain, seq: earlier.seq, replayed: true };
  }

  /** A verdict that decisions about other RFCs cover. */
  function carry({ record, expectedRev, event }: CarryInput): { rev: number } {
    requireWhole(event);
    checkOutcome(record, expectedRev);
    const state = requireState(record.rfc_id, record.tenant_id);
    if (state.status !== 'DRAFT' || state.rev !== expectedRev) throw staleRfc(state);
    log.append(event);
    return records.complete(record, expectedRev);
  }

  function moveRfc({ event, ...input }: MoveInput): { rev: number } {
    requireWhole(event);
    return revise(input, () => log.append(event));
  }

  function addRemark({ tenant_id, rfc_id, remark, event }: RemarkInput): RemarkOutput {
    const record = parseRecord(requireState(rfc_id, tenant_id).json);
    const next = withRemark(record, remark);
    const written = appendEvent(event);
    if (next !== record) tasks.setRecord(next);
    return { ...written, rev: next.rev };
  }

  function endAcceptance({ event, ...place }: EndAcceptanceInput): AppendOutput {
    const isRepeat = queries.auditOp.get(event.op_id, event.phase) !== undefined;
    if (!isRepeat && !accepted.isAccepted(place)) throw unknownAcceptance();
    const written = appendEvent(event);
    if (!isRepeat) accepted.end(place);
    return written;
  }

  return { decide, appendEvent, carry, moveRfc, addRemark, endAcceptance };
}

/** Replaces a record by the one after a decision, or removes it; with all that follows from it. */
function createReplacement({ database, commits, now }: DecisionParts) {
  const queries = prepared(database, QUERIES);
  const ofPushes = prepared(database, PUSH_QUERIES);
  const heads = createHeadSteps(database, now);
  const tasks = createTaskSteps(database);
  const trends = createTrendSteps(database, commits.trends);

  function remove(record: RfcRecord, at: string): void {
    const { rfc_id, tenant_id, rev } = record;
    const { refusal, status } = leftovers(record, at);
    if (status !== null) {
      ofPushes.addDeleted.run(status.host, now(), JSON.stringify(status.record), rfc_id);
    }
    if (refusal !== null) {
      ofPushes.addRefusal.run(refusal.overall_status, JSON.stringify(refusal), rfc_id);
    }
    trends.counted(rfc_id, '');
    queries.remove.run(rfc_id, tenant_id, rev);
    tasks.closeOf(record, at);
  }

  function replace(next: RfcRecord, expectedRev: number): void {
    const { overall_status, rev, rfc_id, tenant_id } = next;
    const { json, summary, vcs_host, trend } = recordText(next);
    const dueMs = vcs_host === null ? null : now();
    const status = [vcs_host, dueMs, acceptsHead(next) ? 1 : null];
    const id = [rfc_id, tenant_id, expectedRev];
    queries.decide.run(overall_status, rev, summary, json, ...status, ...id);
    trends.counted(rfc_id, trend);
  }

  return (record: RfcRecord, next: RfcRecord | null, at: string): void => {
    heads.changed(record, next);
    if (next === null) remove(record, at);
    else replace(next, record.rev);
  };
}

/** What decisions accept holds in the repository of their RFC. */
interface AcceptingRfc {
  tenant_id: string;
  rfc_id: string;
  repo_name: string;
}

type AcceptedPlace = Omit<EndAcceptanceInput, 'event'>;

/** The accepted fingerprints, within a transaction. */
function createAcceptedWriter(database: Connection) {
  const queries = prepared(database, QUERIES);
  return {
    add(rfc: AcceptingRfc, accepts: readonly NewAcceptance[], at: string): void {
      const { tenant_id, rfc_id, repo_name } = rfc;
      for (const { fingerprint, by, reason, rule, expires_at } of accepts) {
        const key = [tenant_id, repoKey(repo_name), fingerprint, rfc_id];
        queries.accept.run(...key, by, reason, at, rule, expires_at);
      }
    },
    /** How many fingerprints decisions about this RFC have accepted. */
    count: ({ tenant_id, rfc_id }: AcceptingRfc): number =>
      queries.acceptedByRfc.get(tenant_id, rfc_id)?.count ?? 0,
    /** Takes them back; where another RFC accepted the same, that stays. */
    withdraw({ tenant_id, rfc_id }: AcceptingRfc): void {
      queries.withdraw.run(tenant_id, rfc_id);
    },
    isAccepted: ({ tenant_id, repo_name, fingerprint }: AcceptedPlace): boolean =>
      queries.accepted.get(tenant_id, repoKey(repo_name), fingerprint) !== undefined,
    /** Takes it back, whichever RFCs accepted it. */
    end({ tenant_id, repo_name, fingerprint }: AcceptedPlace): void {
      queries.endAcceptance.run(tenant_id, repoKey(repo_name), fingerprint);
    },
  };
}
