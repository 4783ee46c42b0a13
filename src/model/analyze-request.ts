import type { Static } from 'typebox';
import { FIELDS } from '../limits.ts';
import { COMMIT_ID, FULL_NAME } from './text-patterns.ts';

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
