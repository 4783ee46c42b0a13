import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CraError } from '../model/errors.ts';
import type {
  ChangeId,
  FirstParents,
  FirstParentsInput,
  MergeInput,
  PairInput,
  RangeInput,
} from '../rpc/source-contract.ts';
import { checkIds } from './address.ts';
import { localEnvironment } from './environment.ts';
import type { Git, GitOptions, GitOutput } from './git.ts';
import { GIT } from './limits.ts';
import type { Mirror } from './mirrors.ts';
import { PATCH_OPTIONS, setAttributes } from './patch-options.ts';

/** How one read of a mirror is given up. */
export type Stop = () => CraError | null;

/** Whether `one` is `other` or one of its ancestors. */
export async function isAncestor(
  git: Git,
  mirror: Mirror,
  { one, other }: PairInput,
  stop: Stop,
): Promise<{ is_ancestor: boolean }> {
  const args = ['merge-base', '--is-ancestor', '--end-of-options', one, other];
  const { code } = await run(git, mirror, args, stop, { codes: [1] });
  return { is_ancestor: code === 0 };
}

/**
 * The commits of the first-parent line from `from` down to `until`, newest first, `until` not
 * among them; null where it is not on the line, or more than `limit` away.
 */
export async function firstParents(
  git: Git,
  mirror: Mirror,
  { from, until, limit }: FirstParentsInput,
  stop: Stop,
): Promise<FirstParents> {
  checkIds([from, until]);
  const line = ['rev-list', '--first-parent', `--max-count=${limit + 1}`];
  const { bytes } = await run(git, mirror, [...line, '--end-of-options', from, '--'], stop);
  const shas = bytes.toString('latin1').split('\n').filter(Boolean);
  const end = shas.indexOf(until);
  return { shas: end === -1 ? null : shas.slice(0, end) };
}

/**
 * Names a change by its bytes: equal for two ranges only where `git patch-id --verbatim` is, and
 * with it what that leaves out: missing newlines at the end of files, and the content of binary
 * files. Line numbers and the function that a hunk names may differ. Null: the change is empty, or
 * above GIT.CHANGE_BYTES_MAX.
 */
export async function changeId(
  git: Git,
  mirror: Mirror,
  { base, head }: RangeInput,
  stop: Stop,
): Promise<ChangeId> {
  const options = [...PATCH_OPTIONS, '--binary', '--no-renames', '--no-indent-heuristic'];
  const args = ['diff', ...options, '--end-of-options', base, head, '--'];
  setAttributes(mirror.dir, { kind: 'content' });
  const bytesMax = GIT.CHANGE_BYTES_MAX;
  const patch = await run(git, mirror, args, stop, { bytesMax, cut: true });
  if (patch.isCut || patch.bytes.length === 0) return { id: null };
  const input = patch.bytes;
  const { bytes } = await run(git, mirror, ['patch-id', '--verbatim'], stop, { input });
  const [patchId] = bytes.toString('latin1').split(' ');
  return { id: patchId ? `${patchId} ${digestOf(input)}` : null };
}

/** SHA-256 of a patch without line numbers, and without the ids of blobs of text. */
function digestOf(patch: Buffer): string {
  const hash = createHash('sha256');
  const text = patch.toString('latin1');
  for (const section of text.split(/^(?=diff --git )/m)) {
    const isBinary = /^GIT binary patch$/m.test(section);
    for (const line of section.split('\n')) {
      if (!isBinary && /^index [0-9a-f]+\.\.[0-9a-f]+/.test(line)) {
        // The mode behind the ids counts.
        hash.update(`index ${line.split(' ')[2] ?? ''}\n`);
      } else hash.update(`${line.replace(/^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*$/, '@@')}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * Whether the tree of `merged` is exactly the one that git makes of `one` and `other` without a
 * conflict. What git writes on the way does not stay in the mirror.
 */
export async function isMergeOf(
  git: Git,
  mirror: Mirror,
  { one, other, merged }: MergeInput,
  stop: Stop,
): Promise<{ is_merge: boolean }> {
  const tree = await run(git, mirror, ['rev-parse', '--verify', `${merged}^{tree}`], stop);
  const scratch = mkdtempSync(join(mirror.dir, 'merge-'));
  try {
    const env = {
      ...localEnvironment(mirror.dir, mirror.format),
      GIT_OBJECT_DIRECTORY: scratch,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirror.dir, 'objects'),
    };
    setAttributes(mirror.dir, { kind: 'content' });
    const args = ['merge-tree', '--write-tree', '--no-messages', one, other];
    // 1: the two conflict; 128: their histories have nothing in common.
    const made = await run(git, mirror, args, stop, { env, codes: [1, 128] });
    const is_merge = made.code === 0 && made.bytes.equals(tree.bytes);
    return { is_merge };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(
  git: Git,
  { dir, format }: Mirror,
  args: readonly string[],
  stop: Stop,
  options: Partial<GitOptions> = {},
): Promise<GitOutput> {
  const env = localEnvironment(dir, format);
  return git.run(args, { env, bytesMax: GIT.LIST_BYTES_MAX, stop, ...options });
}
