import type { Static } from 'typebox';
import { FIELDS } from './limits.ts';
import { COMMIT_ID, FULL_NAME } from './schema.ts';

/** No NUL: names end up in file systems, git and terminals, where it ends the text. */
const NO_NUL = '^[^\\u0000]*$';

/** The body of `POST analyze` (spec, RFC lifecycle). Unknown extra fields are ignored. */
export const ANALYZE_REQUEST = {
  type: 'object',
  required: ['repo_name', 'branch', 'commit_message', 'diff'],
  properties: {
    repo_name: {
      type: 'string',
      minLength: 1,
      maxLength: FIELDS.REPO_NAME_CHARS_MAX,
      pattern: NO_NUL,
      description: 'Repository identifier',
    },
    branch: { type: 'string', minLength: 1, maxLength: FIELDS.BRANCH_CHARS_MAX, pattern: NO_NUL },
    commit_message: { type: 'string', maxLength: FIELDS.COMMIT_MESSAGE_CHARS_MAX },
    diff: { type: 'string', minLength: 1, description: 'Unified diff' },
    diffSource: { type: 'string', enum: ['local', 'pre-commit', 'vcs-pr', 'vcs-compare'] },
    commitSha: { type: 'string', pattern: COMMIT_ID },
    repoFullName: { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: FULL_NAME },
    postVcsStatus: { type: 'boolean' },
  },
} as const;

export type AnalyzeRequest = Static<typeof ANALYZE_REQUEST>;

/** A file of the tree before a change or after it, which somebody wants to read whole. */
export interface WantedFile {
  side: 'base' | 'head';
  /** Path from the root of the tree, decoded like the paths of a parsed diff. */
  path: string;
}

/** The answer to a WantedFile. */
export interface TreeFile extends WantedFile {
  /**
   * `read`: `bytes` is the whole content; for a symlink, that of the file it leads to.
   * `missing`: the tree has nothing of that name, or a link that leads nowhere.
   * `outside`: a symlink that leads out of the tree, where nothing is read.
   * `too-large`: above the bounds of the reader. `directory`: a folder of that name is there.
   */
  state: 'read' | 'missing' | 'outside' | 'too-large' | 'directory';
  bytes: Uint8Array | null;
}

/** What was read of both trees beside a diff; null: there is no repository to read from. */
export type TreeFiles = readonly TreeFile[] | null;
