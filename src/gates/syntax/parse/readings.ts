import { isAscii } from 'node:buffer';
import type { Language } from '../languages.ts';

/**
 * A text (UTF-8) as the compiler of its language reads it. Java translates escapes such as `\u0065`
 * before it looks for comments and names (JLS 3.3); Python takes names in their NFKC form
 * (Language Reference, 2.3), in which a full-width `e` is an `e`. The same buffer where that
 * changes nothing; lines stay lines.
 */
export function asCompiled(text: Buffer, language: Language): Buffer {
  if (language === 'java') return text.includes('\\u') ? withoutEscapes(text) : text;
  return language === 'py' && !isAscii(text) ? withPlainNames(text) : text;
}

/** A backslash that an even number of others stands before, and what follows it. */
const JAVA_ESCAPE = /(?<!\\)((?:\\\\)*)\\u+([\da-f]{4})/gi;
/** What code is made of; line breaks are for `hiddenBreaks`. */
const IN_CODE = /^[\t\f -~]$/;

function withoutEscapes(text: Buffer): Buffer {
  const read = text.toString().replace(JAVA_ESCAPE, (whole, before: string, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return IN_CODE.test(character) ? before + character : whole;
  });
  return Buffer.from(read);
}

const NOT_ASCII = /[^\0-\x7f]/gu;
const IN_NAME = /^\w+$/;

function withPlainNames(text: Buffer): Buffer {
  const read = text.toString().replace(NOT_ASCII, (character) => {
    const form = character.normalize('NFKC');
    return IN_NAME.test(form) ? form : character;
  });
  return Buffer.from(read);
}

const JAVA_BREAK = /(?<!\\)(?:\\\\)*\\u+000[ad]/i;

/**
 * The lines (from 0) that their compiler ends sooner than a diff does, so that what follows a
 * comment there is code. SWC ends lines of JavaScript as engines do, and Go ends them at newlines
 * alone.
 */
export function hiddenBreaks(text: Buffer, language: Language): number[] {
  const isJava = language === 'java';
  if (!isJava && language !== 'py') return [];
  if (!text.includes('\r') && !(isJava && text.includes('\\u'))) return [];
  return text
    .toString()
    .split('\n')
    .flatMap((line, index) =>
      holdsReturn(line) || (isJava && JAVA_BREAK.test(line)) ? [index] : [],
    );
}

/** Whether a carriage return stands in a line, and not only at its end. */
function holdsReturn(line: string): boolean {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(0, end).includes('\r');
}

/** What a finding says of it. */
export const HIDDEN_BREAK = 'the compiler ends a line sooner than the diff shows';
