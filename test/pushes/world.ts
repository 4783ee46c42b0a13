import { createAdmission } from '../../src/analysis/scan-pool.ts';
import { secretDigest } from '../../src/core/credentials.ts';
import { createSemaphore } from '../../src/core/semaphore.ts';
import { CraError } from '../../src/model/errors.ts';
import { type Baseline, type RefPlace, repositoryKey } from '../../src/model/push.ts';
import { type RfcRecord, recordText } from '../../src/model/records.ts';
import type { RuleSet } from '../../src/model/rules.ts';
import { type ClaimOptions, processPush } from '../../src/pushes/claim.ts';
import { newPushRecord, PUSH_TIMES } from '../../src/pushes/push-record.ts';
import { revoke } from '../../src/pushes/revocation.ts';
import { createSweep } from '../../src/pushes/sweep.ts';
import type { PushClaim, PushStore } from '../../src/store/contract/pushes.ts';
import type { Harness } from '../store/conformance/steps.ts';
import { NO_REVIEWER, wordGates } from './fake-analysis.ts';
import { FakeHost } from './fake-host.ts';

export const TENANT = 'default';
export const REPO = 'acme/shop';
export const MAIN = 'refs/heads/main';
const OWNER = 'daemon-1';
const HOLD_MS = 10 * 60 * 1000;

/** Gates over words block what is high. */
const RULES = { pipeline: { block_severities: ['high'], block_score: null } } as unknown as RuleSet;

/** A verdict, and the other records and the baseline as they were before it. */
export interface Verdict {
  record: RfcRecord;
  before: readonly RfcRecord[];
  baseline: Baseline | null;
}

const REFUSING: ReadonlySet<string> = new Set(['DRAFT', 'BLOCKED', 'REJECTED']);
const VERDICTS: ReadonlySet<string> = new Set(['PASSED', 'BLOCKED', 'OVERRIDDEN']);

export interface WorldOptions {
  host?: FakeHost;
  /** What the host calls the repository, whatever its name is; null: its name alone tells. */
  repositoryId?: string | null;
  run?: string;
  /** Default: gates over words, and rules for these. */
  analysis?: ClaimOptions['analysis'];
  rules?: ClaimOptions['rules'];
  earlier?: ClaimOptions['earlier'];
  hosts?: ClaimOptions['hosts'];
}

/** A webhook as the host made it. */
export interface Hook {
  /** The name of the repository then. */
  name: string;
  ref: string;
  before: string | null;
  after: string;
  id: number;
}

/** A host, a store, and the queue between them, one step at a time. */
export class World {
  readonly host: FakeHost;
  private readonly pushes: PushStore;
  /** What people accept: of each RFC that they overrode, and did not reject since, its words. */
  readonly overridden = new Map<string, ReadonlySet<string>>();
  readonly sent: Hook[] = [];
  /** Made, and not delivered yet. */
  readonly onTheWay: Hook[] = [];
  readonly rfcIds = new Set<string>();
  /** The records as they were read last; those that were deleted as they refused their changes. */
  readonly known = new Map<string, RfcRecord>();
  readonly erased = new Set<string>();
  /** Nothing was revoked that has heads that depend on it still. */
  isSettled = true;
  name = REPO;
  /** Sees each verdict, and what was known when it was made. */
  onVerdict: (made: Verdict) => Promise<void> = async () => undefined;
  private readonly run: string;
  private readonly repositoryId: string | null;
  /** The name of a record that it has: a sweep begins at records. */
  private pushedName = REPO;
  private readonly harness: Harness;
  private readonly options: ClaimOptions;
  private after: RefPlace | null = null;
  private hooks = 0;
  private deliveries = 0;
  private decisions = 0;
  private clock: number;

  /** `run`: tells its decisions from those of other worlds on the same store. */
  constructor(harness: Harness, startMs: number, options: WorldOptions = {}) {
    const { host = new FakeHost(), repositoryId = null, run = '' } = options;
    this.harness = harness;
    this.host = host;
    this.clock = startMs;
    this.run = run;
    this.repositoryId = repositoryId;
    const { store } = harness;
    const pushes: PushStore = {
      ...harness.pushes,
      acceptPush: async (input) => {
        const accepted = await harness.pushes.acceptPush(input);
        this.rfcIds.add(accepted.rfc_id);
        return accepted;
      },
      // A daemon may end between two of these.
      reopenPush: async (input) => {
        host.step();
        return await harness.pushes.reopenPush(input);
      },
    };
    this.pushes = pushes;
    this.options = {
      store,
      pushes,
      source: this.host.source,
      owner: OWNER,
      judging: createSemaphore({ places: 1 }),
      analysis: options.analysis ?? wordGates(),
      reviewer: NO_REVIEWER,
      late: { count: async () => false },
      admission: createAdmission(2),
      rules: options.rules ?? { revision: 'r1', rules: RULES },
      ...(options.earlier === undefined ? {} : { earlier: options.earlier }),
      adopt: 'baseline',
      hosts: options.hosts ?? [],
      times: PUSH_TIMES,
      now: () => this.now(),
      onSettled: () => undefined,
    };
  }

  private now(): Date {
    return new Date(this.clock);
  }

  /** Moves a ref of the host, and makes the webhook that tells of it. */
  push(ref: string, after: string): Hook {
    const before = this.host.refs.get(ref) ?? null;
    this.host.refs.set(ref, after);
    this.hooks += 1;
    const hook = { name: this.name, ref, before, after, id: this.hooks };
    this.sent.push(hook);
    return hook;
  }

  /** Where its heads are kept. */
  get place() {
    const repo_key = this.repositoryId === null ? REPO : `hub#${this.repositoryId}`;
    return { tenant_id: TENANT, repo_name: this.pushedName, repo_key };
  }

  /** Delivers a webhook; the same one again has the same body and another delivery id. */
  async deliver({ name, ref, before, after, id }: Hook, host = 'hub'): Promise<void> {
    this.deliveries += 1;
    const record = newPushRecord(
      {
        host: { id: host, provider: 'github', tenantId: TENANT, hasStatuses: true },
        repoFullName: name,
        ref,
        sha: after,
        rulesRevision: 'r1',
        pusherEmail: null,
        pullRequest: null,
        info: {
          source: 'webhook',
          delivery_id: String(this.deliveries),
          before,
          default_branch: 'main',
          pusher: null,
          repository_id: this.repositoryId,
        },
      },
      this.now(),
    );
    const push = {
      repo_key: repositoryKey(record),
      ref,
      delivery: `${host} ${this.deliveries}`,
      source: 'webhook' as const,
      body_hash: secretDigest(`body ${id}`),
      before,
      behind: null,
    };
    const accepted = await this.pushes.acceptPush({ record: recordText(record), push });
    await this.readNew();
    this.pushedName = this.known.get(accepted.rfc_id)?.repo_name ?? name;
    if (accepted.outcome === 'same-body') await this.sweep();
  }

  /** Claims and judges one push, after whatever was put off has come due. */
  async step(): Promise<boolean> {
    await this.pass();
    const { claim } = await this.harness.pushes.claimPush({
      owner: OWNER,
      after: this.after,
      leaseMs: HOLD_MS,
      busy: [],
    });
    if (claim === null) return false;
    this.after = claim.place;
    await this.take(claim);
    return true;
  }

  private async take(claim: PushClaim): Promise<void> {
    const before = [...this.known.values()];
    const { baseline } = await this.harness.pushes.findBaseline(this.place);
    try {
      await processPush(claim, new AbortController().signal, this.options);
    } catch (thrown) {
      const error = CraError.fromUnknown(thrown);
      const isDeath = this.host.diesAfter !== null;
      if (!isDeath && error.code !== 'ABORTED' && error.code !== 'NOT_FOUND') throw thrown;
    }
    await this.endDeath();
    this.isSettled = false;
    const touched = [claim.record, ...claim.older].map(({ rfc_id }) => rfc_id);
    await this.readNew(claim.hasMore ? [...this.rfcIds] : touched);
    for (const id of touched) {
      const was = before.find(({ rfc_id }) => rfc_id === id);
      const is = this.known.get(id);
      const isVerdict = was?.overall_status === 'DRAFT' && is && VERDICTS.has(is.overall_status);
      if (isVerdict) await this.onVerdict({ record: is, before, baseline });
    }
  }

  /** Whatever died is started again. */
  private async endDeath(): Promise<void> {
    if (this.host.diesAfter === null) return;
    this.host.diesAfter = null;
    await this.harness.pushes.releasePushes({ owner: OWNER });
  }

  /** Reads what was not read before, and these. */
  private async readNew(ids: readonly string[] = []): Promise<void> {
    for (const id of new Set([...ids, ...this.rfcIds])) {
      if (this.erased.has(id) || (!ids.includes(id) && this.known.has(id))) continue;
      this.known.set(id, await this.record(id));
    }
  }

  /** Judges and revokes until nothing waits. */
  async drain(): Promise<void> {
    do {
      await this.revoke();
    } while (await this.step());
  }

  /** Looks at the host for lost webhooks, as a daemon does now and then. */
  async sweep(): Promise<void> {
    const errors: CraError[] = [];
    const sweep = createSweep({
      pushes: this.pushes,
      source: this.host.source,
      intervalMs: HOLD_MS,
      retryMs: HOLD_MS,
      graceMs: 0,
      judgesTags: false,
      now: () => this.now(),
      onFound: () => undefined,
      onError: (error) => errors.push(error),
    });
    sweep.look({ tenantId: TENANT, repoFullName: this.pushedName });
    await sweep.settled();
    await sweep.stop();
    await this.readNew();
  }

  /** The records that are there. */
  live(): RfcRecord[] {
    return [...this.known.values()].filter(({ rfc_id }) => !this.erased.has(rfc_id));
  }

  /** What refuses its change, and can be deleted: a sweep begins at a record of the name. */
  erasable(): RfcRecord[] {
    const isNamed = ({ repo_name }: RfcRecord) => repo_name === this.pushedName;
    const [first, second] = this.live().filter(isNamed);
    if (first === undefined || second === undefined) return [];
    return this.live().filter(({ overall_status }) => REFUSING.has(overall_status));
  }

  /** Deletes an RFC that refuses its change. */
  async erase(record: RfcRecord): Promise<void> {
    await this.decideAs(record, 'delete');
    this.erased.add(record.rfc_id);
    this.rfcIds.delete(record.rfc_id);
    this.overridden.delete(record.rfc_id);
  }

  /** Every record there is. */
  async records(): Promise<RfcRecord[]> {
    const all: RfcRecord[] = [];
    let cursor: string | null = null;
    do {
      const page: { json: string; next_cursor: string | null } = await this.harness.store.listRfcs({
        tenant_id: TENANT,
        status: null,
        repo: null,
        limit: 100,
        cursor,
      });
      const listed = JSON.parse(page.json) as { rfc_id: string }[];
      for (const { rfc_id } of listed) all.push(await this.record(rfc_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return all;
  }

  async record(rfc_id: string): Promise<RfcRecord> {
    const { json } = await this.harness.store.getRfc({ tenant_id: TENANT, rfc_id });
    return JSON.parse(Buffer.from(json).toString()) as RfcRecord;
  }

  /** Somebody overrides or rejects an RFC; what its status does not allow changes nothing. */
  async decide(record: RfcRecord, action: 'override' | 'reject'): Promise<void> {
    if (!(await this.decideAs(record, action))) return;
    if (action === 'reject') this.overridden.delete(record.rfc_id);
    else this.overridden.set(record.rfc_id, this.acceptedBy(record));
    this.isSettled = false;
    await this.readNew([record.rfc_id]);
  }

  /** False: the status of the RFC does not allow it. */
  private async decideAs(record: RfcRecord, action: 'override' | 'reject' | 'delete') {
    this.decisions += 1;
    const principal = { ...record.submitted_by, credential: 'override-token' } as const;
    try {
      await this.harness.trail.decide({
        tenant_id: TENANT,
        rfc_id: record.rfc_id,
        op_id: `decision ${this.run} ${this.decisions}`,
        request_hash: 'h',
        expectedRev: null,
        request: {
          action,
          principal,
          actor: 'ann',
          reason: 'it is right so',
          at: this.now().toISOString(),
          commit_sha: null,
          repo_full_name: null,
          accept_findings: false,
        },
      });
    } catch (thrown) {
      if (CraError.fromUnknown(thrown).code !== 'ABORTED') throw thrown;
      return false;
    }
    return true;
  }

  /** Who overrides a push that nobody could judge looks at all of it. */
  private acceptedBy(record: RfcRecord): Set<string> {
    if (!isUnread(record)) return wordsIn(record);
    return new Set(this.host.reach(record.commit_sha).flatMap((sha) => [...this.host.tree(sha)]));
  }

  /** Whether a decision that stands accepts a word. */
  accepts(word: string): boolean {
    return [...this.overridden.values()].some((words) => words.has(word));
  }

  /** Revokes what depends on what was revoked, as a daemon does at each decision. */
  async revoke(): Promise<void> {
    const isMortal = this.host.diesAfter !== null;
    let reopened: readonly string[] = [...this.rfcIds];
    try {
      reopened = await revoke(this.options);
      this.isSettled = true;
    } catch (thrown) {
      if (!isMortal) throw thrown;
    }
    await this.endDeath();
    await this.readNew(reopened);
  }

  /** Lets time pass: nothing is held any more, and no webhook is on its way for so long. */
  private async pass(): Promise<void> {
    this.clock += HOLD_MS;
    await this.harness.pushes.releasePushes({ owner: OWNER });
  }
}

/** Whether daemons ended while they judged it, until the last attempt was used up. */
export function isUnread({ gates }: RfcRecord): boolean {
  return gates.risk.findings.some(({ id }) => id === 'scan-crashed');
}

/** What the gates said of a change: the words that its approver sees. */
export function wordsIn({ gates }: RfcRecord): Set<string> {
  const named = gates.risk.findings.map(({ message }) => message);
  return new Set(named.filter((word) => word.startsWith('bad')));
}
