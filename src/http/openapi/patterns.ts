import { FULL_NAME, WHOLE, WORDS } from '../../model/text-patterns.ts';

/**
 * Characters that show nothing, besides white space: controls and format characters (Unicode, Cc
 * and Cf). Those beyond the first plane stand as they are: no escape of theirs is known to all.
 */
const UNSEEN = [
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2',
  '\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb',
  '\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}',
  '\u{e0001}\u{e0020}-\u{e007f}',
].join('');

/**
 * Our patterns, as expressions that Python, Go and Rust read like ECMAScript: without classes of
 * Unicode. They do not speak of lone surrogates, which are refused, but which no text of those
 * languages can hold.
 */
export const PORTABLE: ReadonlyMap<unknown, string> = new Map([
  [WHOLE, '^[^\\u0000]*$'],
  [WORDS, `^[^\\u0000]*[^\\s${UNSEEN}][^\\u0000]*$`],
  // Go and Rust have no look-ahead: `..` and `.git` are refused without the description.
  [FULL_NAME, '^[0-9A-Za-z_.][0-9A-Za-z_.-]*(?:/[0-9A-Za-z_.][0-9A-Za-z_.-]*)+$'],
]);
