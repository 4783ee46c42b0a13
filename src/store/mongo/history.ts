import { type AnyBulkWriteOperation, Binary, type Collection, type Document } from 'mongodb';
import type { ChangeEntry, RepoHistory } from '../../model/change.ts';
import { CraError } from '../../model/errors.ts';
import {
  type FileState,
  historyOf,
  historyRepoKey,
  NEW_FILE,
  NEW_REPO,
  nextFile,
  nextRepo,
  packHistory,
  type RepoState,
  unpackHistory,
} from '../running-history.ts';
import { repoKey } from '../stored-record.ts';
import type { Collections } from './database.ts';
import type { HistoryFileDocument, HistoryRepoDocument } from './documents.ts';
import { fromCode } from './errors.ts';
import { MONGO } from './limits.ts';
import { type Confirmation, DUPLICATE_KEY, writeApart } from './operations.ts';
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
async function readRepos(
  { historyRepos }: HistoryCollections,
  ids: string[],
): Promise<Map<string, RepoState>> {
  const found = await historyRepos.find({ _id: { $in: ids } }).toArray();
  return new Map(found.map((repo) => [repo._id, repo]));
}

/** The states of files by their ids; one that is not there is not in it. */
async function readFiles(
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

function repoId({ tenant_id, repo_name }: { tenant_id: string; repo_name: string }): string {
  return historyRepoKey(tenant_id, repoKey(repo_name));
}

/** Half of a SHA-256 is enough to tell the diffs of a repository apart. */
function changeId(repo: string, diffHash: string): string {
  return `${repo}:${diffHash.slice(0, 32)}`;
}

/** The id of a file: that of its repository, then the hash of its path. */
function fileId(repo: string, fileKey: string): string {
  return `${repo}:${fileKey}`;
}

/** The change of a record, and its repository. */
export interface CountedChange {
  tenant_id: string;
  repo_name: string;
  entry: ChangeEntry;
}

/** A change on its way into the history. */
interface Pending extends CountedChange {
  repo: string;
  change: string;
  files: string[];
}

/**
 * Counts changes in the histories of their repositories, each diff once. Several daemons may do so
 * at once: the document of the diff is a claim that one of them wins, and the counters are changed
 * by compare-and-set on their own value; the one that loses reads again. A daemon that dies between
 * these leaves a diff that is claimed and not counted, which the score does not notice.
 */
export async function countChanges(
  collections: HistoryCollections,
  changes: readonly CountedChange[],
): Promise<void> {
  const pending = await notCounted(collections, distinct(changes));
  if (pending.length === 0) return;
  const before = await readStates(collections, pending);
  const claimed = await claim(collections, pending, before);
  // The last write waits for the majority, which then has those before it, too.
  const hasFiles = claimed.some(({ files }) => files.length > 0);
  const confirmation = hasFiles ? 'primary' : 'majority';
  const numbers = await countRepos(collections, claimed, before.repos, confirmation);
  await countFiles(collections, claimed, numbers, before.files);
}

interface States {
  repos: Map<string, RepoState>;
  files: Map<string, FileState>;
}

function distinct(changes: readonly CountedChange[]): Pending[] {
  const found = new Map<string, Pending>();
  for (const counted of changes) {
    const repo = repoId(counted);
    const change = changeId(repo, counted.entry.diff_hash);
    if (found.has(change)) continue;
    const files = counted.entry.file_keys.map((key) => fileId(repo, key));
    found.set(change, { ...counted, repo, change, files });
  }
  return [...found.values()];
}

async function notCounted(
  { historyChanges }: HistoryCollections,
  pending: Pending[],
): Promise<Pending[]> {
  const ids = pending.map(({ change }) => change);
  const known = await historyChanges
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray();
  const counted = new Set(known.map(({ _id }) => _id));
  return pending.filter(({ change }) => !counted.has(change));
}

async function readStates(
  collections: HistoryCollections,
  pending: readonly Pending[],
): Promise<States> {
  const [repos, files] = await Promise.all([
    readRepos(collections, [...new Set(pending.map(({ repo }) => repo))]),
    readFiles(collections, [...new Set(pending.flatMap((each) => each.files))]),
  ]);
  return { repos, files };
}

/** Writes down what each diff met; those that another daemon was faster with fall out. */
async function claim(
  { historyChanges }: HistoryCollections,
  pending: readonly Pending[],
  before: States,
): Promise<Pending[]> {
  const repos = new Map(before.repos);
  const files = new Map(before.files);
  const documents = pending.map((each) => {
    const repo = repos.get(each.repo) ?? NEW_REPO;
    const known = each.files.map((file) => files.get(file) ?? null);
    const next = nextRepo(repo, each.entry);
    repos.set(each.repo, next);
    for (const [index, file] of each.files.entries()) {
      const state = known[index] ?? NEW_FILE;
      files.set(file, nextFile(state, next.changes, each.entry.is_fix));
    }
    return { _id: each.change, met: packHistory(historyOf(repo, known)) };
  });
  const lost = await writeApart(
    historyChanges,
    documents.map((document) => ({ insertOne: { document } })),
    'primary',
  );
  requireOnlyDuplicates(lost);
  return pending.filter((_, index) => !lost.has(index));
}

/** Counts the changes of each repository; resolves with the number that each change got. */
async function countRepos(
  collections: HistoryCollections,
  claimed: readonly Pending[],
  before: Map<string, RepoState>,
  confirmation: Confirmation,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  let states = before;
  let left = groups(claimed, ({ repo }) => [repo]);
  for (let race = 0; left.size > 0; race += 1) {
    if (race > 0) states = await readRepos(collections, [...left.keys()]);
    checkRaces(race);
    const repos = [...left];
    const operations = repos.map(([repo, changes]): AnyBulkWriteOperation<HistoryRepoDocument> => {
      const start = states.get(repo) ?? NEW_REPO;
      let state = start;
      for (const { change, entry } of changes) {
        state = nextRepo(state, entry);
        numbers.set(change, state.changes);
      }
      const { changes: count, size_mean, size_variance } = state;
      const owner = ownerOf(changes);
      return {
        updateOne: {
          filter: { _id: repo, changes: start.changes },
          update: { $set: { ...owner, changes: count, size_mean, size_variance } },
          upsert: true,
        },
      };
    });
    left = await losers(collections.historyRepos, repos, operations, confirmation);
  }
  return numbers;
}

async function countFiles(
  collections: HistoryCollections,
  claimed: readonly Pending[],
  numbers: Map<string, number>,
  before: Map<string, FileState>,
): Promise<void> {
  let states = before;
  let left = groups(claimed, ({ files }) => files);
  for (let race = 0; left.size > 0; race += 1) {
    if (race > 0) states = await readFiles(collections, [...left.keys()]);
    checkRaces(race);
    const files = [...left];
    const operations = files.map(([file, changes]): AnyBulkWriteOperation<HistoryFileDocument> => {
      const start = states.get(file) ?? NEW_FILE;
      let state = start;
      for (const { change, entry } of changes) {
        // Another daemon's change may have got a higher number and be written already.
        const number = Math.max(numbers.get(change) ?? 0, state.last);
        state = nextFile(state, number, entry.is_fix);
      }
      return {
        updateOne: {
          filter: { _id: file, changes: start.changes },
          update: { $set: { ...state, steps: new Binary(state.steps) } },
          upsert: true,
        },
      };
    });
    left = await losers(collections.historyFiles, files, operations, 'majority');
  }
}

/** For operators who read the database; the id is a hash. */
function ownerOf([first]: readonly Pending[]): { tenant_id: string; repo_key: string } {
  return { tenant_id: first?.tenant_id ?? '', repo_key: repoKey(first?.repo_name ?? '') };
}

/** By each key, the changes that have it, in their order. */
function groups(
  changes: readonly Pending[],
  keysOf: (change: Pending) => readonly string[],
): Map<string, Pending[]> {
  const found = new Map<string, Pending[]>();
  for (const change of changes) {
    for (const key of keysOf(change)) {
      const group = found.get(key);
      if (group === undefined) found.set(key, [change]);
      else group.push(change);
    }
  }
  return found;
}

/**
 * Runs one compare-and-set for each group. With `upsert`, a state that is not there any more is a
 * duplicate of the id: so the server reports which ones lost.
 */
async function losers<Of extends Document>(
  collection: Collection<Of>,
  entries: readonly [string, Pending[]][],
  operations: readonly AnyBulkWriteOperation<Of>[],
  confirmation: Confirmation,
): Promise<Map<string, Pending[]>> {
  const lost = await writeApart(collection, operations, confirmation);
  requireOnlyDuplicates(lost);
  return new Map(entries.filter((_, index) => lost.has(index)));
}

function requireOnlyDuplicates(errors: ReadonlyMap<number, number | undefined>): void {
  for (const code of errors.values()) if (code !== DUPLICATE_KEY) throw fromCode(code);
}

function checkRaces(race: number): void {
  if (race <= MONGO.HISTORY_RACES_MAX) return;
  throw new CraError('UNAVAILABLE', 'too many daemons write the history of one repository');
}
