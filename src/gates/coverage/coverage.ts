import { createHmac } from 'node:crypto';
import { asBuffer } from '../../diff/bytes.ts';
import type { DiffFile, ParsedDiff } from '../../diff/diff.ts';
import type { TreeFiles } from '../../model/change.ts';
import {
  type GateFinding,
  plainFinding,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import {
  PROGRAM,
  READ_AS_TEXT,
  type Reading,
  readHiddenCode,
  type Surroundings,
  surroundingsOf,
  type Unseen,
} from './hidden-code.ts';
import {
  CODE_NAME,
  IMAGE_NAME,
  kindOf,
  PLACES,
  PROGRAM_NAME,
  runsByName,
  SETTINGS_NAME,
  TEXT_NAME,
} from './paths.ts';

const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
/** Of LFS_OBJECT: most hunks are not worth a string. */
const LFS_WORD = Buffer.from('oid sha256:');
const LFS_OBJECT = /^\+oid sha256:[0-9a-f]{64}\r?$/m;
/** "Pointer files must be less than 1024 bytes in size": old and new with their markers. */
const LFS_HUNK_BYTES_MAX = 4096;

/** What the hunks of a diff leave unseen. */
export interface Coverage {
  /** For parts that no rule can look at. */
  findings: GateFinding[];
  /** What the gates have to read beside the diff. */
  readings: Reading[];
}

/**
 * Finds what the rules cannot see in the hunks alone: unreadable parts, binary files, submodules,
 * LFS pointers, and code that does not look like code. `key` is the HMAC key of fingerprints;
 * `files` are the whole files that `wantedForCode` names, null without a repository;
 * `allowsProgram` says where the rules let programs be.
 */
export function coverageOf(
  bytes: Uint8Array,
  diff: ParsedDiff,
  key: Uint8Array,
  files: TreeFiles,
  allowsProgram: (path: string) => boolean = () => false,
): Coverage {
  const findings: GateFinding[] = [];
  const readings: Reading[] = [];
  const around = surroundingsOf(diff, files);
  // Of most diffs one look at all of it spares one at each hunk.
  const hasLfs = [LFS_POINTER, LFS_WORD].some((text) => asBuffer(bytes).includes(text));
  for (const problem of diff.problems) {
    const message = `line ${problem.diffLine} of the diff could not be read: ${problem.message}`;
    findings.push(finding(key, 'diff-unreadable', 'high', message, problem.file));
  }
  for (const file of diff.files) {
    if (file.change === 'deleted') continue;
    if (isUncertainName(file.path)) {
      const message = 'the name ends in a blank, which some tools drop: it may become another file';
      findings.push(finding(key, 'diff-unreadable', 'high', message, file.path));
    }
    const isPointer = hasLfs && isLfsPointer(bytes, file);
    const seen = namesOf(file).flatMap((path) => {
      const named = { ...file, path };
      const one = isPointer ? lfsFile(path) : lookAt(bytes, named, around, files !== null);
      const program = allowsProgram(path) ? null : programFile(named, isPointer);
      return [one ?? [], program ?? []].flat();
    });
    for (const one of seen) if ('bytes' in one) readings.push({ ...one, path: file.path });
    readings.push(...underOtherNames(bytes, file));
    const unseen = gravest(seen.flatMap((one) => ('bytes' in one ? (one.warning ?? []) : one)));
    if (unseen === null) continue;
    findings.push(finding(key, unseen.id, unseen.severity, unseen.message, file.path));
  }
  return { findings, readings };
}

/** The names by which a file may come to be used: the first is that of its findings. */
function namesOf({ path, otherPaths }: DiffFile): string[] {
  const direct = directName(path);
  const others = otherPaths.slice(0, OTHER_NAMES_MAX);
  return [path, ...(direct === path ? [] : [direct]), ...others];
}

/** A name without `.`, `..` and empty folders, through which patch(1) finds the file. */
function directName(path: string): string {
  if (!/(?:^|\/)\.{0,2}\//.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** A header has five places for a name, and a diff of many files is read once for each. */
const OTHER_NAMES_MAX = 5;

/**
 * The same hunks under the other names: rules and parsers go by the name, and which one a tool
 * changes is not certain. So they are under the old name of a rename that takes the file out of
 * what is read as code, as what ran the old one may run the new one.
 */
function underOtherNames(bytes: Uint8Array, file: DiffFile): Reading[] {
  const [, ...others] = namesOf(file);
  const { change, oldPath, path } = file;
  const hidesKind = change === 'renamed' && oldPath !== null && runsByName(oldPath);
  if (hidesKind && kindOf(oldPath) !== kindOf(path)) others.push(oldPath);
  return others.map((name) => ({
    file: { ...file, path: name },
    bytes,
    path,
    base: null,
    warning: null,
  }));
}

function gravest(all: readonly Unseen[]): Unseen | null {
  const [first, ...rest] = all;
  if (first === undefined) return null;
  return rest.reduce(
    (worst, one) => (severityRank(one.severity) < severityRank(worst.severity) ? one : worst),
    first,
  );
}

function lookAt(
  bytes: Uint8Array,
  file: DiffFile,
  around: Surroundings,
  hasTree: boolean,
): Reading | Unseen | null {
  if (file.content === 'submodule') {
    const message = 'the commits that this submodule brings are not part of the diff';
    return { id: 'outside-diff', severity: 'medium', message };
  }
  const hidden = readHiddenCode(bytes, file, around);
  if (hidden !== null && 'bytes' in hidden && file.content === 'binary') {
    const { id, severity } = binaryFile(file, hasTree);
    const warning = { id, severity, message: READ_AS_TEXT };
    return { ...hidden, warning: hidden.warning ?? warning };
  }
  if (hidden !== null) return hidden;
  if (file.content === 'binary') return binaryFile(file, hasTree);
  const isText = file.content === 'text' && file.additions > 0;
  return isText ? disguisedFile(bytes, file, hasTree) : null;
}

/** git keeps blanks at the end of a name, patch(1) and Windows drop them. */
function isUncertainName(path: string): boolean {
  const name = path.trimEnd();
  if (name === path) return false;
  const isRead = CODE_NAME.test(name) || SETTINGS_NAME.test(name);
  return isRead || PLACES.some((place) => place.name.test(name));
}

/** Git LFS is for large data; for what runs or configures it is a way around a review. */
function lfsFile(path: string): Unseen {
  const message = 'the content of this Git LFS file is not part of the diff';
  const isRead = CODE_NAME.test(path) || SETTINGS_NAME.test(path);
  return { id: 'outside-diff', severity: isRead ? 'high' : 'medium', message };
}

/** A program, new or changed: nobody reads in a review what it does. */
function programFile(file: DiffFile, isPointer: boolean): Unseen | null {
  const { path, oldPath, change, content } = file;
  if (!PROGRAM_NAME.test(path)) return null;
  const isMoved = change === 'renamed' || change === 'copied';
  const isNewName = isMoved && (oldPath === null || !PROGRAM_NAME.test(oldPath));
  const isData = isPointer && /\.bin$/i.test(path);
  if ((content !== 'binary' && !isPointer && !isNewName) || isData) return null;
  const message =
    'a program or library that something loads, and nothing in it was looked at: build it from ' +
    'source, or name its path in binaries.allowed_paths of the rules';
  return { id: isPointer ? 'outside-diff' : 'binary-file', severity: 'high', message };
}

function binaryFile({ path, newMode }: DiffFile, hasTree: boolean): Unseen {
  const id = 'binary-file';
  if (IMAGE_NAME.test(path)) {
    // Without a repository nobody has seen how it begins.
    if (newMode === EXECUTABLE && !hasTree) {
      const message = 'named like an image or font, but executable; its content was not looked at';
      return { id, severity: 'medium', message };
    }
    return { id, severity: 'info', message: 'an image or font; its content was not looked at' };
  }
  if (newMode === EXECUTABLE) return PROGRAM;
  if (CODE_NAME.test(path) || SETTINGS_NAME.test(path) || TEXT_NAME.test(path)) {
    const message = 'named like source or configuration but given as binary, so nothing was read';
    return { id, severity: 'high', message };
  }
  return { id, severity: 'medium', message: 'a binary file; its content was not looked at' };
}

const EXECUTABLE = '100755';

/** Lines that are something else than the mode or the name of their file says. */
function disguisedFile(bytes: Uint8Array, file: DiffFile, hasTree: boolean): Unseen | null {
  const isImage = IMAGE_NAME.test(file.path);
  if (!isImage && file.newMode !== EXECUTABLE) return null;
  const hasNul = file.hunks.some(({ start, end }) => {
    return asBuffer(bytes).subarray(start, end).includes(0);
  });
  if (hasNul) return isImage ? binaryFile(file, hasTree) : PROGRAM;
  if (!isImage) return null;
  const message =
    'named like an image or font, but its content is text, which most rules pass over';
  return { id: 'binary-file', severity: 'high', message };
}

/**
 * A pointer starts with its version line, which a diff without context leaves out, and names an
 * object (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
 */
function isLfsPointer(bytes: Uint8Array, { content, hunks }: DiffFile): boolean {
  if (content !== 'text') return false;
  return hunks.some((hunk) => {
    const view = asBuffer(bytes).subarray(hunk.start, hunk.end);
    if (view.subarray(hunk.markers, hunk.markers + LFS_POINTER.length).equals(LFS_POINTER)) {
      return true;
    }
    if (view.length > LFS_HUNK_BYTES_MAX || !view.includes(LFS_WORD)) return false;
    return LFS_OBJECT.test(view.toString('latin1'));
  });
}

function finding(
  key: Uint8Array,
  id: keyof typeof FIXES,
  severity: Severity,
  message: string,
  file: string | null,
): GateFinding {
  const fingerprint = createHmac('sha256', key)
    .update(`${id}\0${file ?? ''}`)
    .digest('hex');
  return plainFinding({ id, gate: 'risk', severity, message, file, fingerprint, fix: FIXES[id] });
}

const FIXES: Readonly<Record<Unseen['id'] | 'diff-unreadable', string>> = {
  'diff-unreadable':
    'Send the whole output of git diff, unchanged, and give files names without blanks at the end.',
  'binary-file':
    'Give a file that is text as text in UTF-8, and any other file the name of what it is; build ' +
    'programs from source.',
  'outside-diff':
    'Keep source and configuration in the repository itself, in files that a diff shows whole.',
};
