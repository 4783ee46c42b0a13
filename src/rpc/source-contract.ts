import type { TreeFile, WantedFile } from '../model/change.ts';
import type { GateFinding } from '../model/finding.ts';
import { SOURCE } from '../model/limits.ts';
import { method } from './service.ts';

/** Git: served by the thread that keeps the mirrors (workers/git). */
export const Source = {
  name: 'Source',
  methods: {
    /** Fetches missing commits of `wants` and of the refs' heads into the mirror. */
    sync: method<SyncInput, SyncOutput>(SOURCE.SYNC_DEADLINE_MS),
    /** The branches and tags of a repository as its host has them now; nothing is fetched. */
    listRefs: method<SourceRepository, { refs: Record<string, string> }>(SOURCE.REFS_DEADLINE_MS),
    /** Commits reachable from `from`, newest first: a page of them. The mirror has them all. */
    ancestry: method<AncestryInput, { shas: string[]; hasMore: boolean }>(SOURCE.READ_DEADLINE_MS),
    /** Whether two commits have a common ancestor. */
    areRelated: method<PairInput, { related: boolean }>(SOURCE.READ_DEADLINE_MS),
    /** Whether `one` is `other` or one of its ancestors. The mirror has both, else NOT_FOUND. */
    isAncestor: method<PairInput, { is_ancestor: boolean }>(SOURCE.READ_DEADLINE_MS),
    /** The `shas` that are `head` or its ancestors; a commit that the mirror lacks is not. */
    ancestorsAmong: method<AmongInput, { shas: string[] }>(SOURCE.READ_DEADLINE_MS),
    /** The first-parent line down to a commit; null where that is not on it, or too far away. */
    firstParents: method<FirstParentsInput, FirstParents>(SOURCE.READ_DEADLINE_MS),
    /**
     * Whether a range is exactly what a decided range makes of its base, at the same places of the
     * same files (docs/why/heads.md).
     */
    isSameChange: method<SameChangeInput, { is_same: boolean }>(SOURCE.READ_DEADLINE_MS),
    /** The commits of a head that others of them revert; `isWhole`: all were looked at. */
    reverts: method<RevertsInput, { reverts: FoundRevert[]; isWhole: boolean }>(
      SOURCE.REVERTS_DEADLINE_MS,
    ),
    /** The change from a base to a head, whole; rejects rather than leave anything out. */
    diff: method<DiffInput, DiffOutput>(SOURCE.DIFF_DEADLINE_MS),
    /** Whole files of both trees of a range, in the order of `wants`. */
    blobs: method<BlobsInput, { files: TreeFile[] }>(SOURCE.READ_DEADLINE_MS),
  },
} as const;

/**
 * Files of one state of a repository, one by one: the thread of the mirrors serves them to scan
 * threads, and a command the objects of its own repository.
 */
export const Trees = {
  name: 'Trees',
  methods: {
    /** Texts of files. */
    texts: method<TextsInput, TreeTexts>(SOURCE.READ_DEADLINE_MS),
    /** Names in folders; a name of a folder ends with `/`. An absent folder has no names. */
    names: method<NamesInput, { names: string[][] }>(SOURCE.READ_DEADLINE_MS),
    /** The given files whose texts hold one of some words. */
    mentions: method<MentionsInput, Mentions>(SOURCE.READ_DEADLINE_MS),
  },
} as const;

/** A commit, or the tree of one. */
export interface TreePlace extends SourceRepository {
  commit: string;
}

/** Both states of a repository that a change is between; null: there was nothing before. */
export interface TreeRange {
  base: TreePlace | null;
  head: TreePlace;
}

export interface TextsInput extends TreePlace {
  paths: string[];
}

export interface TreeTexts {
  /** In the order of the paths; null: there is no such file, or it is too large. */
  texts: (string | null)[];
  /** Whether one of them is too large. */
  isCut: boolean;
}

export interface NamesInput extends TreePlace {
  folders: string[];
}

export interface MentionsInput extends TreePlace {
  paths: string[];
  words: string[];
}

export interface Mentions {
  /** In the order in which they were asked for. */
  paths: string[];
  /** Whether files were too large, or all together are. */
  isCut: boolean;
}

/** A repository on a host, addressed by the settings: no URL of a payload ever counts. */
export interface SourceRepository {
  /** Id of the configured host. */
  host: string;
  repo_full_name: string;
}

export interface SyncInput extends SourceRepository {
  /** Commits that are needed, as full ids. */
  wants: string[];
  /** Refs whose heads are needed, as `refs/heads/main`. */
  refs: string[];
}

/**
 * UNAVAILABLE (`details.reason`: a safe sentence) when the host can't be reached or refuses and
 * the mirror lacks something that is wanted.
 */
export interface SyncOutput {
  /**
   * All branches and tags as the host has them, by full name (a tag: the id of its tag object);
   * null: the host was not reached, the mirror has what it had.
   */
  refs: Record<string, string> | null;
  /** Of `wants`, what neither host nor mirror has. */
  missing: string[];
  /** Why the host was not reached, a safe sentence; null: it was. */
  problem: string | null;
}

export interface AncestryInput extends SourceRepository {
  from: string;
  /** These commits and their ancestors are left out, if given. */
  without?: readonly string[];
  skip: number;
  limit: number;
}

export interface PairInput extends SourceRepository {
  one: string;
  other: string;
}

export interface AmongInput extends SourceRepository {
  /** The mirror has it, else NOT_FOUND. */
  head: string;
  shas: string[];
  /** Commits behind which most of `shas` do not lie: git looks no further for them. */
  known: string[];
}

export interface FirstParentsInput extends SourceRepository {
  from: string;
  until: string;
  /** At most SOURCE.ANCESTRY_PAGE_MAX. */
  limit: number;
}

export interface FirstParents {
  /** Newest first, `until` not among them. */
  shas: string[] | null;
}

export interface SameChangeInput extends SourceRepository {
  base: string;
  head: string;
  decided: { base: string; head: string };
}

export interface RevertsInput extends SourceRepository {
  head: string;
  /** The history is looked at down to the last commit that is as new, ISO 8601. */
  since: string;
}

export interface FoundRevert {
  /** The commit that is reverted. */
  sha: string;
  /** The commit that reverts it. */
  by: string;
  /** By what `git revert` writes, or by a patch that is the inverse. */
  how: 'message' | 'patch';
}

export interface DiffInput extends SourceRepository {
  /** Null: the empty tree. */
  base: string | null;
  head: string;
  /** A file that moved is shown whole, removed here and added there; absent: as a rename. */
  without_renames?: boolean;
}

export interface BlobsInput extends DiffInput {
  /** At most SOURCE.BLOBS_MAX. */
  wants: WantedFile[];
  /** Content in all, at most SOURCE.BLOBS_BYTES_MAX; files that do not fit are `too-large`. */
  bytes_max: number;
}

export interface DiffOutput {
  /**
   * `git diff base head` as bytes in shared memory; empty when the trees are the same. At most
   * BODY.LARGE_BYTES_MAX, else OUT_OF_RANGE.
   */
  diff: Uint8Array;
  /**
   * The patches of the commits `head ^base` where there are several, in which secrets are looked
   * for that were added and removed again; null: one commit or none, so the diff shows it all.
   */
  history: Uint8Array | null;
  /**
   * The tag objects that `head` names and the commit objects of `head ^base`, newest first, as
   * `git cat-file --batch` writes them. Their messages are as public as any file.
   */
  messages: Uint8Array;
  /** Whether `head` is a tag object, not a commit. */
  is_annotated: boolean;
  /** Commits in `head ^base`. */
  commits: number;
  /** Message of the head commit, cut to FIELDS.COMMIT_MESSAGE_CHARS_MAX; may hold secrets. */
  message: string;
  /** What could not be looked at, as findings that block or tell. */
  notes: GateFinding[];
}
