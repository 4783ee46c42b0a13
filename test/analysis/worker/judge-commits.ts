import type { ExecutionContext } from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { type Change, readChange } from '../../../src/cli/change.ts';
import { readClientSettings } from '../../../src/daemon/config/reader.ts';
import { openTree } from '../../../src/gates/syntax/program/tree.ts';
import { findMentions, readNames, readTexts } from '../../../src/git/trees.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import { createRepository, ENVIRONMENT } from '../../cli/fixtures/repository.ts';
import { findingsOf, gateTools, type RunOptions } from './gates-run.ts';

/** Files of a commit, by path; `{to}` is a link. */
type Files = Readonly<Record<string, string | { to: string }>>;

interface Judged {
  /** `severity id file:line`, of findings that are not suppressed. */
  open: string[];
  suppressed: string[];
  excerpts: string[];
  /** Of each finding the files and lines that its flow goes through. */
  flows: string[];
  /** The same findings by the hunks alone. */
  byHunks: string[];
}

/** What gates 1 and 2 say of the second of two commits of a real repository. */
export async function judge(
  t: ExecutionContext,
  before: Files,
  after: Files,
  options: RunOptions & { edit?: (files: TreeFiles) => TreeFiles } = {},
): Promise<Judged> {
  const { path, git, write, commit } = createRepository(t);
  commit('before', before);
  for (const name of Object.keys(before)) if (!(name in after)) git('rm', '--quiet', name);
  for (const [name, text] of Object.entries(after)) write(name, text);
  git('add', '.');
  const given = { repoName: null, branch: null, message: null };
  const settings = readClientSettings(ENVIRONMENT);
  const change = await readChange({ kind: 'staged', repo: path }, given, settings);
  const { diff } = change.request;
  const wants = wantedFiles(Buffer.from(diff), gateTools(options).rules);
  const read: TreeFiles = (await change.readFiles?.(wants)) ?? null;
  const { edit = (files: TreeFiles) => files } = options;
  const program = (await programOf(change)) ?? null;
  const findings = await findingsOf(diff, { ...options, files: edit(read), program });
  const short = (some: typeof findings) =>
    some.map(({ severity, id, file, line }) => `${severity} ${id} ${file}:${line}`);
  const hunks = await findingsOf(diff, { ...options, files: null });
  return {
    open: short(findings.filter(({ suppressed }) => suppressed === null)),
    suppressed: short(findings.filter(({ suppressed }) => suppressed !== null)),
    flows: findings.map(({ flow = [] }) =>
      flow.map(({ file, line }) => `${file}:${line}`).join(' '),
    ),
    excerpts: findings.map(({ excerpt }) => excerpt ?? ''),
    byHunks: short(hunks),
  };
}

/** The files of both trees of a change, as a scan thread is served them. */
async function programOf({ readRange }: Pick<Change, 'readRange'>) {
  const range = await readRange?.();
  if (range === undefined) return null;
  const open = (tree: string | null) =>
    openTree({
      texts: async (paths) =>
        tree === null ? { texts: [], isCut: false } : readTexts(range.run, tree, paths),
      names: async (folders) => (tree === null ? [] : readNames(range.run, tree, folders)),
      mentions: async (paths, words) =>
        tree === null ? { paths: [], isCut: false } : findMentions(range.run, tree, paths, words),
    });
  return { base: open(range.base), head: open(range.head) };
}
