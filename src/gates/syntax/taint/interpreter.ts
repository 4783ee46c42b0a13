import { TAINT } from '../../limits.ts';
import type { Locator } from '../parser.ts';
import { readCondition } from './checks.ts';
import { EXPRESSIONS } from './expressions.ts';
import { functionValue } from './functions.ts';
import { bare, childNodes, isFunction, type SyntaxNode } from './node.ts';
import type { Named } from './packages.ts';
import {
  type Findings,
  type Flaw,
  newScope,
  type Observer,
  type Proofs,
  type Run,
  type Scope,
} from './run.ts';
import { STATEMENTS } from './statements.ts';
import { type Callable, UNKNOWN, type Value } from './value.ts';

/** Nodes of TypeScript that hold code; the others hold types only. */
const CODE_NODES = new Set([
  'TsModuleDeclaration',
  'TsModuleBlock',
  'TsNamespaceDeclaration',
  'TsEnumDeclaration',
  'TsEnumMember',
  'TsExportAssignment',
  'TsImportEqualsDeclaration',
  'TsParameterProperty',
]);

/** Words of which one stands in what PATCH matches. */
const PATCHED = ['prototype', '__proto__', 'global', 'window', 'self'];
/** Stands for all names: `Object.assign(Array.prototype, methods)`. */
const EVERY_NAME = '*';
/** `globalThis.escape = f`, `Array.prototype.includes = f`, `defineProperty(x.prototype, 'has'`. */
const PATCH =
  /(?:\b(?:globalThis|global|window|self)|\bprototype|\b__proto__)\s{0,9}(?:\.\s{0,9}(\w+)|\[\s{0,9}['"`](\w+)['"`]\s{0,9}\])\s{0,9}=(?![=>])|\b(?:defineProperty|set)\s{0,9}\(\s{0,9}[\w.]{0,80}(?:prototype|globalThis|global|window)\s{0,9},\s{0,9}['"`](\w+)|\bassign\s{0,9}\(\s{0,9}(?:(?:Array|Set|Map|String|RegExp|Object|Number)\s{0,9}\.\s{0,9}prototype|globalThis|global|window)\s{0,9},/g;

/**
 * Follows values through code: an abstract interpretation of the syntax tree, in the order of the
 * text. Every function is evaluated where it stands, and again for calls in sight that give it
 * data from outside. Trees of one fragment share their outermost scope.
 */
export class Interpreter implements Run {
  scope: Scope = newScope(null, false);
  returns: Value[] = [];
  resolved: Value[] = [];
  readonly listeners = new Map<string, Callable>();
  isExporting = false;
  isServerModule = false;
  isInLoop = false;
  taker: Named | null = null;
  proofs: Proofs | null = null;
  readonly exportedNames = new Set<string>();
  readonly calls = {
    active: new Set<SyntaxNode>(),
    returned: new Map<SyntaxNode, Value>(),
    flaws: new Map<SyntaxNode, Flaw | null>(),
    reaching: new Map<SyntaxNode, boolean>(),
    assigned: new Map<SyntaxNode, boolean>(),
    count: 0,
    proofs: 0,
    lostAt: null as number | null,
  };
  readonly observer: Observer;
  #locator: Locator;
  #spent = 0;
  readonly #texts: string[] = [];
  readonly #patched = new Set<string>();
  readonly #changed = new Map<string, boolean>();
  #walked = 0;

  constructor(observer: Observer, locator: Locator) {
    this.observer = observer;
    this.#locator = locator;
  }

  /** Evaluates a whole tree, whose nodes the locator places. */
  run(tree: SyntaxNode, locator: Locator): void {
    this.#locator = locator;
    const text = locator.textOf(0, Number.MAX_SAFE_INTEGER);
    this.#texts.push(text);
    const isLikely = PATCHED.some((word) => text.includes(word));
    for (const [, written, key, defined] of isLikely ? text.matchAll(PATCH) : []) {
      this.#patched.add(written ?? key ?? defined ?? EVERY_NAME);
    }
    this.evaluate(tree);
  }

  readCondition(node: SyntaxNode | null): Findings {
    return readCondition(this, node);
  }

  isPatched(name: string): boolean {
    return this.#patched.has(name) || this.#patched.has(EVERY_NAME);
  }

  isChanged(path: string): boolean {
    const known = this.#changed.get(path);
    if (known !== undefined) return known;
    const name = path.replaceAll(/[^\w.]/g, '\\$&').replaceAll('.', String.raw`\s*\.\s*`);
    const change = new RegExp(
      String.raw`(?<![\w$.])${name}\s*(?:\.\s*(?:push|unshift|splice|fill|copyWithin|add|set)\s*\(|` +
        String.raw`(?:\.\s*\w+|\[[^\]\n]{1,200}\])\s*(?:[|&?]{2})?=(?![=>]))|` +
        String.raw`(?<!\b(?:const|let|var)\s{1,9})(?<![\w$.])${name}\s*=(?![=>])|` +
        String.raw`\b(?:assign|defineProperty|set|setPrototypeOf)\s*\(\s*${name}\s*,|` +
        // Another name for it: what that changes is not looked for.
        String.raw`(?<!\bexports(?:\.\w{1,80})?\s{0,9})=\s*${name}\s*(?:[;,)}\n]|$)`,
    );
    const isChanged = this.#texts.some((text) => change.test(text));
    this.#changed.set(path, isChanged);
    return isChanged;
  }

  evaluate(node: SyntaxNode | null): Value {
    // The first time is due to all code; only what is done again is counted.
    if (this.calls.active.size > 0) {
      this.#spent += 1;
      if (this.stepsLeft() <= 0) {
        this.calls.lostAt ??= this.lineOf(node);
        return UNKNOWN;
      }
    }
    const inner = bare(node);
    const type = inner?.type;
    if (inner === null || type === undefined) return UNKNOWN;
    const handler = EXPRESSIONS.get(type) ?? STATEMENTS.get(type);
    if (handler !== undefined) return handler(this, inner);
    if (type.startsWith('Ts') && !CODE_NODES.has(type)) return UNKNOWN;
    for (const part of childNodes(inner)) this.#visit(part);
    return UNKNOWN;
  }

  /** Nodes of no interest, down to those that are; some carry no type at all. */
  #visit(node: SyntaxNode): void {
    if (node.type !== undefined) this.evaluate(node);
    else for (const part of childNodes(node)) this.#visit(part);
  }

  evaluateWith(node: SyntaxNode | null, known: readonly Value[], caller?: string | null): Value {
    const inner = bare(node);
    const isCallback = inner !== null && isFunction(inner);
    return isCallback
      ? functionValue(this, inner, '', known, caller ?? null)
      : this.evaluate(inner);
  }

  get home(): unknown {
    return this.#locator;
  }

  stepsLeft(): number {
    return TAINT.STEPS_MAX - this.#spent;
  }

  textOf(node: SyntaxNode): string {
    return this.#locator.textOf(node.span?.start ?? 0, node.span?.end ?? 0);
  }

  mayWalk(): boolean {
    this.#walked += 1;
    return this.#walked <= TAINT.STEPS_MAX;
  }

  lineOf(node: SyntaxNode | null): number {
    return this.#locator.lineAt(node?.span?.start ?? 0);
  }

  linesOf(node: SyntaxNode): [number, number] {
    const { start = 0, end = 0 } = node.span ?? {};
    return [this.#locator.lineAt(start), this.#locator.lineAt(end - 1)];
  }

  isSynthetic(node: SyntaxNode): boolean {
    return node.span !== undefined && this.#locator.isSynthetic(node.span.start);
  }
}
