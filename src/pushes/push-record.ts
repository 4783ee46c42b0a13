import { withComponents } from '../model/components.ts';
import { CraError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import {
  branchOf,
  type Provider,
  type PullRequest,
  type PushInfo,
  type RepositoryPlace,
} from '../model/push.ts';
import { newDraft, type RecordText, type RfcRecord, recordText } from '../model/records.ts';
import { withCommentsByFingerprint } from '../model/reopened-comments.ts';
import { newRfcId } from '../model/rfc.ts';
import type { SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import { pendingGates } from '../verdict/verdict.ts';
import { PUSHES } from './limits.ts';

/** What of a host its pushes name. */
export interface PushHost {
  id: string;
  provider: Provider;
  tenantId: string;
  /** Whether it gets statuses. */
  hasStatuses: boolean;
}

/** What a new push is made of; the rest of its record is the same for all. */
export interface NewPush {
  host: PushHost;
  repoFullName: string;
  ref: string;
  /** Head of the ref after the push. */
  sha: string;
  /** The revision in force; the verdict names its own. */
  rulesRevision: string;
  info: Pick<
    PushInfo,
    'source' | 'delivery_id' | 'before' | 'default_branch' | 'pusher' | 'repository_id'
  >;
  /** Null: the host names none. */
  pusherEmail: string | null;
  /** Null: of none, or of none that is known. */
  pullRequest: PullRequest | null;
}

/** The DRAFT of a push: nothing was looked at yet, and nobody takes it for a pass. */
export function newPushRecord(push: NewPush, now: Date): RfcRecord {
  const { host, repoFullName, ref, sha, info, pusherEmail, pullRequest } = push;
  const rfc_id = newRfcId(now.getTime());
  // The commit message comes from git with the verdict: the one in the payload may hold secrets.
  return newDraft({
    rfc_id,
    tenant_id: host.tenantId,
    repo_name: repoFullName,
    branch: branchOf(ref),
    created_at: now.toISOString(),
    gates: pendingGates(rfc_id),
    rules_revision: push.rulesRevision,
    trigger: 'webhook',
    diff_source: 'vcs-compare',
    commit_sha: sha,
    repo_full_name: repoFullName,
    ref,
    post_vcs_status: host.hasStatuses,
    submitted_by: pusherOf(host, info.pusher, pusherEmail),
    ...(pullRequest === null ? {} : { pull_request: pullRequest }),
    push: {
      ...info,
      host: host.id,
      provider: host.provider,
      phase: 'waiting',
      base: null,
      base_kind: null,
      rests_on: [],
      commits: null,
      tries: 0,
      waiting_for: null,
      superseded_by: null,
    },
  });
}

/**
 * Has a push judged again whose verdict does not stand any more; `why` is what it waits for. False:
 * it was changed meanwhile, or deleted.
 */
export async function reopenPush(
  record: RfcRecord,
  why: string,
  { pushes, now }: { pushes: Pick<PushStore, 'reopenPush'>; now(): Date },
): Promise<boolean> {
  const at = now();
  const next = reopenedRecord(record, why, at);
  const input = { record: recordText(next), expectedRev: record.rev, atMs: at.getTime() };
  try {
    await pushes.reopenPush(input);
    return true;
  } catch (thrown) {
    const { code } = CraError.fromUnknown(thrown);
    if (code === 'ABORTED' || code === 'NOT_FOUND') return false;
    throw thrown;
  }
}

/** A push whose verdict does not stand any more, as it waits for another one. */
export function reopenedRecord(record: RfcRecord, why: string, now: Date): RfcRecord {
  // The override is gone, and with it what was to be reviewed.
  const {
    emergency: _,
    reports: __,
    required_reports: ___,
    ...rest
  } = withCommentsByFingerprint(record);
  const { push, rfc_id, rev } = rest;
  const at = now.toISOString();
  return {
    ...withComponents(rest, null),
    overall_status: 'DRAFT',
    gates: pendingGates(rfc_id),
    override: null,
    carried_from: [],
    updated_at: at,
    queue: { attempts: 0, queued_at: at },
    push: push && {
      ...push,
      phase: 'waiting',
      base: null,
      base_kind: null,
      rests_on: [],
      commits: null,
      tries: 0,
      waiting_for: why,
    },
    rev: rev + 1,
  };
}

/** The host is who was authenticated; the name of the person is only its word. */
function pusherOf(
  { id, tenantId }: PushHost,
  name: string | null,
  email: string | null,
): Principal {
  return {
    id: `webhook:${id}`,
    name,
    ...(email === null ? {} : { email }),
    credential: 'webhook',
    role: 'submitter',
    tenant_id: tenantId,
  };
}

/** A push, its repository as its heads are kept, and where git finds that. */
export type PushPlace = Pick<ClaimedPush, 'place' | 'record' | 'repository'>;

/** A push that this daemon has claimed: its record as it was written last. */
export class ClaimedPush {
  /** Its repository, as its heads are kept. */
  readonly place: RepositoryPlace;
  private readonly pushes: Pick<PushStore, 'savePush'>;
  private now: RfcRecord;

  constructor(record: RfcRecord, repo_key: string, pushes: Pick<PushStore, 'savePush'>) {
    this.now = record;
    this.place = { tenant_id: record.tenant_id, repo_key };
    this.pushes = pushes;
  }

  get record(): RfcRecord {
    return this.now;
  }

  get push(): PushInfo {
    const { push } = this.now;
    if (push === null) throw new TypeError(`${this.now.rfc_id} is not a push`);
    return push;
  }

  /** Head of the ref after the push. */
  get sha(): string {
    return this.now.commit_sha ?? '';
  }

  /** Where git finds it. */
  get repository(): SourceRepository {
    return { host: this.push.host, repo_full_name: this.now.repo_name };
  }

  /** Writes its progress and holds it for `holdMs`. ABORTED when it was changed meanwhile. */
  async save(
    change: Partial<PushInfo>,
    holdMs: number,
    attempts = this.now.queue?.attempts ?? 0,
  ): Promise<void> {
    const { now } = this;
    const next: RfcRecord = {
      ...now,
      push: { ...this.push, ...change },
      queue: { attempts, queued_at: now.queue?.queued_at ?? now.created_at },
      rev: now.rev + 1,
    };
    const record = recordText(next);
    await this.pushes.savePush({ record, expectedRev: now.rev, holdMs });
    this.now = next;
  }

  /** Writes what gates 1 and 2 found: readers see it while gate 3 runs. */
  async replace(record: RecordText, holdMs: number, isStatusDue = false): Promise<void> {
    await this.pushes.savePush({ record, expectedRev: this.now.rev, holdMs, isStatusDue });
    this.now = JSON.parse(record.json) as RfcRecord;
  }

  /** Leaves it for so long, and says what it waits for: no attempt that counts. */
  async putOff(change: { tries?: number; waiting_for: string }, ms: number): Promise<void> {
    const attempts = Math.max(0, (this.now.queue?.attempts ?? 0) - 1);
    await this.save({ phase: 'waiting', ...change }, ms, attempts);
  }

  /** Changes the push info in memory; the verdict writes it. */
  note(change: Partial<PushInfo>): void {
    this.now = { ...this.now, push: { ...this.push, ...change } };
  }
}

/** How long (ms) pushes wait for what comes by itself. */
export interface PushTimes {
  /** Before each further try to have a commit that its host does not give. */
  retryMs: readonly number[];
  /** A webhook may be on its way for so long. */
  graceMs: number;
  /** How often an idle daemon looks for due pushes. */
  pollMs: number;
}

export const PUSH_TIMES: PushTimes = {
  retryMs: PUSHES.RETRY_MS,
  graceMs: PUSHES.HEAD_GRACE_MS,
  pollMs: PUSHES.POLL_INTERVAL_MS,
};
