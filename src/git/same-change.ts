import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CraError } from '../model/errors.ts';
import type { SameChangeInput } from '../rpc/source-contract.ts';
import { checkIds, localEnvironment, PATCH_OPTIONS, setAttributes } from './environment.ts';
import type { Git, GitOptions, GitOutput } from './git.ts';
import { GIT } from './limits.ts';
import { type Mirror, scratchObjects } from './mirrors.ts';

/** Runs git in one mirror. */
type Run = (args: readonly string[], options?: Partial<GitOptions>) => Promise<GitOutput>;

interface Ends {
  base: string;
  head: string;
}

/**
 * Whether the tree of `head` is exactly what git makes of `base` and the decided range, by a merge
 * of three trees without a conflict, and each change stands where it stood when it was decided:
 * the same path, and in a file that the base has changed since, the same lines around it, which
 * the file has once, within the same enclosing lines. Equal patches do not suffice: the same lines
 * around a change may stand in another function. False for whatever is too large to be compared.
 */
export async function isSameChange(
  git: Git,
  mirror: Mirror,
  { base, head, decided }: SameChangeInput,
  stop: () => CraError | null,
): Promise<{ is_same: boolean }> {
  checkIds([base, head, decided.base, decided.head]);
  const env = localEnvironment(mirror.dir, mirror.format);
  const run: Run = (args, options) =>
    git.run(args, { env, bytesMax: GIT.LIST_BYTES_MAX, stop, ...options });
  setAttributes(mirror.dir, { kind: 'content' });
  const changed = await changedFiles(run, { base, head });
  if (changed === null) return { is_same: false };
  // If this process is killed, the next start removes what begins with tmp_ (`removeLeftovers`).
  const scratch = mkdtempSync(join(mirror.dir, 'tmp_merge-'));
  try {
    const made = { ...env, ...scratchObjects(mirror, scratch) };
    const merge = { run, env: made, base, head };
    for (const origin of await originsOf(run, base, decided)) {
      // A merge of no change says nothing of a decision that the base does not have.
      if (origin.isCherry && changed.length === 0) continue;
      const known: ChangedFile[] = [];
      for (const from of origin.from) {
        known.push(...((await changedFiles(run, { base: from, head: decided.head })) ?? []));
      }
      if (!changed.every((file) => known.some((one) => isSamePath(one, file)))) continue;
      if (!(await isMerge(merge, decided.head, origin))) continue;
      if (await standWhereDecided(run, changed, known)) return { is_same: true };
    }
    return { is_same: false };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Where a decided change began, as a merge sees it. */
interface Origin {
  from: string[];
  /** The decided range alone, on top of another base; else the decided head and all behind it. */
  isCherry: boolean;
}

async function originsOf(run: Run, base: string, decided: Ends): Promise<Origin[]> {
  const ids = ['--end-of-options', base, decided.head];
  const { bytes } = await run(['merge-base', '--all', ...ids], { codes: [1] });
  const from = bytes.toString('latin1').split('\n').filter(Boolean);
  const range: Origin = { from: [decided.base], isCherry: true };
  if (from.length === 0 || from.length > ORIGINS_MAX) return [range];
  const merge: Origin = { from, isCherry: false };
  return from.length === 1 && from[0] === decided.base ? [merge] : [range, merge];
}

/** Merge bases of two commits: more than one only where branches were merged crosswise. */
const ORIGINS_MAX = 8;

interface MergeOf extends Ends {
  run: Run;
  /** Of commands that write. */
  env: Record<string, string>;
}

/** Whether git makes the tree of `head` from `base` and the decided head. */
async function isMerge(
  { run, env, base, head }: MergeOf,
  decidedHead: string,
  { from, isCherry }: Origin,
): Promise<boolean> {
  const peel = async (id: string, type: 'tree' | 'commit') => {
    const { bytes } = await run(['rev-parse', '--verify', '--end-of-options', `${id}^{${type}}`]);
    return bytes.toString('latin1').trim();
  };
  // Git 2.39 knows no `--merge-base`: two commits on top of the origin say the same.
  const onOrigin = async (id: string) => {
    const by = 'cra <cra@invalid> 0 +0000';
    const tree = await peel(id, 'tree');
    const parent = await peel(from[0] ?? '', 'commit');
    const lines = [`tree ${tree}`, `parent ${parent}`, `author ${by}`, `committer ${by}`, '', ''];
    const input = Buffer.from(lines.join('\n'));
    const { bytes } = await run(['hash-object', '-w', '-t', 'commit', '--stdin'], { env, input });
    return bytes.toString('latin1').trim();
  };
  const sides = isCherry
    ? [await onOrigin(base), await onOrigin(decidedHead)]
    : [base, decidedHead];
  const args = ['merge-tree', '--write-tree', '--no-messages', ...sides];
  // 1: the two conflict; 128: their histories have nothing in common.
  const { code, bytes } = await run(args, { env, codes: [1, 128] });
  return code === 0 && bytes.toString('latin1').trim() === (await peel(head, 'tree'));
}

/** One file of a change. */
interface ChangedFile {
  /** Modes and paths before and after: what must be equal. */
  place: string;
  isRegular: boolean;
  /** Content before and after; null: there was no such file. */
  before: string | null;
  after: string | null;
}

/** https://git-scm.com/docs/diff-format#_raw_output_format; null: too many. */
async function changedFiles(run: Run, { base, head }: Ends): Promise<ChangedFile[] | null> {
  const renames = ['--find-renames', `-l${GIT.COMPARED_RENAMES_MAX}`];
  const list = ['diff', ...PATCH_OPTIONS, '--raw', '-z', '--no-abbrev', ...renames];
  const { bytes, isCut } = await run([...list, '--end-of-options', base, head, '--'], {
    cut: true,
  });
  if (isCut) return null;
  const tokens = bytes.toString('latin1').split('\0').filter(Boolean);
  const files: ChangedFile[] = [];
  for (let at = 0; at < tokens.length; ) {
    const fields = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/.exec(tokens[at] ?? '');
    if (fields === null) return null;
    const [, modeBefore = '', modeAfter = '', before = '', after = '', kind = ''] = fields;
    const paths = tokens.slice(at + 1, at + (kind === 'R' || kind === 'C' ? 3 : 2));
    files.push({
      place: [modeBefore, modeAfter, ...paths].join('\0'),
      isRegular: [modeBefore, modeAfter].every((mode) => mode.startsWith('100')),
      before: idOf(before),
      after: idOf(after),
    });
    at += 1 + paths.length;
  }
  return files;
}

function idOf(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}

function isSamePath(one: ChangedFile, other: ChangedFile): boolean {
  return one.place === other.place;
}

/** Whether each file changes where the decided range changed it. */
async function standWhereDecided(
  run: Run,
  changed: readonly ChangedFile[],
  known: readonly ChangedFile[],
): Promise<boolean> {
  let compared = 0;
  for (const file of changed) {
    const were = known.filter((one) => isSamePath(one, file));
    // On the same content the same result is the same change.
    if (were.some(({ before, after }) => before === file.before && after === file.after)) continue;
    compared += 1;
    if (compared > GIT.COMPARED_FILES_MAX) return false;
    const own = await placedRuns(run, file);
    let isFound = false;
    for (const one of were) isFound ||= isWithin(own, await placedRuns(run, one));
    if (!isFound) return false;
  }
  return true;
}

/** Whether all runs are among others; null: one side could not be read. */
function isWithin(own: readonly string[] | null, others: readonly string[] | null): boolean {
  if (own === null || others === null) return false;
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return own.every((run) => {
    const count = left.get(run) ?? 0;
    left.set(run, count - 1);
    return count > 0;
  });
}

/** More lines than any file has: a hunk that shows it all. */
const WHOLE = '--unified=100000000';

/**
 * The runs of changed lines of a file, each with its text and the lines that enclose it; null where
 * the file is binary, too large, or has the lines around one of them more than once.
 */
async function placedRuns(
  run: Run,
  { isRegular, before, after }: ChangedFile,
): Promise<string[] | null> {
  if (!isRegular || before === null || after === null) return null;
  if (before === after) return [];
  const how = ['diff', ...PATCH_OPTIONS, WHOLE, '--no-indent-heuristic'];
  const { bytes, isCut } = await run([...how, '--end-of-options', before, after], {
    bytesMax: GIT.COMPARED_BYTES_MAX,
    cut: true,
  });
  const text = bytes.toString('latin1');
  const start = text.indexOf('\n@@ ');
  if (isCut || start === -1) return null;
  const lines = text.slice(text.indexOf('\n', start + 1) + 1).split('\n');
  return readRuns(lines.slice(0, -1));
}

/** A run of changed lines, and where it stands among the lines before. */
interface LineRun {
  at: number;
  removed: string[];
  added: string[];
  scope: string[];
}

/** Lines around a change by which git and a reader find its place. */
const CONTEXT_LINES = 3;
/** Before the first line and after the last one, as no line of a file is. */
const EDGE = Array.from({ length: CONTEXT_LINES }, () => '\n');

/** `lines`: of one hunk that shows the whole file. */
function readRuns(lines: readonly string[]): string[] | null {
  const before = [...EDGE];
  const runs: LineRun[] = [];
  const scope = new Enclosing();
  let run: LineRun | null = null;
  for (const line of lines) {
    const text = line.slice(1);
    const kind = line[0];
    if (kind === '\\') {
      // The line before has no newline, on the side that it is of.
      const last = run?.added.length ? run.added : (run?.removed ?? []);
      if (last.length > 0) last.push(line);
      continue;
    }
    if (kind === ' ') run = null;
    else {
      if (run === null) {
        run = { at: before.length, removed: [], added: [], scope: scope.around(null) };
        runs.push(run);
      }
      const side = kind === '-' ? run.removed : run.added;
      // Where its first line that is not blank stands; that of the new side if there is one.
      if (text.trim() !== '' && side.every((line) => line.trim() === '')) {
        run.scope = scope.around(text);
      }
      side.push(text);
    }
    if (kind !== '+') before.push(text);
    if (kind !== '-') scope.read(text);
  }
  const places = new Places([...before, ...EDGE]);
  if (!runs.every((each) => places.isOnlyOne(each))) return null;
  return runs.map(({ removed, added, scope }) => JSON.stringify([removed, added, scope]));
}

/** The lines around a place that are indented less: block, function, class. */
class Enclosing {
  private readonly open: { indent: number; text: string }[] = [];

  /** Lines that enclose the next line; null: the next line is blank. */
  around(text: string | null): string[] {
    const indent = text === null ? Number.POSITIVE_INFINITY : indentOf(text);
    return this.open.filter((line) => line.indent < indent).map((line) => line.text);
  }

  read(text: string): void {
    // A brace alone does not say what it opens.
    if (!HAS_WORD.test(text)) return;
    const indent = indentOf(text);
    // `} else {` and `): string {` go on with what the line of the same indent began.
    const least = /^\s*[)\]}]/.test(text) ? indent + 1 : indent;
    while ((this.open.at(-1)?.indent ?? -1) >= least) this.open.pop();
    this.open.push({ indent, text });
  }
}

/** Letters of any alphabet, as bytes. */
const HAS_WORD = /[\w$\x80-\xff]/;
const TAB_COLUMNS = 8;

function indentOf(text: string): number {
  const [space = ''] = /^[ \t]*/.exec(text) ?? [];
  return space.replaceAll('\t', ' '.repeat(TAB_COLUMNS)).length;
}

/** Lines that are more frequent tell no place from another one. */
const SAME_LINES_MAX = 1_000;

/** Where the lines of a file stand. */
class Places {
  private readonly lines: readonly string[];
  private readonly byText = new Map<string, number[]>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
    lines.forEach((line, at) => {
      const all = this.byText.get(line);
      if (all === undefined) this.byText.set(line, [at]);
      else all.push(at);
    });
  }

  /** Whether the lines that a run removes, with the lines around them, stand in the file once. */
  isOnlyOne({ at, removed }: LineRun): boolean {
    const from = at - CONTEXT_LINES;
    const lines = removed.filter((line) => line !== NO_NEWLINE).length;
    const window = this.lines.slice(from, at + lines + CONTEXT_LINES);
    const [rarest, offset] = this.rarestOf(window);
    if (rarest.length > SAME_LINES_MAX) return false;
    const found = rarest.filter((place) =>
      window.every((line, index) => this.lines[place - offset + index] === line),
    );
    return found.length === 1;
  }

  /** Where the rarest line of a window stands, and which of its lines it is. */
  private rarestOf(window: readonly string[]): [number[], number] {
    let best: [number[], number] = [this.byText.get(window[0] ?? '') ?? [], 0];
    window.forEach((line, index) => {
      const all = this.byText.get(line) ?? [];
      if (all.length < best[0].length) best = [all, index];
    });
    return best;
  }
}

const NO_NEWLINE = '\\ No newline at end of file';
