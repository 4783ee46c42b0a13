import { BYTE, isBlank, isDigit, lineEnd, lineText, startsAt } from './bytes.ts';

/**
 * Whether the line starts text that may follow a patch: a commit of `git log` or `git show`, a
 * mail of `git format-patch` or the commit it is based on, a tag, a Mercurial changeset.
 */
export function startsFreeText(bytes: Buffer, at: number): boolean {
  if (!FIRST_BYTES.has(bytes[at])) return false;
  const end = Math.min(lineEnd(bytes, at), at + FIRST_LINE_BYTES_MAX);
  return FIRST_LINE.test(lineText(bytes, at, end));
}

const FIRST_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('Fctb#0123456789abcdef'));
const FIRST_LINE =
  /^(?:From [0-9a-f]{40,64} |From \S+ .*\d{4}$|commit (?:[-<>=+*] ?)?[0-9a-f]{4,64}(?: |$)|[0-9a-f]{7,64}(?: |$)|tag \S+$|base-commit: [0-9a-f]{40,64}$|# HG changeset patch$)/;
const FIRST_LINE_BYTES_MAX = 256;

/**
 * Watches free text (commit messages, mails) for what tools would apply although it is no unified
 * diff, or would read only after decoding the mail. The rules are those by which patch(1) guesses
 * the kind of a diff (pch.c, "intuit_diff_type"); it skips blanks and `X` before every line.
 */
export class FreeTextWatch {
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
