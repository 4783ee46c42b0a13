import { asBuffer } from '../../diff/bytes.ts';
import {
  type DiffFile,
  type FileChange,
  LINE,
  LineCursor,
  type ParsedDiff,
} from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { type GateFinding, plainFinding } from '../../model/finding.ts';

/** Files of one change that are asked for; their paths fit into one command line. */
const FILES_MAX = 1_000;
/** A longer file stays as it is: its code would be too long for a fragment of gate 2. */
const SECTION_BYTES_MAX = 192 * 1024;
/** The shortest line of base64 that may be part of a key; nobody wraps it at less. */
const BASE64_LINE_BYTES_MIN = 16;
/** Workflows and actions, whose keys say together what they do. */
export const WORKFLOW = /^\.(?:github|gitea|forgejo)\/.*\.ya?ml$|(?:^|\/)action\.ya?ml$/i;
const IN_PEM =
  /^[\s"'`+,]*(?:[A-Za-z0-9+/]+={0,2}(?:\\[rn])*["'`]?[\s+,;\\]*$|.{0,16}-----(?:BEGIN|END))/;
/** A member with the value of a key or secret; what makes it one (`kind`, `kty`) may be far. */
const MEMBER = /^\s*["']?[\w.-]{1,60}["']?\s*:\s*["']?(?!sha\d)[\w+/-]{24,}={0,2}["']?,?\s*$/;
const HAS_MEMBERS = /\.(?:ya?ml|json)$/i;
const IN_PEM_BYTES_MAX = 512;
/** A whole line of a key: RFC 7468 (section 2) wraps at 64 characters, older tools at 76. */
const PEM_LINE =
  /^[\s"'`+,]*(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{76})(?![A-Za-z0-9+/=])|-----(?:BEGIN|END)/;
const KEY_PATH = /\.(?:pem|key|p8|pk8|ppk)$|(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/i;
const HAS_CONTEXT: ReadonlySet<FileChange> = new Set<FileChange>(['modified', 'renamed', 'copied']);

/** Files of a diff that should be seen with more context, and how to put them in. */
export interface WideContext {
  /** Paths, old and new, that git has to be asked for with more context. */
  paths: string[];
  /**
   * The diff in which files of `wide`, a diff of the same change, take their places. With null, or
   * when the outcome would be longer than `bytesMax`, the diff stays as it is.
   */
  merge(wide: Uint8Array | null, bytesMax: number): WidenedDiff;
}

export interface WidenedDiff {
  bytes: Buffer;
  /** `diff-context-unread` when rules over several lines could not see all that they need. */
  notes: GateFinding[];
}

interface Wanted {
  file: DiffFile;
  /** Whether a match that the edge of a hunk hides would be grave: the file blocks then. */
  isSensitive: boolean;
}

/**
 * Finds the files of which rules over several lines need more than a hunk: workflows, and files
 * with a changed line that may be part of a PEM block or of a key in YAML or JSON, whose first line
 * may stand far above. Null: they are absent. Callers that have the repository ask git for these
 * `paths` with more context and merge them.
 */
export function findWideContext(bytes: Uint8Array): WideContext | null {
  const diff = parseDiff(bytes);
  const wanted = diff.files.flatMap((file) => needOf(bytes, file) ?? []);
  if (wanted.length === 0) return null;
  wanted.sort((a, b) => Number(b.isSensitive) - Number(a.isSensitive));
  const asked = new Set(wanted.slice(0, FILES_MAX).map(({ file }) => file));
  const paths = new Set([...asked].flatMap(({ oldPath, newPath }) => [oldPath, newPath]));
  return {
    paths: [...paths].filter((path) => path !== null),
    merge(wide, bytesMax) {
      const sections = wide === null ? new Map<string, Buffer>() : sectionsOf(wide);
      const whole = (file: DiffFile) => (asked.has(file) ? sections.get(keyOf(file)) : undefined);
      const merged = replaceSections(bytes, diff, whole);
      if (merged.length > bytesMax) return { bytes: asBuffer(bytes), notes: unread(wanted) };
      const narrow = wanted.filter(({ file }) => whole(file) === undefined);
      return { bytes: merged, notes: unread(narrow) };
    },
  };
}

/** One finding for all matches seen without context; high where a grave match may be hidden. */
function unread(narrow: readonly Wanted[]): GateFinding[] {
  const [first] = narrow;
  if (first === undefined) return [];
  const more = narrow.length === 1 ? '' : ` and ${narrow.length - 1} more`;
  return [
    plainFinding({
      id: 'diff-context-unread',
      gate: 'risk',
      severity: first.isSensitive ? 'high' : 'medium',
      file: first.file.path,
      message:
        `rules over several lines saw only the lines next to the changes of this file${more}: ` +
        `more context is read of at most ${FILES_MAX} files, ${SECTION_BYTES_MAX / 1024} KiB ` +
        'each, within limits of time and size',
      fix: 'Split the change, or have a person look at the lines around and override.',
    }),
  ];
}

/** Null: the lines around the changes of the file are enough. */
function needOf(bytes: Uint8Array, file: DiffFile): Wanted | null {
  if (!HAS_CONTEXT.has(file.change) || file.hunks.length === 0) return null;
  let isWanted = WORKFLOW.test(file.path);
  let isSensitive = isWanted;
  const hasMembers = HAS_MEMBERS.test(file.path);
  const cursor = new LineCursor(bytes);
  for (const hunk of isSensitive ? [] : file.hunks) {
    cursor.open(hunk);
    while (!isSensitive && cursor.next()) {
      const text = cursor.kind === LINE.CONTEXT ? null : keyText(bytes, cursor, hasMembers);
      if (text === null) continue;
      isWanted = true;
      isSensitive = KEY_PATH.test(file.path) || PEM_LINE.test(text);
    }
  }
  return isWanted ? { file, isSensitive } : null;
}

/** The text of a line that may be part of a PEM block, or of a key in YAML or JSON; else null. */
function keyText(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  hasMembers: boolean,
): string | null {
  const length = end - start;
  if (length < BASE64_LINE_BYTES_MIN || length > IN_PEM_BYTES_MAX) return null;
  const text = asBuffer(bytes).toString('latin1', start, end);
  return IN_PEM.test(text) || (hasMembers && MEMBER.test(text)) ? text : null;
}

/** The files of a diff with more context that are not too long, by `keyOf`. */
function sectionsOf(wide: Uint8Array): Map<string, Buffer> {
  const found = parseDiff(wide).files;
  const sections = new Map<string, Buffer>();
  for (const [index, file] of found.entries()) {
    const section = sectionOf(wide, file, found[index + 1]);
    if (section.length <= SECTION_BYTES_MAX) sections.set(keyOf(file), section);
  }
  return sections;
}

function replaceSections(
  bytes: Uint8Array,
  { files }: ParsedDiff,
  whole: (file: DiffFile) => Buffer | undefined,
): Buffer {
  const parts = files.map((file, index) => {
    return whole(file) ?? sectionOf(bytes, file, files[index + 1]);
  });
  return Buffer.concat([asBuffer(bytes).subarray(0, files[0]?.headerStart ?? 0), ...parts]);
}

/** With the numbers of lines, so that a section is only replaced by one of the same change. */
function keyOf({ oldPath, newPath, change, additions, deletions }: DiffFile): string {
  return JSON.stringify([oldPath, newPath, change, additions, deletions]);
}

function sectionOf(bytes: Uint8Array, file: DiffFile, next: DiffFile | undefined): Buffer {
  return asBuffer(bytes).subarray(file.headerStart, next?.headerStart ?? bytes.length);
}
