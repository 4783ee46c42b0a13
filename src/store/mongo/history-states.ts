import { createHash } from 'node:crypto';
import type { ChangeEntry, RepoHistory } from '../../model/history.ts';
import { repoKey } from '../repo-key.ts';
import {
  type FileState,
  historyOf,
  NEW_REPO,
  type RepoState,
  unpackHistory,
} from '../running-history.ts';
import type { Collections } from './connection.ts';
import type { HistoryFileDocument } from './documents.ts';
import { ownBytes } from './queries.ts';

export type HistoryCollections = Pick<
  Collections,
  'historyRepos' | 'historyChanges' | 'historyFiles'
>;

/**
 * The history that a change meets, by its diff and files: a few documents by their ids, whatever
 * the number of changes. A diff that was counted before gets the history it met then.
 */
export async function findHistory(
  collections: HistoryCollections,
  repo: { tenant_id: string; repo_name: string },
  { diff_hash, file_keys }: Pick<ChangeEntry, 'diff_hash' | 'file_keys'>,
): Promise<RepoHistory> {
  const id = repoId(repo);
  const fileIds = file_keys.map((key) => fileId(id, key));
  const [state, known, files] = await Promise.all([
    collections.historyRepos.findOne({ _id: id }),
    collections.historyChanges.findOne({ _id: changeId(id, diff_hash) }),
    readFiles(collections, fileIds),
  ]);
  if (known !== null) return unpackHistory(known.met);
  return historyOf(
    state ?? NEW_REPO,
    fileIds.map((file) => files.get(file) ?? null),
  );
}

/** The states of repositories by their ids; one that is not there is not in it. */
export async function readRepos(
  { historyRepos }: HistoryCollections,
  ids: string[],
): Promise<Map<string, RepoState>> {
  const found = await historyRepos.find({ _id: { $in: ids } }).toArray();
  return new Map(found.map((repo) => [repo._id, repo]));
}

/** The states of files by their ids; one that is not there is not in it. */
export async function readFiles(
  { historyFiles }: HistoryCollections,
  ids: string[],
): Promise<Map<string, FileState>> {
  if (ids.length === 0) return new Map();
  const found = await historyFiles.find({ _id: { $in: ids } }).toArray();
  return new Map(found.map((file) => [file._id, stateOf(file)]));
}

function stateOf({ changes, fixes, last, steps }: HistoryFileDocument): FileState {
  return { changes, fixes, last, steps: ownBytes(steps) };
}

/** Names of any length and form become a key of 32 digits. */
export function repoId({ tenant_id, repo_name }: { tenant_id: string; repo_name: string }): string {
  const name = JSON.stringify([tenant_id, repoKey(repo_name)]);
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

/** Half of a SHA-256 tells the diffs of a repository apart. */
export function changeId(repo: string, diffHash: string): string {
  return `${repo}:${diffHash.slice(0, 32)}`;
}

/** The id of a file: that of its repository, then the hash of its path. */
export function fileId(repo: string, fileKey: string): string {
  return `${repo}:${fileKey}`;
}
