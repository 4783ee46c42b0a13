import { type Document, type Entry, type Node, type ScalarNode, UNKNOWN_TEXT } from './document.ts';
import { TOO_DEEP, TOO_LONG } from './json.ts';
import { DOCUMENTS } from './limits.ts';

interface Name {
  key: string;
  start: number;
  end: number;
}

interface OpenBlock {
  readonly name: Name;
  readonly entries: Entry[];
}

/**
 * Builds the tree of settings in blocks: a map of settings and blocks by their names, in the order
 * of the text. A setting is a scalar, a block a map with its arguments under `args`.
 */
export class BlockBuilder {
  readonly #text: string;
  readonly #format: Document['format'];
  readonly #open: OpenBlock[];
  #problem: string | null = null;
  #count = 0;

  constructor(text: string, format: Document['format']) {
    this.#text = text;
    this.#format = format;
    this.#open = [{ name: { key: '', start: 0, end: 0 }, entries: [] }];
    if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX) this.#problem = TOO_LONG;
  }

  /** Whether the rest of the text is not read. */
  get isEnded(): boolean {
    return this.#problem !== null && ENDING.has(this.#problem);
  }

  /** Name of the innermost block that is open; '' outside of all. */
  get block(): string {
    return this.#open.at(-1)?.name.key ?? '';
  }

  setting(name: Name, value: string, start: number, end: number): void {
    this.#add(name, scalar(value, start, end));
  }

  open(name: Name, args: string, start: number, end: number): void {
    this.#count += 1;
    const isTooDeep = this.#open.length > DOCUMENTS.DEPTH_MAX;
    if (isTooDeep || this.#count > DOCUMENTS.BLOCKS_MAX) {
      this.#problem = isTooDeep ? TOO_DEEP : TOO_MANY_BLOCKS;
      return;
    }
    this.#open.push({ name, entries: [] });
    this.setting({ key: 'args', start, end: start }, args, start, end);
  }

  close(end: number): void {
    if (this.#open.length === 1) {
      this.fail(end, 'closes a block that is not open');
      return;
    }
    const block = this.#open.pop();
    if (block !== undefined) this.#add(block.name, this.#map(block, end));
  }

  /** The first problem stays. */
  fail(at: number, problem: string): void {
    this.#problem ??= `line ${this.#text.slice(0, at).split('\n').length} ${problem}`;
  }

  /** Blocks that are still open end with the text. */
  document(): Document {
    const { length } = this.#text;
    while (this.#open.length > 1) this.close(length);
    const [root] = this.#open;
    return {
      format: this.#format,
      roots: root === undefined || this.#problem === TOO_LONG ? [] : [this.#map(root, length)],
      problem: this.#problem,
    };
  }

  #add({ key, start, end }: Name, value: Node): void {
    this.#open.at(-1)?.entries.push({ key, keyStart: start, keyEnd: end, value });
  }

  #map({ name, entries }: OpenBlock, end: number): Node {
    return { kind: 'map', start: name.start, end, entries };
  }
}

const TOO_MANY_BLOCKS = `it has more than ${DOCUMENTS.BLOCKS_MAX} blocks`;
/** Problems after which the rest of a text is not read. */
const ENDING: ReadonlySet<string> = new Set([TOO_LONG, TOO_DEEP, TOO_MANY_BLOCKS]);

/** A value; where a template fills it in, it is computed. */
function scalar(value: string, start: number, end: number): ScalarNode {
  const node = { kind: 'scalar', start, end, value } as const;
  return value.includes(UNKNOWN_TEXT) ? { ...node, computed: true } : node;
}

/** A word without its quotes and their escapes. */
export function unquoted(word: string): string {
  const [quote = ''] = word;
  if (quote !== '"' && quote !== "'") return word;
  const inner = word.endsWith(quote) && word.length > 1 ? word.slice(1, -1) : word.slice(1);
  return inner.replace(/\\(["'\\])/g, '$1');
}
