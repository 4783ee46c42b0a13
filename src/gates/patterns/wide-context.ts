import { asBuffer } from '../../diff/bytes.ts';
import type { DiffFile, FileChange, ParsedDiff } from '../../diff/diff.ts';
import { LINE, LineCursor } from '../../diff/lines.ts';
import { parseDiff } from '../../diff/parse.ts';

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
const HAS_CONTEXT: ReadonlySet<FileChange> = new Set<FileChange>(['modified', 'renamed', 'copied']);

/** Files of a diff that should be seen with more context, and how to put them in. */
export interface WideContext {
  /** Paths, old and new, that git has to be asked for with more context. */
  paths: string[];
  /** The diff in which the files of `wide`, a diff of the same change, take their places. */
  merge(wide: Uint8Array): Buffer;
}

/**
 * Finds the files of which rules over several lines need more than a hunk: workflows, and files
 * with a changed line that may be part of a PEM block or of a key in YAML or JSON, whose first line
 * may stand far above. Null: there are none. Whoever has the repository asks git for these `paths`
 * with more context and merges them.
 */
export function findWideContext(bytes: Uint8Array): WideContext | null {
  const diff = parseDiff(bytes);
  const wanted = diff.files.filter((file) => needsContext(bytes, file)).slice(0, FILES_MAX);
  if (wanted.length === 0) return null;
  const paths = new Set(wanted.flatMap(({ oldPath, newPath }) => [oldPath, newPath]));
  return {
    paths: [...paths].filter((path) => path !== null),
    merge: (wide) => mergeSections(bytes, diff, new Set(wanted), wide),
  };
}

function needsContext(bytes: Uint8Array, file: DiffFile): boolean {
  if (!HAS_CONTEXT.has(file.change) || file.hunks.length === 0) return false;
  if (WORKFLOW.test(file.path)) return true;
  const cursor = new LineCursor(bytes);
  return file.hunks.some((hunk) => {
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind === LINE.CONTEXT) continue;
      if (mayBePart(bytes, cursor, HAS_MEMBERS.test(file.path))) return true;
    }
    return false;
  });
}

/** Whether a line may be part of a PEM block, or of a key in the members of YAML or JSON. */
function mayBePart(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  hasMembers: boolean,
): boolean {
  const length = end - start;
  if (length < BASE64_LINE_BYTES_MIN || length > IN_PEM_BYTES_MAX) return false;
  const line = asBuffer(bytes).toString('latin1', start, end);
  return IN_PEM.test(line) || (hasMembers && MEMBER.test(line));
}

function mergeSections(
  bytes: Uint8Array,
  { files }: ParsedDiff,
  wanted: ReadonlySet<DiffFile>,
  wide: Uint8Array,
): Buffer {
  const found = parseDiff(wide).files;
  const sections = new Map<string, Buffer>();
  for (const [index, file] of found.entries()) {
    const section = sectionOf(wide, file, found[index + 1]);
    if (section.length <= SECTION_BYTES_MAX) sections.set(keyOf(file), section);
  }
  const parts = files.map((file, index) => {
    const own = sectionOf(bytes, file, files[index + 1]);
    return wanted.has(file) ? (sections.get(keyOf(file)) ?? own) : own;
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
