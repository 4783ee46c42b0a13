import type { Pair, Scalar, Node as YamlNode } from 'yaml';
import { oncePer } from '../../core/once.ts';
import { type Document, type Entry, type Node, type ScalarNode, UNKNOWN_TEXT } from './document.ts';
import { TOO_DEEP, TOO_LONG, TOO_MANY } from './json.ts';
import { DOCUMENTS } from './limits.ts';

type Yaml = typeof import('yaml');

/** Reads YAML 1.1 and 1.2, any number of documents, with anchors, aliases and merge keys. */
export type ReadYaml = (text: string) => Document;

/** Loads the parser, which few changes need. Each text is parsed once, and its document kept. */
export async function loadYaml(): Promise<ReadYaml> {
  const loaded: Yaml & { default?: Yaml } = await import('yaml');
  // A bundle of modules has what CommonJS exports as "default" alone.
  const yaml = loaded.default ?? loaded;
  return oncePer((text) => readYaml(yaml, text));
}

function readYaml(yaml: Yaml, text: string): Document {
  const unread = (problem: string) => ({ format: 'yaml', roots: [], problem }) as const;
  if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX) return unread(TOO_LONG);
  if (opensTooMuch(text)) return unread(TOO_DEEP);
  try {
    const documents = withoutStacks(() => yaml.parseAllDocuments(text, OPTIONS));
    if (!Array.isArray(documents)) return { format: 'yaml', roots: [], problem: null };
    if (documents.length > DOCUMENTS.COUNT_MAX) return unread(TOO_MANY);
    let problem: string | null = null;
    const roots: Node[] = [];
    const converter = new Converter(yaml);
    for (const document of documents) {
      const [error] = document.errors;
      if (error !== undefined && problem === null) {
        const line = text.slice(0, error.pos[0]).split('\n').length;
        problem = `line ${line} is not YAML (${error.code})`;
      }
      if (document.contents !== null) roots.push(converter.root(document.contents));
    }
    return { format: 'yaml', roots, problem };
  } catch (thrown) {
    if (thrown instanceof Unreadable) return unread(thrown.message);
    // The parser calls itself for each level and has no bound of its own.
    if (thrown instanceof RangeError) return unread(TOO_DEEP);
    throw thrown;
  }
}

/**
 * The parser makes an error for each token that it cannot place, of which one is shown: their
 * stacks were three quarters of the time that such a text took.
 */
function withoutStacks<T>(parse: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Functions of CloudFormation: what they give is not in the text. */
const FUNCTION =
  /^!(?:Ref|Sub|GetAtt|If|Join|FindInMap|ImportValue|Select|Split|Base64|Cidr|GetAZs|Transform)$/;

/** The last of equal keys counts for some readers, the first for others: both are looked at. */
const OPTIONS = {
  uniqueKeys: false,
  strict: true,
  logLevel: 'silent',
  prettyErrors: false,
  keepSourceTokens: false,
} as const;

class Unreadable extends Error {}

/** Lists and maps in brackets, and nested lists on one line (`- - - x`, `? ? x`). */
function opensTooMuch(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > DOCUMENTS.BRACKETS_MAX) return true;
  }
  return COMPACT.test(text);
}

const COMPACT = new RegExp(String.raw`(?:^|\n)[ \t]*(?:[-?:][ \t]+){${DOCUMENTS.DEPTH_MAX}}`);

/** Turns the nodes of the parser into ours; aliases become the node that they name. */
class Converter {
  private readonly yaml: Yaml;
  private anchors = new Map<string, { node: Node; size: number; height: number }>();
  private depth = 0;
  /** The depth of the deepest node since the anchored node began that is read. */
  private deepest = 0;
  private size = 0;

  constructor(yaml: Yaml) {
    this.yaml = yaml;
  }

  root(node: YamlNode): Node {
    this.anchors = new Map();
    return this.node(node);
  }

  private node(from: unknown): Node {
    const { yaml } = this;
    this.grow(1);
    if (yaml.isAlias(from)) {
      const named = this.anchors.get(from.source);
      // An anchor that contains itself: nothing more of it is new.
      if (named === undefined) return this.scalar(from, `*${from.source}`);
      this.grow(named.size);
      this.reach(this.depth + named.height);
      return named.node;
    }
    const tag = yaml.isNode(from) ? (from.tag ?? '') : '';
    if (!yaml.isCollection(from)) {
      const scalar = yaml.isScalar(from) ? from : null;
      const text = scalar === null ? '' : textOf(scalar);
      const node = FUNCTION.test(tag)
        ? { ...this.scalar(scalar, `${tag} ${text}`), computed: true as const }
        : this.scalar(scalar, text);
      return this.anchored(scalar?.anchor, { node, size: 1, height: 0 });
    }
    if (FUNCTION.test(tag)) return { ...this.scalar(from, tag), computed: true };
    const before = this.size;
    const { deepest, depth } = this;
    this.deepest = depth;
    this.depth += 1;
    this.reach(this.depth);
    const [start = 0, end = start] = from.range ?? [];
    const node: Node = yaml.isMap(from)
      ? { kind: 'map', start, end, entries: from.items.flatMap((pair) => this.entries(pair)) }
      : { kind: 'list', start, end, items: from.items.map((item) => this.item(item)) };
    this.depth = depth;
    const height = this.deepest - depth;
    this.deepest = Math.max(deepest, this.deepest);
    return this.anchored(from.anchor, { node, size: this.size - before, height });
  }

  /** `[a: b]` is a list with a map in it. */
  private item(from: unknown): Node {
    if (!this.yaml.isPair(from)) return this.node(from);
    const entries = this.entries(from);
    const start = entries[0]?.keyStart ?? 0;
    return { kind: 'map', start, end: entries[0]?.value.end ?? start, entries };
  }

  private entries(pair: Pair): Entry[] {
    const { key: name } = pair;
    const scalar = this.yaml.isScalar(name) ? name : null;
    // A key that is a list, a map or an alias is read for its content.
    const keyNode = scalar === null ? this.node(name) : this.scalar(scalar, textOf(scalar));
    if (scalar?.anchor) this.anchored(scalar.anchor, { node: keyNode, size: 1, height: 0 });
    const key = keyNode.kind === 'scalar' ? keyNode.value : '';
    // What an alias names is merged into this map, and adds no level.
    const isMerged = key === '<<' && this.yaml.isAlias(pair.value);
    this.depth -= isMerged ? 1 : 0;
    const value = this.node(pair.value);
    this.depth += isMerged ? 1 : 0;
    if (key === '<<') {
      const maps = value.kind === 'list' ? value.items : [value];
      return maps.flatMap((map) => (map.kind === 'map' ? map.entries : []));
    }
    const at = value.start === 0 && value.end === 0 ? { ...value, ...rangeOf(keyNode) } : value;
    const entry = { key, keyStart: keyNode.start, keyEnd: keyNode.end, value: at };
    return keyNode.kind === 'scalar' ? [entry] : [entry, { ...entry, value: keyNode }];
  }

  private scalar(from: { range?: readonly number[] | null } | null, value: string): ScalarNode {
    const [start = 0, end = start] = from?.range ?? [];
    const node = { kind: 'scalar', start, end, value } as const;
    return value.includes(UNKNOWN_TEXT) ? { ...node, computed: true } : node;
  }

  private anchored(
    anchor: string | undefined,
    named: { node: Node; size: number; height: number },
  ): Node {
    if (anchor !== undefined) this.anchors.set(anchor, named);
    return named.node;
  }

  /** Aliases within aliases are as deep as what they stand for. */
  private reach(depth: number): void {
    if (depth > DOCUMENTS.DEPTH_MAX) throw new Unreadable(TOO_DEEP);
    this.deepest = Math.max(this.deepest, depth);
  }

  private grow(size: number): void {
    this.size += size;
    if (this.size > DOCUMENTS.NODES_MAX) throw new Unreadable(TOO_MANY);
  }
}

function rangeOf({ start, end }: Node) {
  return { start, end };
}

/** `on`, `yes` and numbers as they are written. */
function textOf(scalar: Scalar): string {
  if (typeof scalar.value === 'string') return scalar.value;
  return scalar.source ?? String(scalar.value ?? '');
}
