import { PUSHES } from '../limits.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushStore, Repository } from '../store/contract/pushes.ts';

interface Running {
  job: Promise<void>;
  cancel(): void;
}

/** The pushes that this daemon has in hand now. */
export class Hands {
  private readonly running = new Map<string, Running & { repository: Repository }>();
  private readonly pushes: Pick<PushStore, 'renewPushes'>;
  private readonly owner: string;

  constructor(pushes: Pick<PushStore, 'renewPushes'>, owner: string) {
    this.pushes = pushes;
    this.owner = owner;
  }

  get size(): number {
    return this.running.size;
  }

  add({ rfc_id, tenant_id, repo_name }: RfcRecord, job: Running): void {
    this.running.set(rfc_id, { ...job, repository: { tenant_id, repo_name } });
  }

  remove(rfcId: string): void {
    this.running.delete(rfcId);
  }

  readonly cancel = (rfcId: string): void => {
    this.running.get(rfcId)?.cancel();
  };

  cancelAll(): void {
    for (const { cancel } of this.running.values()) cancel();
  }

  /** Resolves when those that run now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.running.values()].map(({ job }) => job));
  }

  repositories(): Repository[] {
    return [...this.running.values()].map(({ repository }) => repository);
  }

  /** Says that this daemon lives, and still has them. */
  async renew(): Promise<void> {
    const held = [...this.running].map(([rfc_id, { repository }]) => {
      return { rfc_id, tenant_id: repository.tenant_id };
    });
    if (held.length > 0) await this.hold(held, PUSHES.LEASE_MS);
  }

  /** Its judgement failed: it is tried again soon, by whoever is first. */
  async giveBack({ tenant_id, rfc_id }: RfcRecord): Promise<void> {
    await this.hold([{ tenant_id, rfc_id }], PUSHES.FAILED_HOLD_MS);
  }

  private async hold(held: { tenant_id: string; rfc_id: string }[], lease_ms: number) {
    await this.pushes.renewPushes({ owner: this.owner, pushes: held, lease_ms });
  }
}
