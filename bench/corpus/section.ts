import { dialectOf, embedsScript } from '../../src/gates/syntax/languages.ts';

/** Whether such a file is JS/TS as a whole. */
export function isScript(path: string): boolean {
  return dialectOf(path) !== null && !embedsScript(path);
}

/** The part of a diff that is about one file. */
export interface Section {
  path: string;
  text: Buffer;
}

const HEADER = Buffer.from('diff --git ');

/**
 * Cuts git's own output into files: its body lines begin with a marker, so the word at the start
 * of a line is a header. The path is the new one, without regard to quotes.
 */
export function splitSections(diff: Buffer): Section[] {
  const starts: number[] = [];
  for (let at = diff.indexOf(HEADER); at >= 0; at = diff.indexOf(HEADER, at + 1)) {
    if (at === 0 || diff[at - 1] === LF) starts.push(at);
  }
  return starts.map((start, index) => {
    const text = diff.subarray(start, starts[index + 1] ?? diff.length);
    const header = text.toString('latin1', 0, text.indexOf(LF));
    return { path: header.slice(header.lastIndexOf(' b/') + 3).replace(/"$/, ''), text };
  });
}

const LF = 0x0a;

/**
 * Packs sections, in their order, into diffs of about `bytes`: at least four fifths and at most
 * six fifths of it. Sections that do not fit are left out.
 */
export function packSections(sections: readonly Section[], bytes: number): Buffer[] {
  const diffs: Buffer[] = [];
  let parts: Buffer[] = [];
  let size = 0;
  for (const { text } of sections) {
    if (size + text.length > bytes * 1.2) continue;
    parts.push(text);
    size += text.length;
    if (size < bytes * 0.8) continue;
    diffs.push(Buffer.concat(parts));
    parts = [];
    size = 0;
  }
  return diffs;
}

/** One diff of `bytes` at least, made of the sections again and again. */
export function repeatSections(sections: readonly Section[], bytes: number): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  while (size < bytes && sections.length > 0) {
    for (const { text } of sections) {
      if (size >= bytes) break;
      parts.push(text);
      size += text.length;
    }
  }
  return Buffer.concat(parts);
}

/** Diffs of at least `bytes`, of the sections in their order; the last may be shorter. */
export function cutSections(sections: readonly Section[], bytes: number): Buffer[] {
  const diffs: Buffer[] = [];
  let parts: Buffer[] = [];
  let size = 0;
  for (const [index, { text }] of sections.entries()) {
    parts.push(text);
    size += text.length;
    if (size < bytes && index < sections.length - 1) continue;
    diffs.push(Buffer.concat(parts));
    parts = [];
    size = 0;
  }
  return diffs;
}
