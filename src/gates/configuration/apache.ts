import { BlockBuilder, unquoted } from './blocks.ts';
import type { Document } from './document.ts';

/** A line with the lines that continue it. */
const LINE = /[^\n]*(?:(?<=\\\r?)\n[^\n]*)*/y;
const SECTION = /^(<\/?)([A-Za-z]\w*)([^>]*)>?/;
const DIRECTIVE = /^[A-Za-z]\w*/;
const ARGUMENT = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s"']\S*/g;
/** What stands in these counts for the section around them. */
const CONDITIONS = new Set(['ifmodule', 'ifdefine', 'ifversion', 'ifdirective', 'ifsection']);

/**
 * Reads a file of Apache httpd (httpd.apache.org/docs/2.4/configuring.html), also `.htaccess`:
 * directives and sections by their names in lower case, arguments with one blank between.
 */
export function readApache(text: string): Document {
  const builder = new BlockBuilder(text, 'apache');
  for (let at = 0; at < text.length && !builder.isEnded; at = LINE.lastIndex + 1) {
    LINE.lastIndex = at;
    const [line = ''] = LINE.exec(text) ?? [];
    LINE.lastIndex = at + line.length;
    const start = at + line.length - line.trimStart().length;
    const body = line.trim().replace(/\\\r?\n/g, ' ');
    if (body === '' || body.startsWith('#')) continue;
    const end = at + line.trimEnd().length;
    const [, mark, section = '', inner = ''] = SECTION.exec(body) ?? [];
    const name = mark === undefined ? DIRECTIVE.exec(body)?.[0] : section;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    const keyStart = start + (mark?.length ?? 0);
    const place = { key, start: keyStart, end: keyStart + name.length };
    const args = argumentsOf(mark === undefined ? body.slice(name.length) : inner);
    // A directive without arguments is a switch.
    if (mark === undefined) builder.setting(place, args || 'true', start, end);
    else if (CONDITIONS.has(key)) continue;
    else if (mark === '<') builder.open(place, args, place.end, end);
    else if (builder.block === key) builder.close(end);
    else builder.fail(start, `closes <${section}>, which is not open`);
  }
  if (builder.block !== '') builder.fail(text.length, `ends in the section <${builder.block}>`);
  return builder.document();
}

function argumentsOf(text: string): string {
  return (text.match(ARGUMENT) ?? []).map(unquoted).join(' ');
}
