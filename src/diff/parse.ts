import {
  asBuffer,
  BYTE,
  DIFF,
  isBlank,
  isDigit,
  lineEnd,
  lineText,
  Problems,
  Reader,
  startsAt,
} from './bytes.ts';
import {
  contradiction,
  type DiffFile,
  type ParsedDiff,
  readSubmoduleLine,
  startFile,
  startsSubmoduleLine,
} from './diff.ts';
import {
  isGitHeader,
  readDifferLine,
  readGitHeader,
  readIndexHeader,
  readPairHeader,
  startsDifferLine,
  startsGitHeader,
  startsIndexHeader,
} from './header.ts';
import {
  type HunkRange,
  isSignature,
  parseHunkHeader,
  readHunkBody,
  startsFilePair,
} from './hunk.ts';
import { decodePath } from './path.ts';

/**
 * Parses the text of any unified diff: git's (diff, show, log -p, format-patch), GNU diff's,
 * Subversion's, CVS's and Mercurial's. One pass, linear in `bytes`, never throws. Whatever git
 * apply or patch(1) could take for a change is in `files` or named in `problems`; text without
 * any file has no files.
 */
export function parseDiff(bytes: Uint8Array): ParsedDiff {
  return new DiffParser(asBuffer(bytes)).run();
}

/**
 * Where the reader is. `start`: before all files; any text may stand there. `file`: behind a
 * header or a hunk, where only what belongs there may follow. `text`: in a commit message or mail,
 * where any text may stand. `signature`: below a mail's signature.
 */
type Region = 'start' | 'file' | 'text' | 'signature';

class DiffParser {
  private readonly reader: Reader;
  private readonly problems = new Problems();
  private readonly watch = new FreeTextWatch();
  private readonly files: DiffFile[] = [];
  private file: DiffFile | null = null;
  private region: Region = 'start';
  /** Whether something in this stretch of text was reported already: once is enough. */
  private reported = false;
  private hunks = 0;
  /** Where the header began, when lines such as `diff -ru a b` came before it. */
  private command: { at: number; line: number; next: number } | null = null;

  constructor(bytes: Buffer) {
    this.reader = new Reader(bytes);
  }

  run(): ParsedDiff {
    const { reader } = this;
    if (startsAt(reader.bytes, 0, BYTE_ORDER_MARK)) reader.moveTo(BYTE_ORDER_MARK.length, 1);
    while (!reader.done) {
      if (!this.readStructure()) this.readText();
    }
    this.endFile();
    let additions = 0;
    let deletions = 0;
    for (const file of this.files) {
      additions += file.additions;
      deletions += file.deletions;
    }
    return { files: this.files, problems: this.problems.list, additions, deletions };
  }

  /** Reads a header, a hunk or another line with a meaning; false when the line has none. */
  private readStructure(): boolean {
    const { reader } = this;
    const { bytes, at } = reader;
    const free = this.region === 'text';
    switch (bytes[at]) {
      case BYTE.AT:
        return this.readHunk();
      case BYTE.MINUS:
        return startsFilePair(bytes, at) ? this.addFile(readPairHeader) : this.readSignature();
      case LETTER.D:
        if (startsGitHeader(reader) && (this.region === 'file' || isGitHeader(reader))) {
          return this.addFile(readGitHeader);
        }
        return startsAt(bytes, at, 'diff -') && this.readCommand();
      case LETTER.I:
        return startsIndexHeader(reader) && this.addFile(readIndexHeader);
      case LETTER.S:
        return startsSubmoduleLine(reader) && this.addFile(readSubmoduleLine);
      case LETTER.B:
      case LETTER.F:
        return !free && startsDifferLine(reader) && this.addFile(readDifferLine);
      case LETTER.O:
        return !free && startsAt(bytes, at, ONLY_IN) && this.readOnlyIn();
      default:
        return false;
    }
  }

  private addFile(read: (reader: Reader, problems: Problems) => DiffFile): true {
    this.endFile();
    this.enter('file');
    this.watch.reset();
    if (this.files.length === DIFF.FILES_MAX) {
      return this.stop(`the diff has more than ${DIFF.FILES_MAX} files`);
    }
    const file = read(this.reader, this.problems);
    if (this.command?.next === file.headerStart) {
      file.headerStart = this.command.at;
      file.diffLine = this.command.line;
    }
    this.files.push(file);
    this.file = file;
    return true;
  }

  /** Looks at a file when all of it is there. */
  private endFile(): void {
    const { file } = this;
    this.file = null;
    if (file === null) return;
    const message = contradiction(this.reader.bytes, file);
    if (message !== null) this.problems.add(message, file.path, file.diffLine);
  }

  private readHunk(): boolean {
    const { reader, problems } = this;
    if (!startsAt(reader.bytes, reader.at, '@@')) return false;
    let range = parseHunkHeader(reader.bytes, reader.at);
    if (this.file === null) {
      if (range === null) return false;
      problems.add('a hunk has no file header', null, reader.line);
      this.addFile(startFile);
    }
    if (this.hunks === DIFF.HUNKS_MAX) {
      return this.stop(`the diff has more than ${DIFF.HUNKS_MAX} hunks`);
    }
    const { file } = this;
    if (file === null) return true;
    if (range === null) {
      problems.add('the hunk header is not readable', file.path, reader.line);
      range = UNREADABLE;
    }
    this.readBody(file, range);
    return true;
  }

  private readBody(file: DiffFile, range: HunkRange): void {
    const { reader, problems } = this;
    const { line } = reader;
    reader.skip();
    const start = reader.at;
    const body = readHunkBody(reader.bytes, start, range);
    const { end, lines, additions, deletions, blankAdditions, blankDeletions, fit } = body;
    const { markers, oldStart, newStart } = range;
    // Field by field: a spread costs more than all else here.
    file.hunks.push({
      start,
      end,
      oldStart,
      newStart,
      additions,
      deletions,
      blankAdditions,
      blankDeletions,
      markers,
    });
    file.additions += additions;
    file.deletions += deletions;
    this.hunks += 1;
    reader.moveTo(end, reader.line + lines);
    if (range.clamped) problems.add('a number in the hunk header is too large', file.path, line);
    if (fit === 'short') {
      problems.add('the hunk ends early: its header says more lines', file.path, reader.line);
    } else if (fit === 'long' && range !== UNREADABLE) {
      problems.add('the hunk has more lines than its header says', file.path, line);
    }
  }

  /** `diff -ru a/x b/x`: the header may follow, or other lines of diff. */
  private readCommand(): true {
    const { reader } = this;
    this.endFile();
    this.command = { at: reader.at, line: reader.line, next: reader.next };
    reader.skip();
    return true;
  }

  private readSignature(): boolean {
    const { reader, region } = this;
    if (region !== 'file' && region !== 'signature') return false;
    if (!isSignature(reader.bytes, reader.at)) return false;
    this.endFile();
    this.enter('signature');
    reader.skip();
    return true;
  }

  /** GNU diff's line about a file on one side: without -N its content is not in the diff. */
  private readOnlyIn(): true {
    const { reader } = this;
    const name = decodePath(reader.text().slice(ONLY_IN.length, ONLY_IN.length + NAME_CHARS_MAX));
    this.endFile();
    const message = `the diff does not show the file that is only in ${name}; diff -N does`;
    this.problems.add(message, null, reader.line);
    reader.skip();
    return true;
  }

  /** Reads a line without a meaning, and says so where such a line can't stand. */
  private readText(): void {
    const { reader, region } = this;
    const { bytes, at, end } = reader;
    if (region !== 'file') {
      if (region !== 'text' && startsFreeText(bytes, at)) this.enter('text');
      const first = bytes[at];
      const marked = first === BYTE.PLUS || first === BYTE.MINUS || first === BYTE.AT;
      if (region === 'signature' && marked) this.report('lines of a hunk below the signature');
      const seen = this.watch.look(bytes, at, end);
      if (seen !== null) this.report(seen);
    } else if (!isBlank(bytes, at) && !this.isSubmoduleLog()) {
      this.endFile();
      this.enter('text');
      if (!startsFreeText(bytes, at)) this.report('text that does not belong to a diff');
    }
    reader.skip();
  }

  /** Commits under `git diff --submodule=log`. */
  private isSubmoduleLog(): boolean {
    const { bytes, at } = this.reader;
    if (this.file?.content !== 'submodule' || this.file.hunks.length > 0) return false;
    return startsAt(bytes, at, '  > ') || startsAt(bytes, at, '  < ');
  }

  private report(message: string): void {
    if (this.reported) return;
    this.reported = true;
    this.problems.add(message, null, this.reader.line);
  }

  private enter(region: Region): void {
    this.region = region;
    this.reported = false;
  }

  /** Gives up on the rest of the diff. */
  private stop(message: string): true {
    this.problems.addLast(`${message}; the rest was not read`, this.reader.line);
    this.reader.moveTo(this.reader.bytes.length, this.reader.line);
    return true;
  }
}

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const ONLY_IN = 'Only in ';
const NAME_CHARS_MAX = 512;
const LETTER = { B: 0x42, D: 0x64, F: 0x46, I: 0x49, O: 0x4f, S: 0x53 } as const;

/** Stands for a hunk header that can't be read, so that the lines under it are read anyway. */
const UNREADABLE: HunkRange = {
  markers: 1,
  oldStart: 0,
  newStart: 0,
  newCount: 0,
  oldCounts: [0],
  clamped: false,
};

/**
 * Whether the line starts text that may follow a patch: a commit of `git log` or `git show`, a
 * mail of `git format-patch` or the commit it is based on, a tag, a Mercurial changeset.
 */
function startsFreeText(bytes: Buffer, at: number): boolean {
  if (!FIRST_BYTES.has(bytes[at])) return false;
  const end = Math.min(lineEnd(bytes, at), at + FIRST_LINE_BYTES_MAX);
  return FIRST_LINE.test(lineText(bytes, at, end));
}

const FIRST_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('Fctb#0123456789abcdef'));
const FIRST_LINE =
  /^(?:From [0-9a-f]{40,64} |From \S+ .*\d{4}$|commit (?:[-<>=+*] ?)?[0-9a-f]{4,64}(?: |$)|[0-9a-f]{7,64}(?: |$)|tag \S+$|base-commit: [0-9a-f]{40,64}$|# HG changeset patch$)/;
const FIRST_LINE_BYTES_MAX = 256;

/**
 * Watches free text (commit messages, mails) for what tools would apply although it is not a
 * unified diff, or would read only after decoding the mail. The rules are those by which patch(1)
 * guesses the kind of a diff (pch.c, "intuit_diff_type"); it skips blanks and `X` before every
 * line.
 */
class FreeTextWatch {
  private stars = false;
  private command = false;
  private edCommand = false;

  /** Takes the line `[at, end)`; says what is wrong with it, or null. */
  look(bytes: Buffer, at: number, end: number): string | null {
    let from = at;
    while (from < end && isIndent(bytes[from])) from += 1;
    const { stars, command } = this;
    this.stars = false;
    this.command = false;
    const byte = bytes[from];
    if (byte === ASTERISK) {
      this.stars = startsAt(bytes, from, '********');
      return stars && startsAt(bytes, from, '*** ') ? 'a context diff is not read' : null;
    }
    if (command && (startsAt(bytes, from, '< ') || startsAt(bytes, from, '> '))) {
      return 'a diff in the normal format is not read';
    }
    if (this.edCommand && byte === DOT && isBlank(bytes, from + 1)) {
      return 'an ed script is not read';
    }
    this.lookAtCommand(bytes, from, end);
    if (from > at && startsAt(bytes, from, '@@ -') && isDigit(bytes[from + '@@ -'.length])) {
      return 'an indented diff, which patch(1) would apply, is not read';
    }
    return isEncoding(bytes, at, end) ? 'an encoded mail is not read' : null;
  }

  /** Forgets the text: another one starts. */
  reset(): void {
    this.stars = false;
    this.command = false;
    this.edCommand = false;
  }

  private lookAtCommand(bytes: Buffer, from: number, end: number): void {
    const first = bytes[from];
    if (!isDigit(first) && !BARE_COMMANDS.has(first)) return;
    if (end - from > (isDigit(first) ? COMMAND_BYTES_MAX : BARE_COMMAND_BYTES_MAX)) return;
    const line = bytes.toString('latin1', from, end);
    this.command = NORMAL_COMMAND.test(line);
    if (ED_COMMAND.test(line)) this.edCommand = true;
  }
}

function isIndent(byte: number | undefined): boolean {
  return byte === BYTE.SPACE || byte === BYTE.TAB || byte === LETTER_X;
}

const LETTER_X = 0x58;
const DOT = 0x2e;
const ASTERISK = 0x2a;
/** Two pairs of numbers and a letter; without numbers a letter, or `s/.//`, and blanks. */
const COMMAND_BYTES_MAX = 64;
const BARE_COMMAND_BYTES_MAX = 8;
const BARE_COMMANDS: ReadonlySet<number | undefined> = new Set(Buffer.from('acdis'));
const NORMAL_COMMAND = /^\d[\d,]*[acd][\d,]*[ \t]*\r?$/;
const ED_COMMAND = /^(?:\d+(?:,\d+)?)?(?:[aicd]|s\/\.\/\/)[ \t]*$/;

/** `git am` decodes such a mail before it applies it. */
function isEncoding(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[at + 'content'.length] !== BYTE.MINUS) return false;
  const line = lineText(bytes, at, Math.min(end, at + FIRST_LINE_BYTES_MAX));
  return /^content-transfer-encoding:\s*(?:base64|quoted-printable)/i.test(line);
}
