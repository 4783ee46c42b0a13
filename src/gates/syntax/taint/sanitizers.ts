import type { CallSite } from '../sinks/sink.ts';
import { words } from '../words.ts';
import { madeSafe, partOf, TRUSTED, UNKNOWN, type Use, type Value } from './value.ts';

/** Names of functions that make a text harmless where it goes. */
const SANITIZER =
  /^(?!un|de)\w*(?:escape|saniti[sz]e|quote|slugify)|^(?:parameterize|encodeSQL|slug|kebabCase)$/i;
/** Functions that only make text harmless within HTML. */
const HTML_ENCODERS =
  /^(?:encode|escape|saniti[sz]e|clean|strip|purify|filter)\w*(?:html|xml|markup|tags|entities|xss)\w*$|^(?:xss|filterXSS|striptags|htmlEncode|htmlspecialchars|purify|escapeHTML)$/i;
/** `he.encode(x)`, `DOMPurify.sanitize(x)`, `entities.encode(x)`. */
const HTML_LIBRARIES = /(?:^|\.)(?:he|DOMPurify|dompurify|purify|entities|sanitizer|xss)$/;
const HTML_CALLS = words('encode escape sanitize process encodeXML encodeHTML encodeNonAsciiHTML');

const ENCODED: readonly Use[] = ['html', 'path', 'url', 'redirect', 'regex'];
/** Functions of known effect. */
const PARTIAL: ReadonlyMap<string, readonly Use[]> = new Map<string, readonly Use[]>([
  ['encodeURIComponent', ENCODED],
  ['encodeURI', ['html']],
  ['basename', ['path']],
  ['extname', ['path']],
  ['escapeRegExp', ['regex']],
  ['escapeStringRegexp', ['regex']],
]);

/** A list of what stays, without separators, quotes or tags; of ranges only these three. */
const HARMLESS_CLASS = /^\[\^(?:a-z|A-Z|0-9|[\w .@,+=]|\\[wds._ -])*-?\][+*]?$/;

/** What a cleaning function makes of its first argument; null when it is no such function. */
export function sanitized(site: CallSite): Value | null {
  const [first] = site.args;
  if (first === undefined) return null;
  const { name, receiverPath } = site;
  const isLibrary = HTML_LIBRARIES.test(receiverPath ?? '') && HTML_CALLS.has(name);
  if (isLibrary || HTML_ENCODERS.test(name)) return withoutShape(madeSafe(first, ['html']));
  const uses = PARTIAL.get(name);
  if (uses !== undefined) return withoutShape(madeSafe(first, uses));
  return SANITIZER.test(name) ? TRUSTED : null;
}

/** What is left of a text after `replace(pattern, by)`; null when that makes nothing safe. */
export function replacedSafely(
  receiver: Value,
  pattern: Value | undefined,
  by: Value | undefined,
): Value | null {
  const text = pattern?.constant ?? null;
  if (text === null || pattern?.role !== 'regex') return null;
  const isGlobal = pattern.properties?.get('flags')?.constant?.includes('g') === true;
  // `replace(/[&<>"']/g, (c) => ENTITIES[c])`
  if (by?.callable != null && isGlobal && text.includes('<')) return madeSafe(receiver, ['html']);
  if (by?.constant == null) return null;
  if (isGlobal && HARMLESS_CLASS.test(text)) return TRUSTED;
  // `normalize(p).replace(/^(\.\.(\/|\\|$))+/, '')` takes away every step up.
  if (text.startsWith('^') && text.includes('\\.\\.')) return madeSafe(receiver, ['path']);
  if (isGlobal && by.constant.includes('\\$&')) return madeSafe(receiver, ['regex']);
  const isEscaped = by.constant.startsWith('&') && by.constant.endsWith(';');
  return isGlobal && isEscaped && /[<&]/.test(text) ? madeSafe(receiver, ['html']) : null;
}

/** The same data in another spelling. */
function withoutShape(value: Value): Value {
  const { source } = value;
  // Of what nothing is known, the encoder's name is all there is to go by.
  if (source === null) return TRUSTED;
  return { ...UNKNOWN, source: partOf(source) };
}
