import type { ChangeEntry, RepoHistory } from '../../model/history.ts';
import type { Client } from '../../rpc/service.ts';
import type { Records } from '../../store/contract/records.ts';
import { readMessage } from '../../verdict/features.ts';
import { assessChange, type ChangeRisk } from '../../verdict/score.ts';
import type { ChangeMeasure } from './change-shape.ts';

/** How a scan thread asks for the history of a repository. */
export type FindHistory = Client<typeof Records>['repoHistory'];

/** Where a change belongs, and what its author says of it. */
export interface ChangeOrigin {
  tenant_id: string;
  repo_name: string;
  commit_message: string;
  /** SHA-256 of the diff, hex. */
  diff_hash: string;
}

export interface Assessment {
  /** What the change adds to the history of its repository. */
  entry: ChangeEntry;
  /** What the model says of it, as soon as the history is there. Never rejects. */
  risk: Promise<ChangeRisk>;
}

/**
 * Starts to assess a change: the store looks its history up while the gates run. Without an
 * answer the change gets a score all the same: the score must not delay a gate.
 */
export function startAssessment(
  origin: ChangeOrigin,
  { shape, fileKeys }: ChangeMeasure,
  findHistory: FindHistory | null,
): Assessment {
  const { tenant_id, repo_name, diff_hash } = origin;
  const hints = readMessage(origin.commit_message);
  const entry: ChangeEntry = {
    diff_hash,
    lines_added: shape.la,
    is_fix: hints.fix === 1,
    file_keys: fileKeys,
  };
  const find = async (): Promise<RepoHistory | null> => {
    if (findHistory === null) return null;
    return findHistory({ tenant_id, repo_name, diff_hash, file_keys: fileKeys }).catch(() => null);
  };
  return { entry, risk: find().then((history) => assessChange(shape, hints, history)) };
}
