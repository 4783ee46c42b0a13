import { EXPRESSIONS } from './limits.ts';

/**
 * Expressions of GitHub workflows (`${{ ... }}`): which contexts may become part of the text that
 * they stand in, in any spelling. Names have no case; `a.b`, `a['b']` and `a["b"]` are one.
 */
export interface Insertion {
  /** Offsets of `${{` and behind `}}` in the text. */
  start: number;
  end: number;
  /** Paths whose value, or a part of it, the expression may give: `github`, `event`, ... */
  paths: Path[];
}

/** In lower case; `*` stands for an index, a filter, or a name that is computed. */
export interface Path {
  names: string[];
  /** All that lies below becomes text as well (`toJSON`). */
  isWhole: boolean;
}

/** The expressions of a text, in order. Linear in the text. */
export function insertionsOf(text: string): Insertion[] {
  const found: Insertion[] = [];
  let start = text.indexOf('${{');
  while (start !== -1) {
    const end = endOf(text, start + 3);
    found.push({ start, end, paths: pathsOf(text.slice(start + 3, end).replace(/\}\}$/, '')) });
    start = text.indexOf('${{', end);
  }
  return found;
}

/** Behind the `}}` that no string holds; the end of the text where it is absent. */
function endOf(text: string, from: number): number {
  const ends = /'(?:[^'\n]|'')*'|\}\}|\$\{\{/g;
  ends.lastIndex = from;
  for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
    if (match[0] === '}}') return match.index + 2;
    if (match[0] === '${{') return match.index;
  }
  return text.length;
}

/** The contexts that an expression, without its braces, may give. */
function pathsOf(expression: string): Path[] {
  if (expression.length > EXPRESSIONS.CHARS_MAX) return allNames(expression);
  const reader = new ExpressionReader(expression);
  try {
    return reader.all();
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return allNames(expression);
  }
}

class Unreadable extends Error {}

/** Each name with what follows it, where the expression as a whole could not be read. */
function allNames(expression: string): Path[] {
  const names = expression.toLowerCase().match(/[a-z_][\w-]*(?:\s*(?:\.\s*[\w*-]+|\[[^\]]*\]))*/g);
  return (names ?? []).map((name) => ({
    names: (name.match(/\[[^\]]*\]|[\w-]+|\*/g) ?? []).map(partOf),
    isWhole: true,
  }));
}

/** A name, or what an index reads: a computed name may be any. */
function partOf(part: string): string {
  if (!part.startsWith('[')) return part;
  return /^\[\s*(["'])([\w-]+)\1\s*\]$/.exec(part)?.[2] ?? '*';
}

const TOKEN =
  /\s*(?:('(?:[^']|'')*'|"[^"]*")|([A-Za-z_][\w-]*)|(\d[\w.+-]*)|(&&|\|\||[=!<>]=|[()[\].,!<>*]))/y;
/** Functions whose result is a truth value, a hash or nothing of their arguments. */
const GIVES_NOTHING =
  /^(?:contains|startswith|endswith|hashfiles|success|failure|always|cancelled)$/;

class ExpressionReader {
  private at = 0;
  private depth = 0;
  private token: string | null = null;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.next();
  }

  all(): Path[] {
    const paths = this.either();
    if (this.token !== null) throw new Unreadable();
    return paths;
  }

  private next(): void {
    TOKEN.lastIndex = this.at;
    const match = TOKEN.exec(this.text);
    if (match === null) {
      if (this.text.slice(this.at).trim() !== '') throw new Unreadable();
      this.token = null;
      return;
    }
    this.at = TOKEN.lastIndex;
    this.token = match[1] ?? match[2] ?? match[3] ?? match[4] ?? null;
  }

  private takes(token: string): boolean {
    if (this.token !== token) return false;
    this.next();
    return true;
  }

  private expect(token: string): void {
    if (!this.takes(token)) throw new Unreadable();
  }

  /** `a || b` gives either. */
  private either(): Path[] {
    this.depth += 1;
    if (this.depth > EXPRESSIONS.DEPTH_MAX) throw new Unreadable();
    const paths = this.both();
    while (this.takes('||')) paths.push(...this.both());
    this.depth -= 1;
    return paths;
  }

  /** `a && b` gives `b`, or an empty or false `a`. */
  private both(): Path[] {
    let paths = this.comparison();
    while (this.takes('&&')) paths = this.comparison();
    return paths;
  }

  private comparison(): Path[] {
    const paths = this.unary();
    if (!/^(?:[=!<>]=|[<>])$/.test(this.token ?? '')) return paths;
    this.next();
    this.unary();
    return [];
  }

  private unary(): Path[] {
    if (!this.takes('!')) return this.primary();
    this.unary();
    return [];
  }

  private primary(): Path[] {
    const { token } = this;
    if (token === null) throw new Unreadable();
    this.next();
    if (token === '(') {
      const inner = this.either();
      this.expect(')');
      return this.follow(inner);
    }
    if (/^['"\d]/.test(token)) return [];
    if (!/^\w/.test(token)) throw new Unreadable();
    const name = token.toLowerCase();
    if (this.token !== '(') {
      if (name === 'true' || name === 'false' || name === 'null') return [];
      return this.follow([{ names: [name], isWhole: false }]);
    }
    return this.follow(this.call(name));
  }

  private call(name: string): Path[] {
    this.expect('(');
    const paths: Path[] = [];
    while (this.token !== ')') {
      paths.push(...this.either());
      if (this.token !== ')') this.expect(',');
    }
    this.expect(')');
    if (GIVES_NOTHING.test(name)) return [];
    if (name === 'fromjson') return paths;
    return paths.map(({ names }) => ({ names, isWhole: true }));
  }

  /** `.name`, `['name']`, `.*` and `[0]` behind a value. */
  private follow(paths: Path[]): Path[] {
    let followed = paths;
    for (;;) {
      let name: string;
      if (this.takes('.')) {
        const { token } = this;
        if (token === null || !/^[\w*]/.test(token)) throw new Unreadable();
        name = token.toLowerCase();
        this.next();
      } else if (this.takes('[')) {
        const { token } = this;
        const isText = token !== null && /^['"]/.test(token);
        this.index();
        name = isText && this.token === ']' ? token.slice(1, -1).toLowerCase() : '*';
        this.expect(']');
      } else {
        return followed;
      }
      followed = followed.map(({ names, isWhole }) => ({ names: [...names, name], isWhole }));
    }
  }

  /** An index, of which `*` is one; what it is made from is not part of the value. */
  private index(): void {
    if (!this.takes('*')) this.either();
  }
}
