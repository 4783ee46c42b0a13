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

/**
 * A script of a page as the parser can read it, without the marks of a template language: what the
 * server writes there is one value, or none. Null where it has no such marks. Only for text that is
 * no program as it stands. Each character takes as many bytes as before.
 *
 * A mark that holds a word of a sink or of a source stays code, as it may be code after all:
 * `"{{"; eval(x); "}}"`.
 */
export function withoutTemplateMarks(text: string): string | null {
  if (!text.includes('{%') && !text.includes('{{') && !text.includes('{#')) return null;
  const plain = text.replace(MARK, (whole, tag?: string, note?: string, hole?: string, ...rest) => {
    const inner = tag ?? note ?? hole ?? '';
    const isValue = hole !== undefined && !STATEMENT.test(hole);
    if (mayBeCode(inner)) {
      return isValue ? ` (${inner}) ` : whole;
    }
    const at = typeof rest[0] === 'number' ? rest[0] : 0;
    const before = text.slice(Math.max(0, at - LOOK_BACK_CHARS), at);
    const quiet = inner.replace(/['"`\\*/]/g, ' ');
    if (isValue) return `_/*${quiet.slice(1)}*/`;
    const isOther = ELSE.test(inner) && VALUE_END.test(before);
    return isOther ? `||/*${quiet.slice(2)}*/` : `/*${quiet}*/`;
  });
  return plain === text ? null : plain;
}

function mayBeCode(inner: string): boolean {
  return CODE.test(inner) || SOURCE_SIGNS.script.test(inner) || mayHoldSink(Buffer.from(inner));
}
