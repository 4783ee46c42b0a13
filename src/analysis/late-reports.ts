import { CraError } from '../model/errors.ts';
import { readRecord } from '../model/records.ts';
import { uncounted } from '../model/reports.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { type AttachOptions, diffOf, writeAttached } from './attachments.ts';
import {
  judgeReports,
  keptReports,
  type ReportedChange,
  type ReportsAccess,
  takesReports,
} from './awaited-reports.ts';
import { PIPELINE } from './limits.ts';

/** Counts reports that came while a verdict was being written, after its job had read them. */
export interface LateReports {
  /**
   * Adds to an RFC that has a verdict what is kept of it and does not count yet: its sender saw a
   * DRAFT, or no RFC. Resolves with true when that changed the RFC. Never rejects: what fails is
   * reported, and tried again later.
   */
  count(change: ReportedChange): Promise<boolean>;
  stop(): void;
}

interface LateOptions extends ReportsAccess {
  store: Pick<RecordStore, 'getRfc' | 'getDiff' | 'reportNames' | 'getReport'>;
  trail: AttachOptions['trail'];
  source: AttachOptions['source'];
  onChanged: AttachOptions['onChanged'];
  onError(error: CraError, rfcId: string): void;
}

/** Times that a record which others change, or a store that fails, is tried again. */
const TRIES_MAX = 10;

/** Creates it over the scan pool and the path of attachments. */
export function createLateReports(options: LateOptions): LateReports {
  const timers = new Set<NodeJS.Timeout>();
  let isStopping = false;

  async function count(change: ReportedChange, tries = 1): Promise<boolean> {
    if (isStopping) return false;
    try {
      return await countNow(change, options);
    } catch (thrown) {
      const error = CraError.fromUnknown(thrown);
      if (isStopping || error.code === 'NOT_FOUND') return false;
      if (error.code === 'ABORTED' && tries < TRIES_MAX) return await count(change, tries + 1);
      options.onError(error, change.rfc_id);
      if (tries === TRIES_MAX) return false;
      const timer = setTimeout(() => {
        timers.delete(timer);
        void count(change, tries + 1);
      }, PIPELINE.RESUME_RETRY_MS);
      timers.add(timer);
      return false;
    }
  }

  return {
    count: (change) => count(change),
    stop() {
      isStopping = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

async function countNow(change: ReportedChange, options: LateOptions): Promise<boolean> {
  const { store } = options;
  const kept = await keptReports(change, store);
  if (kept.length === 0) return false;
  const found = await readRecord(change, store);
  let record = found;
  for (const one of kept) {
    const { overall_status: status } = record;
    // A decision stands for what was seen.
    const isOpen = status === 'PASSED' || status === 'BLOCKED';
    if (!isOpen || !takesReports(record)) break;
    if (uncounted([one], record).length === 0) continue;
    const before = record;
    const input = { kept: [one], readTexts: () => diffOf(before, options) };
    const outcome = await judgeReports(before, input, options, null, (thrown) => {
      throw thrown;
    });
    const attached = { kind: 'report', sha256: one.sha256, principal: null } as const;
    record = await writeAttached(before, outcome, attached, options);
  }
  return record.rev !== found.rev;
}
