import type { PushInfo } from '../model/push.ts';
import { recordText } from '../model/record-text.ts';
import type { RfcRecord } from '../model/records.ts';
import type { SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore, RepositoryPlace } from '../store/contract/pushes.ts';

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
    const record = recordText(next, null);
    await this.pushes.savePush({ record, expectedRev: now.rev, hold_ms: holdMs });
    this.now = next;
  }

  /** Leaves it for so long, and says what it waits for: no attempt that counts. */
  async putOff(change: { tries?: number; waiting_for: string }, ms: number): Promise<void> {
    const attempts = Math.max(0, (this.now.queue?.attempts ?? 0) - 1);
    await this.save({ phase: 'waiting', ...change }, ms, attempts);
  }

  /** What is known now, for the verdict; it is written with that. */
  note(change: Partial<PushInfo>): void {
    this.now = { ...this.now, push: { ...this.push, ...change } };
  }
}
