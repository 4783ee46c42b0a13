import { AUDIT } from '../../limits.ts';
import { keepNote } from '../trail-gate.ts';
import type { AuditLog } from './audit-log.ts';
import type { GroupCommit } from './group-commit.ts';

/** When the newest entries of a chain get their signed root. */
export interface AuditSeals {
  /** Entries have become durable. */
  noticeEntries(): void;
  /** Seals what is left; after `commits.drained`. */
  close(): void;
}

export interface AuditSealsOptions {
  log: AuditLog;
  commits: GroupCommit;
  dataDir: string;
  /** Whether the note of a new checkpoint may replace the kept one, which may prove a gap. */
  mayKeepNote(): boolean;
  /** Bounds that tests set; `limits.ts` otherwise. */
  entries?: number | undefined;
  intervalMs?: number | undefined;
}

/** Writes a checkpoint after so many entries, after a time when there are any, and at the end. */
export function createAuditSeals(options: AuditSealsOptions): AuditSeals {
  const { log, commits, dataDir } = options;
  const { entries = AUDIT.CHECKPOINT_ENTRIES, intervalMs = AUDIT.CHECKPOINT_INTERVAL_MS } = options;
  let timer: NodeJS.Timeout | null = null;
  let isSealing = false;
  let isClosed = false;

  function unsealed(): number {
    const { chain, sealed } = log.mark();
    return chain.size - sealed;
  }

  function keepNewest(): void {
    const { checkpoint } = log.mark();
    if (checkpoint !== null && options.mayKeepNote()) keepNote(dataDir, checkpoint.note);
  }

  function writeCheckpoint(): void {
    if (unsealed() > 0) log.checkpoint();
  }

  function stopTimer(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  // The timer does not keep the thread alive: its end writes the last checkpoint.
  function sealLater(): void {
    if (!isClosed) timer ??= setTimeout(seal, intervalMs).unref();
  }

  async function seal(): Promise<void> {
    stopTimer();
    isSealing = true;
    try {
      await commits.write(0, writeCheckpoint, null);
      keepNewest();
      isSealing = false;
      noticeEntries();
    } catch {
      // The disk is full or the store is closing; what was decided stands all the same.
      isSealing = false;
      sealLater();
    }
  }

  function noticeEntries(): void {
    const count = unsealed();
    if (isSealing || count === 0) return;
    if (count >= entries) void seal();
    else sealLater();
  }

  return {
    noticeEntries,
    close() {
      isClosed = true;
      stopTimer();
      if (unsealed() === 0) return;
      try {
        if (commits.writeNow(writeCheckpoint)) keepNewest();
      } catch {
        // The next boot names the head of this chain, and that gets a checkpoint.
      }
    },
  };
}
