import { USES, type Use } from '../../../rules/catalogue/line.ts';

/** Characters that mean something to a shell, SQL, HTML or an address. */
const HARMLESS_CHARACTER = /^[\w ,.:@+=%/-]$/;
/** Escapes that stand for one of these or for no character at all. */
const HARMLESS_ESCAPE = /^[wdbB./_:@+=%, -]$/;
/** Ranges of a class. */
const HARMLESS_RANGE = /^(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9])$/;

/**
 * What a text is safe for that a pattern holds from its first to its last character; null when the
 * pattern does not: an anchor is missing, or any character may stand somewhere.
 */
export function charactersOf(pattern: string): readonly Use[] | null {
  const body = /^\^([\s\S]*)\$$/.exec(pattern)?.[1];
  if (body === undefined || /(?:^|[^\\])(?:\\\\)*\\$/.test(body)) return null;
  const characters = literalsOf(body);
  if (characters === null) return null;
  // Another directory needs a slash, another host at least a dot.
  const hasPlace = /[./:@%]/.test(characters);
  const isPath = !/[/%]/.test(characters);
  return USES.filter((use) => {
    if (use === 'path') return isPath;
    if (use === 'url' || use === 'redirect') return !hasPlace;
    return use === 'regex' ? !/[.+]/.test(characters) : true;
  });
}

/**
 * What the rest of a text is safe for when all that a pattern matches is taken away: after
 * `[^\w.-]` the characters of the class are left, after `\D` digits; null: it takes others.
 */
export function keptBy(pattern: string): readonly Use[] | null {
  const plain = pattern.replace(/[+*]$/, '');
  const kept = /^\[\^((?:[^\]\\]|\\.)*)\]$/.exec(plain)?.[1] ?? COMPLEMENTS.get(plain);
  return kept === undefined ? null : charactersOf(`^[${kept}]*$`);
}

/** Whether a replacement of all that a pattern or text matches leaves no `<`: `<` by `&lt;`. */
export function isMarkupEscape(taken: string, by: string): boolean {
  return /^(?:<|\[(?!\^)[^\]<]*<[^\]]*\])$/.test(taken) && /^&#?\w+;$/.test(by);
}

const COMPLEMENTS = new Map([
  ['\\W', '\\w'],
  ['\\D', '\\d'],
]);

const NAMED_GROUP = /^\(\?P?<\w+>/;
/** Of the name of a group: longer ones are not read. */
const NAME_CHARS_MAX = 64;

/** The characters that a pattern names, `a` for letters and digits; null for any others. */
function literalsOf(body: string): string | null {
  let characters = '';
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const character = body.charAt(at);
    switch (character) {
      case '(':
        depth += 1;
        if (body.startsWith('(?:', at)) at += 2;
        else if (NAMED_GROUP.test(body.slice(at, at + NAME_CHARS_MAX))) at = body.indexOf('>', at);
        else if (body.charAt(at + 1) === '?') return null;
        break;
      case ')':
        depth -= 1;
        break;
      case '|':
        // Outside a group the anchors belong to one of the alternatives only.
        if (depth === 0) return null;
        break;
      case '*':
      case '+':
      case '?':
        break;
      case '{':
        at = body.indexOf('}', at);
        if (at < 0) return null;
        break;
      case '[': {
        const end = classEnd(body, at);
        const inner = end < 0 ? null : classLiterals(body.slice(at + 1, end));
        if (inner === null) return null;
        characters += inner;
        at = end;
        break;
      }
      case '\\':
        at += 1;
        if (!HARMLESS_ESCAPE.test(body.charAt(at))) return null;
        characters += body.charAt(at);
        break;
      default:
        if (character === '.' || !HARMLESS_CHARACTER.test(character)) return null;
        characters += character;
    }
  }
  return depth === 0 ? characters : null;
}

function classEnd(body: string, start: number): number {
  for (let at = start + 1; at < body.length; at += 1) {
    if (body[at] === '\\') at += 1;
    else if (body[at] === ']') return at;
  }
  return -1;
}

function classLiterals(body: string): string | null {
  if (body.startsWith('^')) return null;
  let characters = '';
  for (let at = 0; at < body.length; at += 1) {
    const range = body.slice(at, at + 3);
    if (body.charAt(at) === '\\') {
      at += 1;
      if (!HARMLESS_ESCAPE.test(body.charAt(at))) return null;
      characters += body.charAt(at);
      // `\w-z` is not a range, `\.-z` is one.
      if (body.charAt(at + 1) === '-' && at + 2 < body.length && !/[wd]/.test(body.charAt(at)))
        return null;
    } else if (range.length === 3 && range.charAt(1) === '-') {
      if (!HARMLESS_RANGE.test(range)) return null;
      characters += 'a';
      at += 2;
    } else {
      if (!HARMLESS_CHARACTER.test(body.charAt(at))) return null;
      characters += body.charAt(at);
    }
  }
  return characters;
}

/** Patterns that every path with a step up matches. */
const STEPS_UP = new Set(
  [
    String.raw`\.\. \.{2} \.{2,} \.\.\/ \.\./ \.\.[/\] \.\.[\/] \.\.[\/\] \.\.(\/|\) (\.\.(\/|\|$))`,
    String.raw`(^|\/)\.\.(\/|$) (^|\/)\.\.($|\/) (?:^|[\/])\.\.(?:[\/]|$) (?:^|\/)\.\.(?:\/|$) (\.\.)`,
  ].flatMap((line) => line.split(' ')),
);
/** A whole address with scheme, host and the slash after it. */
const WHOLE_ADDRESS = /^\^https\??:\\?\/\\?\/(?:[\w-]|\\[.-])+(?::\d+)?\\?\/.*\$$/;

/** Whether a pattern matches every path with a step up. */
export function findsStepsUp(pattern: string): boolean {
  return STEPS_UP.has(pattern) || pattern.split('|').some((part) => STEPS_UP.has(part));
}

/** Whether a pattern holds a whole address to one host. */
export function holdsAddress(pattern: string): boolean {
  return !pattern.includes('|') && WHOLE_ADDRESS.test(pattern);
}
