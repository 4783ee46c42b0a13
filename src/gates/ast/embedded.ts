import { mayHoldSink } from './hints.ts';

/** Files of markup with JavaScript or TypeScript between `<script>` and `</script>`. */
const EMBEDDING = /\.(?:vue|svelte|html?)$/i;
const OPENING = /<script\b/gi;
/** Ends a script even within a string: https://html.spec.whatwg.org/#script-data-state */
const CLOSING = /<\/script\b/gi;
/**
 * Scripts that no browser runs: https://html.spec.whatwg.org/#attr-script-type. The first `type`
 * counts, and not what stands in other names and values; any odd tag begins a script.
 */
const DATA_TYPE = new RegExp(
  String.raw`^<script(?:\s+(?!type[\s=])[\w:.@-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))?)*` +
    String.raw`\s+type\s*=\s*(["']?)\s*` +
    String.raw`(?:application/(?:[\w.-]+\+)?json|importmap|speculationrules|` +
    String.raw`text/(?:x-)?(?:[\w-]*template|html|handlebars|markdown))\s*\1(?=[\s/>])`,
  'i',
);
const TAG_CHARS_MAX = 1000;

/** Whether files of that name hold scripts among other things. */
export function embedsScript(path: string): boolean {
  return EMBEDDING.test(path);
}

/**
 * The scripts in a part of such a file: all else becomes spaces, so that lines and columns stay.
 * What stands before the first tag is a script or not, nobody knows but at the start of the file;
 * with a sink's words in it, it is taken for one. Linear.
 */
export function onlyScripts(text: string, isStart: boolean): string {
  let at = isStart ? 0 : firstScript(text);
  let isScript = !isStart;
  let result = blank(text.slice(0, at));
  for (;;) {
    const tag = isScript ? CLOSING : OPENING;
    tag.lastIndex = at;
    const start = tag.exec(text)?.index ?? text.length;
    result += isScript ? text.slice(at, start) : blank(text.slice(at, start));
    if (start === text.length) return result;
    const close = text.indexOf('>', start);
    at = close < 0 ? text.length : close + 1;
    // Two scripts on a line are two programs.
    result += (isScript ? ';' : ' ') + blank(text.slice(start + 1, at));
    isScript = !isScript && !DATA_TYPE.test(text.slice(start, Math.min(at, start + TAG_CHARS_MAX)));
  }
}

/** Where to begin: behind the tag that opens the first script, if nothing before it matters. */
function firstScript(text: string): number {
  const opening = text.search(new RegExp(OPENING.source, 'i'));
  const closing = text.search(new RegExp(CLOSING.source, 'i'));
  if (opening < 0 || (closing >= 0 && closing < opening)) return 0;
  if (mayHoldSink(Buffer.from(text.slice(0, opening)))) return 0;
  const end = text.indexOf('>', opening);
  return end < 0 ? text.length : end + 1;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
