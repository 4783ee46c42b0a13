import { CraError } from '../model/errors.ts';
import type { PullRequest } from '../model/push.ts';
import { type RfcRecord, readRecord } from '../model/records.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore, RfcId } from '../store/contract/records.ts';
import { PUSHES } from './limits.ts';

/** Notes the pull requests of pushes whose RFC was there before their event. */
export interface PullNotes {
  /** What waits for its verdict gets the note after it; never rejects. */
  note(id: RfcId, ref: string, pullRequest: PullRequest): Promise<void>;
  /** An RFC has a verdict. */
  settled(rfcId: string): void;
}

export interface PullNotesOptions {
  pushes: Pick<PushStore, 'notePullRequest'>;
  store: Pick<RecordStore, 'getRfc'>;
  now(): Date;
  onError(error: CraError, rfcId: string): void;
}

interface Waiting {
  id: RfcId;
  ref: string;
  pullRequest: PullRequest;
}

/**
 * Creates it. A note changes the record, which would end the judgement of a DRAFT: so it waits for
 * the verdict, in memory: after a restart the next event of the pull request makes it.
 */
export function createPullNotes({ pushes, store, now, onError }: PullNotesOptions): PullNotes {
  const waiting = new Map<string, Waiting>();

  async function note(one: Waiting): Promise<void> {
    const { id, ref, pullRequest } = one;
    // Before it is read: the verdict may come right after that.
    if (waiting.size < PUSHES.PULL_NOTES_MAX) waiting.set(id.rfc_id, one);
    const record = await readRecord(id, store);
    const isDue = isMissing(record, ref, pullRequest);
    if (isDue && record.overall_status === 'DRAFT') return;
    waiting.delete(id.rfc_id);
    if (!isDue) return;
    const at = now().toISOString();
    await pushes.notePullRequest({ ...id, pullRequest, expectedRev: record.rev, at });
  }

  /** Somebody may decide about the RFC at the same time. */
  async function noteOrRepeat(one: Waiting): Promise<void> {
    try {
      await note(one).catch(async (thrown) => {
        if (CraError.fromUnknown(thrown).code !== 'ABORTED') throw thrown;
        await note(one);
      });
    } catch (thrown) {
      onError(CraError.fromUnknown(thrown), one.id.rfc_id);
    }
  }

  return {
    note: (id, ref, pullRequest) => noteOrRepeat({ id, ref, pullRequest }),
    settled(rfcId) {
      const one = waiting.get(rfcId);
      if (one === undefined) return;
      waiting.delete(rfcId);
      void noteOrRepeat(one);
    },
  };
}

/**
 * Whether the RFC of that ref names no pull request, or this one as it was before. Several pull
 * requests may have one head: the first one stays. The head of a fork may be that of a branch.
 */
function isMissing(record: RfcRecord, ref: string, pullRequest: PullRequest): boolean {
  const known = record.pull_request;
  if (record.ref !== ref || (known !== undefined && known.number !== pullRequest.number)) {
    return false;
  }
  return JSON.stringify(known) !== JSON.stringify(pullRequest);
}
