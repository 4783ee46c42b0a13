import { keptReports } from '../analysis/awaited-reports.ts';
import { CraError } from '../model/errors.ts';
import { type RfcRecord, readRecord, recordText } from '../model/records.ts';
import { awaitedSentence, awaitsReports, reportsHoldMs } from '../model/reports.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';

interface ReportedOptions {
  pushes: Pick<PushStore, 'savePush'>;
  store: Pick<RecordStore, 'getRfc' | 'reportNames'>;
  now(): Date;
}

/** Times that a push which somebody else changes is looked at again. */
const RACES_MAX = 5;

/**
 * Notes which reports of a held push have come; when it waits for none any more, it is due. A push
 * that is not held, or not any more, stays as it is: its judgement reads what is kept.
 */
export async function noteReports(draft: RfcRecord, options: ReportedOptions): Promise<void> {
  const { pushes, store, now } = options;
  let held = draft;
  for (let race = 1; awaitsReports(held); race += 1) {
    const came = new Set((await keptReports(held, store)).map(({ tool }) => tool));
    const required_reports = (held.required_reports ?? []).map((one) => {
      return came.has(one.tool) ? { ...one, state: 'came' as const } : one;
    });
    const noted: RfcRecord = { ...held, required_reports, rev: held.rev + 1 };
    const waiting_for = awaitedSentence(noted);
    const next = { ...noted, push: noted.push && { ...noted.push, waiting_for } };
    const record = recordText(next);
    try {
      await pushes.savePush({
        record,
        expectedRev: held.rev,
        holdMs: reportsHoldMs(next, now()),
        isStatusDue: true,
      });
      return;
    } catch (thrown) {
      const { code } = CraError.fromUnknown(thrown);
      if (code === 'NOT_FOUND') return;
      if (code !== 'ABORTED' || race === RACES_MAX) throw thrown;
      held = await readRecord(held, store);
    }
  }
}
