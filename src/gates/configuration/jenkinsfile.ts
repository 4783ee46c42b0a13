import type { Document, Entry, MapNode, Node, ScalarNode } from './document.ts';
import { TOO_DEEP, TOO_LONG } from './json.ts';
import { DOCUMENTS } from './limits.ts';

/**
 * Reads a Jenkinsfile (jenkins.io/doc/book/pipeline/syntax) as far as blocks and calls go: a map of
 * calls by their names, in their order. A call is a map of its named arguments, of `text` for
 * arguments without a name, and of the calls in its block. Text that Groovy puts together is
 * computed, and stands in `interpolated` as well. Other code is passed over.
 */
export function readJenkinsfile(text: string): Document {
  const format = 'jenkinsfile';
  if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX)
    return { format, roots: [], problem: TOO_LONG };
  try {
    const entries = new Reader(text).block(null);
    return { format, roots: [{ kind: 'map', start: 0, end: text.length, entries }], problem: null };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { format, roots: [], problem: thrown.message };
  }
}

class Unreadable extends Error {}

interface Token extends Range {
  kind: 'name' | 'text' | 'sign' | 'line';
  /** Of a string, what stands between its quotes. */
  value: string;
  /** Groovy puts values into the string. */
  computed: boolean;
}

interface Range {
  start: number;
  end: number;
}

const BLANK = /(?:[ \t\r\f]|\\\r?\n|\/\/[^\n]*|#![^\n]*)+/y;
const NAME = /@?[$A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)*/y;
const NUMBER = /\d[\w.]*/y;
/** A string in slashes, where a value may begin. */
const SLASHY = /\/(?![/*\s])(?:\\.|[^/\\\n])+\//y;
const QUOTES = ["'''", '"""', "'", '"'] as const;
/** Words before a statement or a value that name no call. */
const WORDS =
  /^(?:def|return|new|else|final|static|private|public|String|void|int|boolean|throw|assert)$/;
const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;
  private token: Token | null = null;
  private lastEnd = 0;
  private mayBeSlashy = true;

  constructor(text: string) {
    this.text = text;
    this.next();
  }

  /** Calls up to the closing brace, or to the end of the text. */
  block(close: '}' | null): Entry[] {
    this.enter();
    const entries: Entry[] = [];
    for (;;) {
      const { token } = this;
      if (token === null) {
        if (close !== null) throw this.unreadable();
        break;
      }
      if (token.kind === 'sign' && /^[)\]}]$/.test(token.value)) {
        if (token.value !== close) throw this.unreadable();
        break;
      }
      if (token.kind === 'name' && !WORDS.test(token.value)) this.statement(entries);
      else if (token.kind === 'sign' && PAIRS[token.value] !== undefined)
        entries.push(...this.inner());
      else this.next();
    }
    this.depth -= 1;
    return entries;
  }

  /** What stands in brackets, as calls; nothing else of it counts. */
  private inner(): Entry[] {
    const open = this.token?.value ?? '';
    this.next();
    if (open === '{') {
      const entries = this.block('}');
      this.next();
      return entries;
    }
    const args = this.args(PAIRS[open] ?? '');
    return args.flatMap(({ value }) => (value.kind === 'map' ? value.entries : []));
  }

  /** A call, or an assignment of a text; the value of another assignment is a statement. */
  private statement(entries: Entry[]): void {
    const name = this.token as Token;
    this.next();
    if (this.isSign('=')) {
      this.next();
      const value = this.token;
      if (value?.kind !== 'text') return;
      this.next();
      const isAll =
        this.token === null ||
        this.token.kind === 'line' ||
        /^[;}]$/.test((this.token as Token).value);
      if (isAll) entries.push(entryOf(name, scalarOf(value)));
      return;
    }
    const call = this.call(name);
    if (call === null) return;
    entries.push(entryOf(name, call));
    // What a call gives may be called: docker.image('a').inside { }.
    while (this.isSign('.')) {
      this.next();
      const more = this.token;
      if (more?.kind !== 'name') return;
      this.next();
      const next = this.call(more);
      if (next !== null) entries.push(entryOf(more, next));
    }
  }

  /** The arguments and the block of a call; null: it is something else. */
  private call(name: Token): MapNode | null {
    let args: Entry[] = [];
    let isCall = false;
    if (this.isSign('(')) {
      this.next();
      args = this.args(')');
      isCall = true;
    } else if (this.startsArgument()) {
      args = this.args(null);
      isCall = true;
    }
    let inside: Entry[] = [];
    if (this.isSign('{')) {
      this.next();
      inside = this.block('}');
      this.next();
      isCall = true;
    }
    // `agent any` and the like are read above; a name alone is a step without arguments.
    if (!isCall && !this.endsStatement()) return null;
    const computed = args.filter(({ value }) => value.kind === 'scalar' && value.computed === true);
    const interpolated = computed.map((entry) => ({ ...entry, key: 'interpolated' }));
    const end = Math.max(name.end, this.lastEnd);
    return { kind: 'map', start: name.start, end, entries: [...args, ...interpolated, ...inside] };
  }

  private startsArgument(): boolean {
    const { token } = this;
    if (token === null || token.kind === 'line') return false;
    if (token.kind === 'name') return !/^(?:in|instanceof|as)$/.test(token.value);
    return token.kind === 'text' || token.value === '[';
  }

  private endsStatement(): boolean {
    return this.token === null || this.token.kind === 'line' || /^[;}]$/.test(this.token.value);
  }

  /** Arguments up to the bracket, which is passed; null: to the end of the statement. */
  private args(close: string | null): Entry[] {
    this.enter();
    const entries: Entry[] = [];
    for (;;) {
      if (close !== null) this.skipLines();
      const { token } = this;
      if (token === null) {
        if (close !== null) throw this.unreadable();
        break;
      }
      if (close === null && (this.endsStatement() || token.value === '{') && token.kind !== 'text')
        break;
      if (token.kind === 'sign' && /^[)\]}]$/.test(token.value)) {
        if (close === null) break;
        if (token.value !== close) throw this.unreadable();
        this.next();
        break;
      }
      if (token.kind === 'sign' && /^[,;]$/.test(token.value)) {
        this.next();
        this.skipLines();
        continue;
      }
      this.argument(entries, close);
    }
    this.depth -= 1;
    return entries;
  }

  private argument(entries: Entry[], close: string | null): void {
    const first = this.token as Token;
    if (first.kind === 'name' || first.kind === 'text') {
      this.next();
      if (this.isSign(':')) {
        this.next();
        this.skipLines();
        for (const value of this.value(this.token, close, null))
          entries.push(entryOf(first, value));
        return;
      }
      for (const value of this.value(first, close, first)) entries.push(...positional(value));
      return;
    }
    for (const value of this.value(first, close, null)) entries.push(...positional(value));
  }

  /** A value up to the next comma; `taken` is its first token, when that was read already. */
  private value(first: Token | null, close: string | null, taken: Token | null): Node[] {
    if (first === null) return [];
    const nodes: Node[] = [];
    let count = taken === null ? 0 : 1;
    let texts = taken?.kind === 'text' ? 1 : 0;
    let last = taken ?? first;
    if (taken?.kind === 'name' && !WORDS.test(taken.value)) {
      const call =
        this.isSign('(') || (close !== null && this.isSign('{')) ? this.call(taken) : null;
      if (call !== null) nodes.push({ ...call, entries: [entryOf(taken, call)] });
    }
    for (;;) {
      const { token } = this;
      if (token === null) break;
      if (token.kind === 'line') {
        if (close === null) break;
        this.next();
        continue;
      }
      if (token.kind === 'sign') {
        if (/^[,;)\]}]$/.test(token.value)) break;
        if (token.value === '{' && close === null) break;
        if (PAIRS[token.value] !== undefined) {
          const inside = this.bracket();
          nodes.push(...inside);
          count += 1;
          last = { ...last, end: this.lastEnd };
          continue;
        }
      }
      if (token.kind === 'name' && !WORDS.test(token.value)) {
        this.next();
        const call = this.isSign('(') ? this.call(token) : null;
        if (call !== null) nodes.push({ ...call, entries: [entryOf(token, call)] });
        count += 1;
        last = { ...token, end: this.lastEnd };
        continue;
      }
      if (token.kind === 'text') texts += 1;
      count += 1;
      last = token;
      this.next();
    }
    if (count === 1 && nodes.length === 0) return [scalarOf(taken ?? last)];
    if (texts > 0 || nodes.length === 0) {
      const { start } = first;
      const end = Math.max(start, last.end);
      nodes.push({
        kind: 'scalar',
        start,
        end,
        value: this.text.slice(start, end),
        computed: true,
      });
    }
    return nodes;
  }

  /** `[a: 1]` is a map, and `[a, b]` has its values beside each other. */
  private bracket(): Node[] {
    const { start, value: open } = this.token as Token;
    this.next();
    if (open === '{') {
      const entries = this.block('}');
      this.next();
      return [{ kind: 'map', start, end: this.lastEnd, entries }];
    }
    const args = this.args(PAIRS[open] ?? '');
    const named = args.filter(({ key }) => key !== 'text');
    const plain = args.filter(({ key }) => key === 'text').map(({ value }) => value);
    if (named.length === 0) return plain;
    return [...plain, { kind: 'map', start, end: this.lastEnd, entries: named }];
  }

  private isSign(value: string): boolean {
    return this.token?.kind === 'sign' && this.token.value === value;
  }

  private skipLines(): void {
    while (this.token?.kind === 'line') this.next();
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > DOCUMENTS.DEPTH_MAX) throw new Unreadable(TOO_DEEP);
  }

  private unreadable(): Unreadable {
    const line = this.text.slice(0, this.token?.start ?? this.at).split('\n').length;
    return new Unreadable(`line ${line} is not Groovy`);
  }

  private next(): void {
    if (this.token !== null && this.token.kind !== 'line') this.lastEnd = this.token.end;
    this.token = this.read();
    const { token } = this;
    this.mayBeSlashy =
      token !== null && (token.kind === 'line' || /^[(,=:[!&|?{};~+]$/.test(token.value));
  }

  private read(): Token | null {
    const { text } = this;
    for (;;) {
      this.take(BLANK);
      if (!text.startsWith('/*', this.at)) break;
      const end = text.indexOf('*/', this.at + 2);
      if (end === -1) throw this.unreadable();
      this.at = end + 2;
    }
    const start = this.at;
    if (start >= text.length) return null;
    const make = (kind: Token['kind'], value: string, computed = false): Token => {
      return { kind, value, computed, start, end: this.at };
    };
    if (text[start] === '\n') {
      this.at += 1;
      return make('line', '\n');
    }
    const quote = QUOTES.find((one) => text.startsWith(one, start));
    if (quote !== undefined) {
      const computed = this.string(quote);
      const raw = text.slice(start + quote.length, this.at - quote.length);
      return make('text', computed ? raw : raw.replace(/\\(["'\\$])/g, '$1'), computed);
    }
    const name = this.take(NAME);
    if (name !== null) return make('name', name);
    const number = this.take(NUMBER);
    if (number !== null) return make('text', number);
    const slashy = this.mayBeSlashy ? this.take(SLASHY) : null;
    if (slashy !== null) return make('text', slashy.slice(1, -1), slashy.includes('$'));
    this.at += 1;
    return make('sign', text[start] ?? '');
  }

  /** Passes a string, and says whether values are put into it. */
  private string(quote: string): boolean {
    const { text } = this;
    this.enter();
    let computed = false;
    this.at += quote.length;
    for (;;) {
      const char = text[this.at];
      if (char === undefined || (char === '\n' && quote.length === 1)) throw this.unreadable();
      if (text.startsWith(quote, this.at)) break;
      if (char === '\\') this.at += 1;
      else if (char === '$' && quote.startsWith('"')) {
        computed ||= /[{A-Za-z_]/.test(text[this.at + 1] ?? '');
        if (text[this.at + 1] === '{') {
          this.at += 2;
          this.insertion();
          continue;
        }
      }
      this.at += 1;
    }
    this.at += quote.length;
    this.depth -= 1;
    return computed;
  }

  /** Passes `${ ... }` up to its brace. */
  private insertion(): void {
    const { text } = this;
    for (let open = 1; open > 0; ) {
      const char = text[this.at];
      if (char === undefined) throw this.unreadable();
      const quote = QUOTES.find((one) => text.startsWith(one, this.at));
      if (quote !== undefined) {
        this.string(quote);
        continue;
      }
      if (char === '{') open += 1;
      if (char === '}') open -= 1;
      this.at += 1;
    }
  }

  private take(expression: RegExp): string | null {
    expression.lastIndex = this.at;
    const [found] = expression.exec(this.text) ?? [];
    if (found === undefined) return null;
    this.at += found.length;
    return found;
  }
}

function entryOf({ value: key, start, end }: Token, value: Node): Entry {
  return { key, keyStart: start, keyEnd: end, value };
}

/** An argument without a name: a call has its own, and `[a: 1]` is named arguments. */
function positional(value: Node): readonly Entry[] {
  if (value.kind === 'map') return value.entries;
  return [{ key: 'text', keyStart: value.start, keyEnd: value.start, value }];
}

function scalarOf({ kind, value, computed, start, end }: Token): ScalarNode {
  const isKnown = kind !== 'name' || !value.includes('.');
  return { kind: 'scalar', start, end, value, ...(computed || !isKnown ? { computed: true } : {}) };
}
