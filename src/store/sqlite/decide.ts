import { agentDayMax, agentDayUsedUp } from '../../model/agent.ts';
import type { AuditEntry, AuditEvent } from '../../model/audit.ts';
import { type DecisionRequest, withRemark } from '../../model/decision.ts';
import { requestEvent } from '../../model/event.ts';
import { AGENTS } from '../../model/limits.ts';
import { acceptsHead, type RfcRecord, recordText } from '../../model/records.ts';
import { trendText } from '../../model/trend.ts';
import type { PushWriter } from '../contract/pushes.ts';
import type { AppendOutput, DecideOutput, TrailWriter } from '../contract/trail.ts';
import { otherRequest, unknownAcceptance } from '../errors.ts';
import {
  commitsCompared,
  decisionEvent,
  decisionOutput,
  leftovers,
  planDecision,
  requireSameRequest,
} from '../steps/decision.ts';
import { requireState } from '../steps/push.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { isSameEvent } from '../trail.ts';
import { prepared } from './connection.ts';
import { createEventSteps } from './events.ts';
import type { Steps, WriterParts } from './group-commit.ts';
import { createHeadSteps } from './pushes/heads.ts';
import { PUSH_QUERIES } from './pushes/queries.ts';
import { createRejectedFinder } from './pushes/refusals.ts';
import { QUERIES } from './queries.ts';
import { createRecordSetter, createRecordSteps, createRevision, stateOf } from './records.ts';
import { createTaskCloser } from './tasks.ts';
import { createTrendSteps } from './trends.ts';

/**
 * Decisions and the other changes that the trail records, as they run within a transaction (see
 * `Operation.run`): nothing may fail once the entry is written.
 */
export function createDecisionSteps(parts: WriterParts) {
  const { database, log, now } = parts;
  const queries = prepared(database, QUERIES);
  const findRejected = createRejectedFinder(database);
  const setRecord = createRecordSetter(database);
  const { completeDraft } = createRecordSteps(parts);
  const revise = createRevision(parts);
  const write = createReplacement(parts);
  const trends = createTrendSteps(database, parts.commits.trends);
  const { publish } = createEventSteps(database, parts.lanes ?? []);

  /** The entries that are counted were written by transactions before this one. */
  function requireDayHasRoom(request: DecisionRequest): void {
    const most = agentDayMax(request);
    if (most === null) return;
    const since = new Date(now() - AGENTS.DAY_MS).toISOString();
    if ((queries.overridesByAgents.get(since)?.count ?? 0) >= most) throw agentDayUsedUp(most);
  }

  function appendEvent({ event }: { event: AuditEvent }): AppendOutput {
    const earlier = queries.auditOp.get(event.op_id, event.phase);
    if (earlier === undefined) return { ...log.append(event), replayed: false };
    if (!isSameEvent(JSON.parse(earlier.entry) as AuditEntry, event)) throw otherRequest();
    return { chain: earlier.chain, seq: earlier.seq, replayed: true };
  }

  return {
    decide(input) {
      const { op_id, tenant_id, rfc_id, request_hash, request: requested } = input;
      const earlier = queries.decisionOp.get(op_id);
      if (earlier !== undefined) {
        requireSameRequest(earlier, input);
        return { ...(JSON.parse(earlier.output) as DecideOutput), replayed: true };
      }
      if (queries.auditOp.get(op_id, 'whole') !== undefined) throw otherRequest();
      const { json } = stateOf(queries, input);
      const record = parseRecord(json);
      const commits = commitsCompared(record, requested);
      const facts = {
        rejected: commits === null ? null : findRejected(commits),
        overdue: requested.refuse_overdue
          ? (queries.overdueEmergency.get(tenant_id) ?? null)
          : null,
      };
      const plan = planDecision({ record, json }, input, op_id, facts);
      const { request, next, acceptance, accepts } = plan;
      requireDayHasRoom(request);
      const isWithdrawn = acceptance === 'withdraw';
      const withdrawn = isWithdrawn ? queries.acceptedByRfc.get(tenant_id, rfc_id)?.count : 0;
      const audit = log.append(decisionEvent(plan, withdrawn ?? 0));
      write(record, next, request.at);
      // Where another RFC accepted the same, that stays.
      if (isWithdrawn) queries.withdraw.run(tenant_id, rfc_id);
      for (const { fingerprint, by, reason, rule, expires_at } of accepts) {
        const key = [tenant_id, repoKey(record.repo_name), fingerprint, rfc_id];
        queries.accept.run(...key, by, reason, request.at, rule, expires_at);
      }
      const output = decisionOutput(plan, audit);
      queries.addDecisionOp.run(op_id, tenant_id, rfc_id, request_hash, JSON.stringify(output));
      return output;
    },

    appendEvent,

    completePush({ record, expectedRev, event }) {
      const state = stateOf(queries, record);
      requireState(state, 'DRAFT', expectedRev);
      log.append(event);
      return completeDraft({ record, expectedRev });
    },

    moveRfc({ event, ...input }) {
      return revise(input, () => log.append(event));
    },

    addRemark({ remark, event, ...id }) {
      const record = parseRecord(stateOf(queries, id).json);
      const next = withRemark(record, remark);
      const written = appendEvent({ event });
      if (next !== record) {
        setRecord(next);
        trends.counted(next.rfc_id, trendText(next));
        if (remark.kind === 'request') publish([requestEvent(next, remark.request)]);
      }
      return { ...written, rev: next.rev };
    },

    endAcceptance({ event, tenant_id, repo_name, fingerprint }) {
      const place = [tenant_id, repoKey(repo_name), fingerprint];
      const isRepeat = queries.auditOp.get(event.op_id, event.phase) !== undefined;
      if (!isRepeat && queries.accepted.get(...place) === undefined) throw unknownAcceptance();
      const written = appendEvent({ event });
      // Whichever RFCs accepted it.
      if (!isRepeat) queries.endAcceptance.run(...place);
      return written;
    },
  } satisfies Partial<Steps<TrailWriter & PushWriter>>;
}

/** Replaces a record by the one after a decision, or removes it; with all that follows from it. */
function createReplacement({ database, commits, now, lanes = [] }: WriterParts) {
  const queries = prepared(database, QUERIES);
  const ofPushes = prepared(database, PUSH_QUERIES);
  const heads = createHeadSteps(database, now);
  const closeTasks = createTaskCloser(database);
  const { publish } = createEventSteps(database, lanes);
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
    closeTasks(record, at);
  }

  function replace(next: RfcRecord, { overall_status: from, rev: expectedRev }: RfcRecord): void {
    const { overall_status, rev, rfc_id, tenant_id } = next;
    const { json, summary, vcs_host, trend, events } = recordText(next);
    const dueMs = vcs_host === null ? null : now();
    const status = [vcs_host, dueMs, acceptsHead(next) ? 1 : null];
    const id = [rfc_id, tenant_id, expectedRev];
    queries.decide.run(overall_status, rev, summary, json, ...status, ...id);
    trends.counted(rfc_id, trend);
    if (overall_status !== from) publish(events);
  }

  return (record: RfcRecord, next: RfcRecord | null, at: string): void => {
    heads.changed(record, next);
    if (next === null) remove(record, at);
    else replace(next, record);
  };
}
