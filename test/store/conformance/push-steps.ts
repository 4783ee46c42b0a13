import { plainEvent } from '../../../src/model/audit.ts';
import type { RefPlace } from '../../../src/model/push.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type {
  AcceptedPush,
  AdoptInput,
  ClaimInput,
  DueStatus,
  PushClaim,
  PushKeys,
  PushStore,
} from '../../../src/store/contract/pushes.ts';
import { judgedPush, keysOf, samplePush, shaOf } from '../fixtures/pushes.ts';
import { recordText } from '../fixtures/records.ts';
import { type Harness, read } from './steps.ts';

/** Longer than any test runs. */
export const LONG_MS = 600_000;
/** Ms since the epoch, behind every clock that a driver may have. */
export const FAR_MS = Date.parse('2100-01-01T00:00:00Z');
export const REPO = { tenant_id: 'default', repo_name: 'Org/Repo', repo_key: 'org/repo' };

export const PULL_REQUEST = {
  number: 7,
  title: 'Add it',
  author: 'eve',
  from_fork: false,
  first_time: false,
  base_branch: 'main',
  url: null,
};

/** To adopt a baseline that belongs to a name, with its entry. */
export function adoption(name: string): AdoptInput {
  const sha = shaOf(name);
  const others = { 'refs/tags/v1': shaOf('tag'), 'refs/heads/__proto__': 'x' };
  return {
    ...REPO,
    baseline: {
      sha,
      heads: { 'refs/heads/main': sha, ...others },
      host: 'hub',
      adopted_at: '2026-11-21T12:00:00.000Z',
    },
    event: plainEvent({
      kind: 'baseline-adopted',
      op_id: `adopt-${name}`,
      principal: null,
      repo_name: REPO.repo_name,
      details: { sha },
    }),
  };
}

/** Takes a push in; a sweep (without a body) has just looked, unless it says what it saw. */
export async function accept(
  pushes: PushStore,
  record: RfcRecord,
  keys: Partial<PushKeys> = {},
): Promise<AcceptedPush> {
  const push = keysOf(record, keys);
  if (push.body_hash === null && keys.behind === undefined) {
    const { tenant_id } = record;
    const { repo_key, ref } = push;
    const seen = await pushes.newestPushes({ tenant_id, repo_key, refs: [ref] });
    push.behind = seen.pushes[0]?.rfc_id ?? null;
  }
  const source = push.body_hash === null ? ('sweep' as const) : ('webhook' as const);
  const own = record.push && { ...record.push, source, before: push.before };
  return await pushes.acceptPush({ record: recordText({ ...record, push: own }), push });
}

/** A push that is stored, made from `samplePush`. */
export async function pushed(
  pushes: PushStore,
  overrides: Parameters<typeof samplePush>[0],
): Promise<RfcRecord> {
  const record = samplePush(overrides);
  await accept(pushes, record);
  return record;
}

/** A push that is stored and judged at once, without a claim. */
export async function judged(
  { pushes, store }: Harness,
  overrides: Parameters<typeof samplePush>[0],
  outcome: Partial<RfcRecord> = {},
): Promise<RfcRecord> {
  const draft = await pushed(pushes, overrides);
  const record = judgedPush(draft, outcome);
  await store.completeDraft({ record: recordText(record), expectedRev: draft.rev });
  return record;
}

export async function claim(
  pushes: PushStore,
  input: Partial<ClaimInput> = {},
): Promise<PushClaim | null> {
  const all = { owner: 'daemon-1', leaseMs: LONG_MS, after: null, busy: [], ...input };
  return (await pushes.claimPush(all)).claim;
}

/** Claims in turn until there is nothing or `count` are claimed, as one daemon does. */
export async function claimInTurn(pushes: PushStore, count: number): Promise<PushClaim[]> {
  const claims: PushClaim[] = [];
  let after: RefPlace | null = null;
  while (claims.length < count) {
    const next: PushClaim | null = await claim(pushes, { after });
    if (next === null) break;
    claims.push(next);
    after = next.place;
  }
  return claims;
}

/** Makes a claimed push PASSED. */
export async function finish({ store }: Harness, { record }: PushClaim): Promise<void> {
  await store.completeDraft({ record: recordText(judgedPush(record)), expectedRev: record.rev });
}

export function claimedId(claimed: PushClaim | null): string | null {
  return claimed?.record.rfc_id ?? null;
}

/** Ids of the pushes, in order. */
export function claimedIds(claims: readonly PushClaim[]): string[] {
  return claims.map(({ record }) => record.rfc_id);
}

/** All that is due some day. */
export async function due(pushes: PushStore, host = 'hub', limit = 100): Promise<DueStatus[]> {
  return (await pushes.dueStatuses({ host, nowMs: FAR_MS, limit })).due;
}

export async function dueIds(pushes: PushStore, host = 'hub'): Promise<string[]> {
  return (await due(pushes, host)).map(({ record }) => record.rfc_id);
}

/** Says that the state of a record, as it is now, was posted. */
export async function settle({ pushes, store }: Harness, record: RfcRecord): Promise<void> {
  const { tenant_id, rfc_id, rev, overall_status } = await read(store, record);
  await pushes.settleStatus({ tenant_id, rfc_id, rev, posted: overall_status, dueMs: null });
}
