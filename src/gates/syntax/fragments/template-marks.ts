import { mayHoldSink } from '../languages.ts';
import { SOURCE_SIGNS } from '../sinks/source-signs.ts';

/** Characters of one mark; longer ones are left as they are. */
const MARK_CHARS_MAX = 2_000;
/**
 * Marks of Jinja, Django, Twig, Liquid, Go's templates and Handlebars: `{% if x %}`, `{# x #}`,
 * `{{ x }}`. Behind `$` two braces are a hole with an object in a template literal.
 */
const MARK = new RegExp(
  String.raw`\{%((?:[^%{}]|%(?!\})){0,${MARK_CHARS_MAX}})%\}|` +
    String.raw`\{#([^{}]{0,${MARK_CHARS_MAX}})#\}|` +
    String.raw`(?<!\$)\{\{([^{}]{1,${MARK_CHARS_MAX}})\}\}`,
  'g',
);
/** A mark with two braces that gives no value: `{{ if .X }}`, `{{#each x}}`, `{{/if}}`. */
const STATEMENT = /^-?\s{0,9}(?:[#/>!^]|(?:if|else|end|range|with|define|template|block)\b)/;
const ELSE = /^-?\s{0,9}(?:else|elif|elsif|elseif)\b/;
/** What ends a value, so that another one can only follow it behind an operator. */
const VALUE_END = /[\w$)\]'"`][^\S\n]{0,9}$/;
const LOOK_BACK_CHARS = 10;
/** What no mark of a template needs, and code between two texts may. */
const CODE = /;|\b(?:location|document|window|self|top|parent|opener|\w{1,9}Storage)\b/;

/** What ends a text or a comment, so that code may stand in a mark behind it. */
const BOUNDARY = /['"`/\r\n\u2028\u2029]/;
/** A call or an assignment. */
const EFFECT = /\(|(?<![=!<>])=(?![=>])/;
const WORD = /[\w$]{1,200}/g;
/** Words of templates that no variable of a script is called. */
const RESERVED =
  /^(?:if|else|for|in|with|true|false|null|var|let|const|return|new|typeof|void|import|\d+)$/;

interface Unmarked {
  text: string;
  /** Where marks stood that may be code of the script after all, by their start and end. */
  doubtful: [number, number][];
}

/**
 * A script of a page as the parser can read it, without the marks of a template language: what the
 * server writes there is one value, or none. Null where it has no such marks. Only for text that is
 * no program as it stands. Each character takes as many bytes as before.
 *
 * A mark that holds a word of a sink or of a source stays code, as it may be code after all:
 * `"{{"; eval(x); "}}"`. Doubtful is a mark that shares a word with the script, if it could end a
 * text there, or calls or assigns something: `"{{", e[k] = c, "}}"`.
 */
export function withoutTemplateMarks(text: string): Unmarked | null {
  if (!text.includes('{%') && !text.includes('{{') && !text.includes('{#')) return null;
  const words = new Set(text.replace(MARK, ' ').match(WORD));
  const doubtful: [number, number][] = [];
  const plain = text.replace(MARK, (whole, tag?: string, note?: string, hole?: string, ...rest) => {
    const inner = tag ?? note ?? hole ?? '';
    const isValue = hole !== undefined && !STATEMENT.test(hole);
    if (mayBeCode(inner)) {
      return isValue ? ` (${inner}) ` : whole;
    }
    const at = typeof rest[0] === 'number' ? rest[0] : 0;
    if (isDoubtful(inner, words)) doubtful.push([at, at + whole.length]);
    const before = text.slice(Math.max(0, at - LOOK_BACK_CHARS), at);
    const quiet = inner.replace(/['"`\\*/]/g, ' ');
    if (isValue) return `_/*${quiet.slice(1)}*/`;
    const isOther = ELSE.test(inner) && VALUE_END.test(before);
    return isOther ? `||/*${quiet.slice(2)}*/` : `/*${quiet}*/`;
  });
  return plain === text ? null : { text: plain, doubtful };
}

function mayBeCode(inner: string): boolean {
  return CODE.test(inner) || SOURCE_SIGNS.script.test(inner) || mayHoldSink(Buffer.from(inner));
}

function isDoubtful(inner: string, words: ReadonlySet<string>): boolean {
  if (!BOUNDARY.test(inner) && !EFFECT.test(inner)) return false;
  return inner.match(WORD)?.some((word) => words.has(word) && !RESERVED.test(word)) === true;
}
