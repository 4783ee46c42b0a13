import type { ArchiveRules } from '../model/retention.ts';
import { type ArchiveSide, archiveRfcs } from './archive.ts';
import type { ArchiveFiles } from './archive-files.ts';
import { ARCHIVE } from './limits.ts';

export interface DailyArchiveOptions {
  side: ArchiveSide;
  files: ArchiveFiles;
  retention: ArchiveRules;
  /** Name of this daemon. */
  instance: string;
  now(): Date;
  /** Writes what a run did, or why it ended. */
  say(text: string): void;
}

/** Moves RFCs to the archive once a day, at ARCHIVE.HOUR of the clock of the machine. */
export interface DailyArchive {
  /** To be called at least once an hour; resolves when the run that it began has ended. */
  look(): Promise<void>;
  /** Ends a run, and resolves when it has ended. */
  close(): Promise<void>;
}

/** Shares its legal holds with the other daemons of the store at once, and until that succeeds. */
export function createDailyArchive(options: DailyArchiveOptions): DailyArchive {
  const { side, files, retention, instance, now, say } = options;
  const ending = new AbortController();
  let lastDay = '';
  const own = () => ({ instance, holds: retention.holds, nowMs: now().getTime() });
  let isShared = false;
  let running: Promise<unknown> = share();

  async function share(): Promise<void> {
    try {
      await side.shareHolds(own());
      isShared = true;
    } catch (thrown) {
      say(`Legal holds could not be shared: ${String(thrown)}`);
    }
  }

  async function look(): Promise<void> {
    // Other daemons archive by these holds, too.
    if (!isShared) {
      running = share();
      await running;
    }
    const at = now();
    const day = at.toDateString();
    if (at.getHours() !== ARCHIVE.HOUR || day === lastDay) return;
    lastDay = day;
    const run = { side, files, retention, instance, nowMs: at.getTime(), signal: ending.signal };
    const ended = archiveRfcs(run).then(
      ({ rfcs }) => {
        if (retention.rules.length > 0) say(`${rfcs} RFCs were archived`);
      },
      // They stay in the store until tomorrow.
      (thrown) => say(`RFCs could not be archived: ${String(thrown)}`),
    );
    running = ended;
    await ended;
  }

  return {
    look,
    async close() {
      ending.abort();
      await running;
    },
  };
}
