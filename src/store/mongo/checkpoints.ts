import type { ChainState } from '../../audit/chain.ts';
import type { CheckpointSigner } from '../../audit/checkpoint.ts';
import { rootOf } from '../../audit/merkle.ts';
import { AUDIT } from '../../limits.ts';
import type { AuditStatus } from '../../model/audit.ts';
import { checkpointEvent } from '../trail-events.ts';
import type { Appender } from './audit-log.ts';

/** When the newest entries of a chain get their signed root. */
export interface Checkpoints {
  readonly last: AuditStatus['last_checkpoint'];
  /** To be called after every group of entries that became durable. */
  notice(state: ChainState): void;
  /** Seals what is left. */
  close(): Promise<void>;
}

export interface CheckpointsOptions {
  appender: Pick<Appender, 'append' | 'state'>;
  signer: CheckpointSigner;
  /** Ms since the epoch. */
  now(): number;
  /** Called with each note; copied off the machine it proves what was there. */
  onNote(note: string): void;
  /** Bounds that tests set; `limits.ts` otherwise. */
  entries?: number;
  intervalMs?: number;
}

/** Writes a checkpoint after so many entries, after a time when there are any, and at the end. */
export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { appender, signer, now, onNote } = options;
  const { entries = AUDIT.CHECKPOINT_ENTRIES, intervalMs = AUDIT.CHECKPOINT_INTERVAL_MS } = options;
  let last: AuditStatus['last_checkpoint'] = null;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;

  const unsealed = (state: ChainState) => state.size - (last?.seq ?? 0);

  async function write(): Promise<void> {
    let note = '';
    const { seq } = await appender.append(({ chain, size, frontier }) => {
      note = signer.sign({ chain, size, root: rootOf(frontier) });
      return checkpointEvent(chain, size, note);
    }, AUDIT.DECIDE_DEADLINE_MS);
    last = { seq, at: new Date(now()).toISOString() };
    onNote(note);
  }

  function seal(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running ??= write()
      // The status reports a trail that cannot be written; there is another attempt later.
      .then(
        () => true,
        () => false,
      )
      .then((isWritten) => {
        running = null;
        if (isWritten) notice(appender.state);
        else wait();
      });
    return running;
  }

  function notice(state: ChainState): void {
    const count = unsealed(state);
    if (running !== null || count === 0) return;
    if (count >= entries) void seal();
    else wait();
  }

  function wait(): void {
    timer ??= setTimeout(() => void seal(), intervalMs).unref();
  }

  return {
    get last() {
      return last;
    },
    notice,
    async close() {
      await running;
      if (unsealed(appender.state) > 0) await seal();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
