import type { ExecutionContext } from 'ava';
import type { Redact, RulesSource } from '../../src/analysis/job.ts';
import { createBulkOverride } from '../../src/decisions/bulk-override.ts';
import {
  createDecisions,
  type DecisionAsk,
  type Requester,
} from '../../src/decisions/decisions.ts';
import { createOpsLog } from '../../src/decisions/ops-log.ts';
import { CraError, type StatusCode } from '../../src/model/errors.ts';
import type { TrailStore } from '../../src/store/contract/trail.ts';
import { insert } from '../store/conformance/steps.ts';
import { blockedRecord, MANAGER } from '../store/fixtures/decisions.ts';
import { openHarness } from '../store/sqlite/harness.ts';

export const NOW = new Date('2026-11-21T12:00:00.000Z');

/** The services over the real SQLite store; a test may put something before its trail. */
export async function openServices(
  t: ExecutionContext,
  over: {
    redact?: Redact;
    before?: (trail: TrailStore) => Partial<TrailStore>;
    fourEyes?: boolean;
  } = {},
) {
  const harness = await openHarness(() => NOW.getTime());
  t.teardown(() => harness.close());
  const { store, entries } = harness;
  const trail = { ...harness.trail, ...over.before?.(harness.trail) };
  const cancelled: string[] = [];
  const redact: Redact =
    over.redact ?? (async (texts) => texts.map((text) => text.replaceAll('hunter2', '…')));
  const pipeline = { cancel: (rfcId: string) => cancelled.push(rfcId) };
  const rules = { revision: 'r1', rules: { pipeline: {} } } as unknown as RulesSource;
  const fourEyes = over.fourEyes ?? false;
  const agentCeilings = { max_score: 70, max_overrides_per_day: 20 };
  const baseUrl = () => 'https://cra.example';
  const deciding = { trail, pipeline, redact, fourEyes, agentCeilings, baseUrl };
  const options = { ...deciding, rules, now: () => NOW };
  return {
    store,
    entries,
    cancelled,
    decisions: createDecisions(options),
    bulkOverride: createBulkOverride({ ...options, signingKey: Buffer.alloc(32, 7) }),
    opsLog: createOpsLog(options),
    /** Puts a BLOCKED record into the store. */
    async block(rfc_id: string, tenant_id = 'default') {
      await insert(store, blockedRecord({ rfc_id, tenant_id }));
    },
    async statusOf(rfc_id: string) {
      return (await store.getRfc({ tenant_id: 'default', rfc_id })).overall_status;
    },
  };
}

export function requester(over: Partial<Requester> = {}): Requester {
  return {
    principal: MANAGER,
    remoteAddress: '127.0.0.1',
    signal: null,
    idempotencyKey: null,
    ...over,
  };
}

export function override(rfcId: string, over: Partial<DecisionAsk> = {}): DecisionAsk {
  return {
    route: 'override',
    action: 'override',
    rfcId,
    actor: 'ann',
    reason: 'an example',
    commit_sha: null,
    repo_full_name: null,
    accept_findings: false,
    expires_at: null,
    emergency: false,
    expectedRev: null,
    ...over,
  };
}

export function failure(code: StatusCode, message = 'the store says no'): CraError {
  return new CraError(code, message);
}

/** The error with which a call is refused. */
export async function refusal(t: ExecutionContext, call: Promise<unknown>): Promise<CraError> {
  const error = await t.throwsAsync(call, { instanceOf: CraError });
  return error ?? failure('INTERNAL', 'it was not refused');
}
