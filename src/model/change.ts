import type { Static } from 'typebox';
import { SEVERITIES } from './finding.ts';
import { FIELDS, PRE_RECEIVE } from './limits.ts';
import type { PipelineSettings } from './rules.ts';
import {
  COMMIT_ID,
  COUNT,
  exactly,
  FULL_NAME,
  NAME,
  REPOSITORY_NAME,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
  WORDS,
} from './schema.ts';

/** The body of `POST analyze` (spec, RFC lifecycle). Unknown extra fields are ignored. */
export const ANALYZE_REQUEST = {
  type: 'object',
  required: ['repo_name', 'branch', 'commit_message', 'diff'],
  properties: {
    repo_name: {
      type: 'string',
      minLength: 1,
      maxLength: FIELDS.REPO_NAME_CHARS_MAX,
      pattern: REPOSITORY_NAME,
      description: 'Repository identifier, like owner/repo',
    },
    branch: { type: 'string', minLength: 1, maxLength: FIELDS.BRANCH_CHARS_MAX, pattern: NAME },
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

/**
 * Files at both ends of a change that a person decided about, or of the state that a repository had
 * when it was seen first, before which there was nothing (`before` is empty).
 */
export interface DecidedFiles {
  before: readonly TreeFile[];
  after: readonly TreeFile[];
}

/** Files of both trees beside a diff; null without a repository to read from. */
export type TreeFiles = readonly TreeFile[] | null;

/** What `cra pre-receive` asks the service before a push is public, and what it is answered. */

const REFS = {
  type: 'array',
  minItems: 1,
  maxItems: PRE_RECEIVE.REFS_SHOWN_MAX,
  items: { type: 'string', maxLength: FIELDS.BRANCH_CHARS_MAX, pattern: WHOLE },
  description: 'The first refs of the push, for the trail',
} as const;

/** Who pushes what: it stands in the trail. */
const PUSH = {
  repo_name: { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: REPOSITORY_NAME },
  refs: REFS,
  refs_total: COUNT,
  pusher: {
    type: ['string', 'null'],
    maxLength: FIELDS.BRANCH_CHARS_MAX,
    pattern: WHOLE,
    description: 'As the host names the person',
  },
  reason: {
    type: ['string', 'null'],
    maxLength: PRE_RECEIVE.REASON_CHARS_MAX,
    pattern: WHOLE,
    description: 'Of the push option `cra.reason`',
  },
} as const;

const FAIL = {
  type: 'string',
  enum: ['open', 'closed'],
  description: 'What becomes of a push that cannot be judged',
} as const;
export type FailMode = Static<typeof FAIL>;

const BASE64 = '^[A-Za-z0-9+/]*={0,2}$';

export const PRE_RECEIVE_REQUEST = {
  type: 'object',
  required: [...Object.keys(PUSH), 'fail', 'commits', 'patches', 'messages'],
  properties: {
    ...PUSH,
    fail: FAIL,
    commits: { ...COUNT, description: 'How many commits are new' },
    patches: { ...TEXT, description: 'Of each new commit `commit ID` and its patch (git log)' },
    messages: {
      ...TEXT,
      pattern: BASE64,
      description:
        'The new commits and annotated tags as `git cat-file --batch` shows them, and the names ' +
        'of new refs in the same form (kind `refs`), base64',
    },
  },
} as const;

/** The fields of the request, all of them. */
export interface PreReceiveRequest extends PushFacts {
  fail: FailMode;
  commits: number;
  patches: string;
  messages: string;
}

/** Who pushes what. */
export interface PushFacts {
  repo_name: string;
  refs: string[];
  refs_total: number;
  pusher: string | null;
  reason: string | null;
}

const INSTANT = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/** A push that the hook had to decide about by itself. */
export const UNJUDGED_PUSH = {
  type: 'object',
  required: [...Object.keys(PUSH), 'at', 'why', 'let_through'],
  properties: {
    ...PUSH,
    at: { type: 'string', pattern: INSTANT, description: 'When, by the clock of the host' },
    why: { type: 'string', maxLength: PRE_RECEIVE.REASON_CHARS_MAX, pattern: WORDS },
    let_through: { type: 'boolean' },
  },
} as const;

export interface UnjudgedPush extends PushFacts {
  at: string;
  why: string;
  let_through: boolean;
}

/**
 * `allowed`: nothing refuses it. `refused`: a finding does. `bypassed`: a finding would, and its
 * reason lets it through. `unjudged`: some of it could not be read, so `fail` decides.
 */
const VERDICTS = ['allowed', 'refused', 'bypassed', 'unjudged'] as const;

const VERDICT = { type: 'string', enum: [...VERDICTS] } as const;

const PLAIN_LISTED = exactly({
  id: { ...TEXT, description: 'Rule' },
  severity: { type: 'string', enum: [...SEVERITIES] },
  message: TEXT,
  commit: { ...TEXT, description: 'The commit that holds it; empty: see the message' },
  file: TEXT_OR_NULL,
  line: { type: ['integer', 'null'], minimum: 1 },
  excerpt: { ...TEXT_OR_NULL, description: 'Secrets are redacted' },
});

const LISTED = {
  ...PLAIN_LISTED,
  properties: {
    ...PLAIN_LISTED.properties,
    title: { ...TEXT, description: 'As of the finding' },
  },
} as const;

const JUDGED = {
  verdict: VERDICT,
  let_through: { type: 'boolean' },
  why: { ...TEXT_OR_NULL, description: 'Of `unjudged`: what could not be read' },
  findings: {
    type: 'array',
    maxItems: PRE_RECEIVE.FINDINGS_MAX,
    items: LISTED,
    description: 'The worst findings that refuse it',
  },
  findings_total: COUNT,
} as const;

const JUDGED_PUSH = exactly(JUDGED);
/** The judgement on a push. */
export type JudgedPush = Static<typeof JUDGED_PUSH>;
export type PreReceiveFinding = Static<typeof LISTED>;

export const PRE_RECEIVE_ANSWER = exactly({
  ...JUDGED,
  may_bypass: { type: 'boolean', description: 'Whether a reason would let it through' },
  more: { ...TEXT, description: 'Where to read more' },
});
export type PreReceiveAnswer = Static<typeof PRE_RECEIVE_ANSWER>;

/** The settings with their defaults. */
export function preReceiveSettings({ pre_receive: own }: PipelineSettings) {
  return { rules: own?.rules ?? [], bypass: own?.bypass ?? [] };
}
