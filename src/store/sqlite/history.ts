import Database from 'better-sqlite3';
import type { ChangeEntry, RepoHistory } from '../../model/change.ts';
import { HISTORY } from '../../model/limits.ts';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import type { RecordsReader } from '../contract/records.ts';
import type { AcceptedInput } from '../contract/trail.ts';
import {
  type FileState,
  historyOf,
  NEW_FILE,
  NEW_REPO,
  nextFile,
  nextRepo,
  packHistory,
  type RepoState,
  unpackHistory,
} from '../running-history.ts';
import { repoKey } from '../stored-record.ts';
import { type Connection, storePaths } from './database.ts';
import { QUERIES } from './queries.ts';

interface RepoRow extends RepoState {
  repo_id: number;
}

type FindHistory = (
  repo: { tenant_id: string; repo_name: string },
  change: Pick<ChangeEntry, 'diff_hash' | 'file_keys'>,
) => RepoHistory;

/**
 * Finds the history that a change meets, by its diff and files: a few rows by their primary keys,
 * whatever the number of changes. A diff that was counted before gets the history it met then.
 */
export function createHistoryFinder(database: Connection): FindHistory {
  const findRepo = database.prepare<[string, string], RepoRow>(QUERIES.historyRepo);
  const findChange = database.prepare<[number, Buffer], { met: string }>(QUERIES.historyChange);
  const findFile = database.prepare<[number, Buffer], FileState>(QUERIES.historyFile);

  return ({ tenant_id, repo_name }, { diff_hash, file_keys }) => {
    const repo = findRepo.get(tenant_id, repoKey(repo_name));
    if (repo === undefined) return historyOf(NEW_REPO, nothingKnown(file_keys));
    const known = findChange.get(repo.repo_id, changeKey(diff_hash));
    if (known !== undefined) return unpackHistory(known.met);
    const find = (key: string) => findFile.get(repo.repo_id, keyBytes(key)) ?? null;
    return historyOf(repo, file_keys.map(find));
  };
}

/** Counts a change in the history of its repository, unless its diff was counted before. */
export function createHistoryRecorder(
  database: Connection,
): (repo: { tenant_id: string; repo_name: string }, entry: ChangeEntry) => void {
  const findRepo = database.prepare<[string, string], RepoRow>(QUERIES.historyRepo);
  const addRepo = database.prepare(QUERIES.historyAddRepo);
  const setRepo = database.prepare(QUERIES.historySetRepo);
  const findChange = database.prepare<[number, Buffer], { met: string }>(QUERIES.historyChange);
  const addChange = database.prepare(QUERIES.historyAddChange);
  const findFile = database.prepare<[number, Buffer], FileState>(QUERIES.historyFile);
  const putFile = database.prepare(QUERIES.historyPutFile);

  function openRepo(tenantId: string, key: string): RepoRow {
    const known = findRepo.get(tenantId, key);
    if (known !== undefined) return known;
    const { lastInsertRowid } = addRepo.run(tenantId, key);
    return { ...NEW_REPO, repo_id: Number(lastInsertRowid) };
  }

  return ({ tenant_id, repo_name }, entry) => {
    const repo = openRepo(tenant_id, repoKey(repo_name));
    const { repo_id } = repo;
    const diffKey = changeKey(entry.diff_hash);
    if (findChange.get(repo_id, diffKey) !== undefined) return;
    const keys = entry.file_keys.map(keyBytes);
    const files = keys.map((key) => findFile.get(repo_id, key) ?? null);
    addChange.run(repo_id, diffKey, packHistory(historyOf(repo, files)));
    const next = nextRepo(repo, entry);
    setRepo.run(next.changes, next.size_mean, next.size_variance, repo_id);
    keys.forEach((key, index) => {
      const file = nextFile(files[index] ?? NEW_FILE, next.changes, entry.is_fix);
      putFile.run(repo_id, key, file.changes, file.fixes, file.last, file.steps);
    });
  };
}

function nothingKnown(keys: readonly string[]): null[] {
  return keys.map(() => null);
}

function keyBytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

/** Half of a SHA-256 is enough to tell the diffs of a repository apart. */
function changeKey(diffHash: string): Buffer {
  return keyBytes(diffHash.slice(0, 32));
}

/** Finds which fingerprints are accepted in a repository: one look-up for each. */
export function createAcceptedFinder(
  database: Connection,
): (input: AcceptedInput) => AcceptedFingerprint[] {
  const find = database.prepare<[string, string, string], { by: string; reason: string }>(
    QUERIES.accepted,
  );
  return ({ tenant_id, repo_name, fingerprints }) => {
    const key = repoKey(repo_name);
    return [...new Set(fingerprints)].flatMap((fingerprint) => {
      const row = find.get(tenant_id, key, fingerprint);
      return row === undefined ? [] : [{ fingerprint, ...row, repo: repo_name }];
    });
  };
}

/** What a scan thread wants to know of the store. */
export interface ScanLookups {
  repoHistory(input: Parameters<RecordsReader['repoHistory']>[0]): Promise<RepoHistory>;
  acceptedAmong(input: AcceptedInput): Promise<{ accepted: AcceptedFingerprint[] }>;
}

/**
 * Reads it in the thread that asks, from a database that the writer has opened before: a few rows
 * by their keys, each a view of its own. The connection is opened at its first use.
 */
export function createScanLookups(dataDir: string): ScanLookups {
  let opened: ReturnType<typeof openLookups> | null = null;
  const open = () => {
    opened ??= openLookups(storePaths(dataDir).database);
    return opened;
  };
  return {
    repoHistory: async (input) => open().findHistory(input, input),
    acceptedAmong: async (input) => ({ accepted: open().findAccepted(input) }),
  };
}

function openLookups(file: string) {
  const database = new Database(file, {
    readonly: true,
    fileMustExist: true,
    timeout: HISTORY.LOOKUP_MS,
  });
  database.pragma('trusted_schema = OFF');
  return {
    findHistory: createHistoryFinder(database),
    findAccepted: createAcceptedFinder(database),
  };
}
