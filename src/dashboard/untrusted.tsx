/**
 * Characters that change how text is read without being seen: controls, bidirectional marks,
 * zero-width characters, byte order marks, tags (Unicode, "Source code spoofing", UTS 55).
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Characters of one text that are shown; more are counted. */
const CHARS_MAX = 4_000;

/** Text that comes from a change or its author: shown as it is stored, never as markup. */
export function Untrusted({ text, max = CHARS_MAX }: { text: string; max?: number }) {
  const shown = text.length > max ? text.slice(0, max) : text;
  const parts: (string | { mark: string })[] = [];
  let end = 0;
  for (const match of shown.matchAll(INVISIBLE)) {
    parts.push(shown.slice(end, match.index));
    parts.push({ mark: nameOf(match[0]) });
    end = match.index + match[0].length;
  }
  parts.push(shown.slice(end));
  return (
    <bdi>
      {parts.map((part) =>
        typeof part === 'string' ? part : <span class="mark">{part.mark}</span>,
      )}
      {text.length > max && <span class="mark">{text.length - max} more characters</span>}
    </bdi>
  );
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
