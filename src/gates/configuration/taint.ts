import { insertionsOf, type Path } from './expressions.ts';

/**
 * What of a workflow others choose. `text`: a title or message, of any characters. `branch`: a
 * name of a branch, which may hold `$(...)` but no blank. `head`: which code is proposed; as a
 * commit or number it is harmless in a script, and dangerous to check out.
 */
export type Taint = 'text' | 'branch' | 'head';

/** Fields below `github.event`, by their content; `*` is any one name. */
const EVENT: readonly (readonly [path: string, taint: Taint])[] = [
  ['issue.title', 'text'],
  ['issue.body', 'text'],
  ['pull_request.title', 'text'],
  ['pull_request.body', 'text'],
  ['comment.body', 'text'],
  ['review.body', 'text'],
  ['review_comment.body', 'text'],
  ['discussion.title', 'text'],
  ['discussion.body', 'text'],
  ['answer.body', 'text'],
  ['changes.title.from', 'text'],
  ['changes.body.from', 'text'],
  ['pages.*.page_name', 'text'],
  ['head_commit.message', 'text'],
  ['head_commit.author.name', 'text'],
  ['head_commit.author.email', 'text'],
  ['head_commit.committer.name', 'text'],
  ['head_commit.committer.email', 'text'],
  ['commits.*.message', 'text'],
  ['commits.*.author.name', 'text'],
  ['commits.*.author.email', 'text'],
  ['workflow_run.display_title', 'text'],
  ['workflow_run.head_commit.message', 'text'],
  ['workflow_run.head_commit.author.name', 'text'],
  ['workflow_run.head_commit.author.email', 'text'],
  ['workflow_run.head_repository.description', 'text'],
  ['pull_request.head.repo.description', 'text'],
  ['pull_request.head.repo.homepage', 'text'],
  ['pull_request.head.ref', 'branch'],
  ['pull_request.head.label', 'branch'],
  ['pull_request.head.repo.default_branch', 'branch'],
  ['workflow_run.head_branch', 'branch'],
  ['workflow_run.pull_requests.*.head.ref', 'branch'],
  ['check_suite.head_branch', 'branch'],
  ['check_run.check_suite.head_branch', 'branch'],
  ['merge_group.head_commit.message', 'text'],
  ['pull_request.head.sha', 'head'],
  ['pull_request.merge_commit_sha', 'head'],
  ['pull_request.head.repo.full_name', 'head'],
  ['pull_request.head.repo.clone_url', 'head'],
  ['pull_request.head.repo.ssh_url', 'head'],
  ['pull_request.head.repo.git_url', 'head'],
  ['pull_request.head.repo.svn_url', 'head'],
  ['pull_request.head.repo.html_url', 'head'],
  ['pull_request.patch_url', 'head'],
  ['pull_request.diff_url', 'head'],
  ['pull_request.head.user.login', 'head'],
  ['workflow_run.head_sha', 'head'],
  ['workflow_run.head_commit.id', 'head'],
  ['workflow_run.head_repository.full_name', 'head'],
  ['workflow_run.pull_requests.*.head.sha', 'head'],
];
const FIELDS = [
  ...EVENT.map(([path, taint]) => [['github', 'event', ...path.split('.')], taint] as const),
  [['github', 'head_ref'], 'branch'] as const,
];

/** Names that a step, a job or an `env` gives to data from others, in lower case. */
export type Names = ReadonlyMap<string, Taint>;

/** The worst that a path may be; null: nobody outside chooses it. */
export function taintOfPath({ names, isWhole }: Path, known: Names): Taint | null {
  if (names[0] !== 'github') {
    const one = known.get(names.join('.')) ?? known.get(`${names[0]}.*`);
    return one ?? wholeOf(names, isWhole, known);
  }
  let worst: Taint | null = null;
  for (const [field, taint] of FIELDS) {
    if (fits(names, field, isWhole)) worst = joinTaints(worst, taint);
  }
  return worst;
}

/** `toJSON(env)`, `steps.a.outputs[...]`. */
function wholeOf(names: readonly string[], isWhole: boolean, known: Names): Taint | null {
  let worst: Taint | null = null;
  if (!isWhole && !names.includes('*')) return null;
  for (const [name, taint] of known) {
    if (fits(names, name.split('.'), isWhole)) worst = joinTaints(worst, taint);
  }
  return worst;
}

function fits(names: readonly string[], field: readonly string[], isWhole: boolean): boolean {
  const isLong = isWhole ? names.length <= field.length : names.length === field.length;
  return (
    isLong &&
    names.every((name, at) => name === field[at] || name === '*' || isIndex(field[at], name))
  );
}

function isIndex(part: string | undefined, name: string): boolean {
  return part === '*' && /^(?:\d+|\*)$/.test(name);
}

const ORDER: readonly Taint[] = ['head', 'branch', 'text'];

/** The worse of two. */
export function joinTaints(one: Taint | null, other: Taint | null): Taint | null {
  if (one === null || other === null) return one ?? other;
  return ORDER.indexOf(one) >= ORDER.indexOf(other) ? one : other;
}

/** The worst of the expressions in a text. */
export function taintOfText(text: string, known: Names): Taint | null {
  let worst: Taint | null = null;
  for (const { paths } of insertionsOf(text)) {
    for (const path of paths) worst = joinTaints(worst, taintOfPath(path, known));
  }
  return worst;
}
