import { type AhoCorasick, buildAhoCorasick, forEachMatch } from '../../core/aho-corasick.ts';
import type {
  DocumentCondition,
  DocumentTest,
  DocumentTests,
  ResourceKind,
} from '../../model/rules.ts';
import type { CompiledRule, CompiledRules } from '../patterns/compiled-rules.ts';
import { type ByteRegex, compileRegexOnUse } from '../patterns/regex.ts';
import { type Node, scalarsOf, walk } from './document.ts';
import { DOCUMENTS } from './limits.ts';
import type { Observation } from './observation.ts';
import type { Resource } from './resources/resource.ts';
import { firstKeysOf, type Paths, pathsOf, type Resources } from './resources/resources.ts';

/** A rule ready to look at resources. */
interface ReadyRule {
  readonly id: string;
  readonly condition: DocumentCondition;
  /** Parts of the resource that are looked at one by one; null: the resource is. */
  readonly each: Paths | null;
  readonly tests: ReadyTests;
  /** Of the resource before the change. */
  readonly was: ReadyTests;
  /** Keys of the resource, of each list one at least, without which it cannot find anything. */
  readonly needs: readonly (readonly string[])[];
}

type ReadyTests = readonly PlacedTest[];

/** A test of the values at a path. */
interface PlacedTest extends ReadyPath {
  readonly test: ReadyTest;
}

interface ReadyPath {
  /** As the rule writes it. */
  readonly path: string;
  readonly paths: Paths;
  /** It begins around the resource (`^`). */
  readonly isAround: boolean;
}

interface ReadyTest {
  readonly is: ReadonlySet<string> | null;
  readonly not: ReadonlySet<string> | null;
  readonly matches: ByteRegex | null;
  readonly misses: ByteRegex | null;
  readonly unlike: ByteRegex | null;
  readonly above: number | null;
  readonly below: number | null;
  readonly atLeast: number;
  readonly repeats: boolean;
  readonly absent: boolean | null;
  readonly default: string | null;
}

/** What a rule finds in a resource. */
export interface ResourceObservation extends Observation {
  readonly resource: Resource;
  /** Path in the resource of what is wrong; '' when several things are. */
  readonly path: string;
  /** The values that make it wrong; none: what is missing does. */
  readonly values: readonly Node[];
}

/** A resource as it is before or after a change. */
export interface ResourceVersion {
  readonly resource: Resource;
  readonly resources: Resources;
  /** Only a part of its document is at hand. */
  readonly isPart: boolean;
}

/** Looks at resources with rules on documents. */
export class DocumentRules {
  /** Compiled when a change first has such a document: most have none. */
  static readonly #known = new WeakMap<CompiledRules, DocumentRules>();

  /** By the id of findings: rules on lines that say the same. */
  readonly #replaced = new Map<string, ReadonlySet<string>>();
  /** By the kind of document: rules by type of resource, and rules with a `*` in it. */
  readonly #byType = new Map<ResourceKind, Map<string, ReadyRule[]>>();
  readonly #byStart = new Map<ResourceKind, (readonly [start: string, rule: ReadyRule])[]>();
  /** Rules on what a change does to a resource, by the kind of document. */
  readonly #ofChange = new Map<ResourceKind, ReadyRule[]>();

  static of(rules: CompiledRules): DocumentRules {
    const known = DocumentRules.#known.get(rules) ?? new DocumentRules(rules.rules);
    DocumentRules.#known.set(rules, known);
    return known;
  }

  constructor(rules: readonly Pick<CompiledRule, 'pattern'>[]) {
    for (const { pattern } of rules) {
      if (pattern.document === undefined) continue;
      const { document: condition, id } = pattern;
      const reportId = pattern.report_as ?? id;
      const known = this.#replaced.get(reportId) ?? [];
      this.#replaced.set(reportId, new Set([...known, ...(condition.replaces ?? [])]));
      const each = condition.each === undefined ? null : pathsOf(condition.each);
      const tests = readyTests(condition.when);
      const needs = neededKeys(each, tests);
      this.#add({ id, condition, each, tests, was: readyTests(condition.was), needs });
    }
  }

  /** Rules on lines that say no more than a finding with this id. */
  replacedBy(reportId: string): ReadonlySet<string> | undefined {
    return this.#replaced.get(reportId);
  }

  /** Whether there is no such rule. */
  get isEmpty(): boolean {
    return this.#byType.size + this.#byStart.size + this.#ofChange.size === 0;
  }

  /** Whether a rule is on what a change does to resources of a kind. */
  looksAtChanges(kind: ResourceKind): boolean {
    return this.#ofChange.has(kind);
  }

  /** Findings in a document. `isPart`: of what is cut out, nobody knows what is missing. */
  look(kind: ResourceKind, resources: Resources, isPart: boolean): ResourceObservation[] {
    const byType = this.#byType.get(kind);
    const byStart = this.#byStart.get(kind) ?? [];
    const namedBy = namedByType(resources);
    const around: AroundHits = new Map();
    return resources.all.flatMap((resource) => {
      const own = byType?.get(resource.type) ?? [];
      const wide = byStart.filter(([start]) => resource.type.startsWith(start));
      const rules = [...own, ...wide.map(([, rule]) => rule)];
      if (rules.length === 0) return [];
      const keys = resources.keysOf(resource.node);
      return rules.flatMap((rule) => {
        const isNamed = (some: readonly string[]) => some.some((key) => keys?.has(key));
        if (keys !== null && !rule.needs.every(isNamed)) return [];
        return lookAt(rule, resource, { resources, namedBy, around, isPart });
      });
    });
  }

  /** Ids of the rules that a resource which is gone breaks. */
  lookAtRemoved(kind: ResourceKind, old: ResourceVersion): string[] {
    return this.#rulesOfChange(kind, old.resource.type).flatMap(({ id, condition, was }) => {
      if (condition.change !== 'removed') return [];
      const isMet = metBy(was, old.resource, old) !== null;
      return isMet ? [id] : [];
    });
  }

  /**
   * Ids of the rules that a resource breaks that is deleted and made again: those on arguments that
   * replace it, else those on a resource that is gone.
   */
  lookAtReplaced(kind: ResourceKind, old: ResourceVersion): string[] {
    const { type } = old.resource;
    const own = this.#rulesOfChange(kind, type).flatMap(({ id, condition, was }) => {
      if (condition.change !== 'changed' || condition.keys?.[type] === undefined) return [];
      return metBy(was, old.resource, old) === null ? [] : [id];
    });
    return own.length > 0 ? own : this.lookAtRemoved(kind, old);
  }

  /** What a change does to a resource that is there before and after it. */
  lookAtChanged(
    kind: ResourceKind,
    old: ResourceVersion,
    now: ResourceVersion,
  ): ResourceObservation[] {
    return this.#rulesOfChange(kind, now.resource.type).flatMap((rule) => {
      const { id, condition, tests, was } = rule;
      const { change, keys } = condition;
      if (change === undefined || change === 'removed') return [];
      if (metBy(was, old.resource, old) === null) return [];
      // What the same hunk had before the change and has no more is missing.
      const met = metBy(tests, now.resource, { ...now, isPart: false });
      if (met === null) return [];
      const address = now.resource.address;
      if (keys === undefined) {
        const { start, end } = met.hit ?? headOf(now.resource);
        const match = `${address} ${textOf(met.hit)}`;
        const { path, values } = met;
        return [{ id, start, end, match, resource: now.resource, path, values }];
      }
      const { type } = now.resource;
      const paths = (Object.hasOwn(keys, type) ? keys[type] : keys['*']) ?? [];
      return paths.flatMap((path): ResourceObservation[] => {
        const found = comparedAt(path, change, old, now);
        if (found === null) return [];
        const { start, end } = found.node ?? headOf(now.resource);
        const match = `${address} ${path} ${found.now}`;
        const { note } = found;
        return [{ id, start, end, match, note, resource: now.resource, path, values: [] }];
      });
    });
  }

  #rulesOfChange(kind: ResourceKind, type: string): ReadyRule[] {
    return (this.#ofChange.get(kind) ?? []).filter(({ condition: { on } }) => {
      return on.some((one) => {
        return one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : one === type;
      });
    });
  }

  #add(rule: ReadyRule): void {
    const { kind, on, change } = rule.condition;
    if (change !== undefined) {
      this.#ofChange.set(kind, [...(this.#ofChange.get(kind) ?? []), rule]);
      return;
    }
    for (const type of on) {
      if (type.endsWith('*')) {
        const known = this.#byStart.get(kind) ?? [];
        this.#byStart.set(kind, [...known, [type.slice(0, -1), rule]]);
        continue;
      }
      const known = this.#byType.get(kind) ?? new Map<string, ReadyRule[]>();
      known.set(type, [...(known.get(type) ?? []), rule]);
      this.#byType.set(kind, known);
    }
  }
}

/** The first keys of the paths at which a value must be. */
function neededKeys(each: Paths | null, tests: ReadyTests): (readonly string[])[] {
  const own = tests.filter(({ isAround, test }) => !isAround && needsValue(test));
  const paths = each === null ? own.map((one) => one.paths) : [each];
  return paths.flatMap((some) => {
    const keys = firstKeysOf(some);
    return keys === null ? [] : [keys];
  });
}

/** Whether a test fails where nothing is. */
function needsValue(test: ReadyTest): boolean {
  if (test.atLeast > 0 || test.repeats || test.absent === false) return true;
  const { is, matches, misses, above, below } = test;
  return test.default === null && [is, matches, misses, above, below].some((one) => one !== null);
}

function readyTests(tests: DocumentTests | undefined): ReadyTests {
  return Object.entries(tests ?? {}).map(([path, test]) => {
    return { ...readyPath(path), test: readyTest(test) };
  });
}

function readyPath(path: string): ReadyPath {
  const isAround = path.startsWith('^');
  const paths = pathsOf(path.replace(/(^| )\^\.?/g, '$1'));
  return { path, paths, isAround };
}

function readyTest(test: DocumentTests[string]): ReadyTest {
  const {
    is,
    not,
    matches,
    misses,
    unlike,
    above,
    below,
    atLeast = 0,
    repeats = false,
    absent,
    default: usual,
  } = isTest(test) ? test : { is: test };
  return {
    is: is === undefined ? null : textsOf(is),
    not: not === undefined ? null : textsOf(not),
    matches: matches === undefined ? null : compileRegexOnUse(matches),
    misses: misses === undefined ? null : compileRegexOnUse(misses),
    unlike: unlike === undefined ? null : compileRegexOnUse(unlike),
    above: above ?? null,
    below: below ?? null,
    atLeast,
    repeats,
    absent: absent ?? null,
    default: usual === undefined ? null : String(usual).toLowerCase(),
  };
}

function isTest(test: DocumentTests[string]): test is DocumentTest {
  return typeof test === 'object' && !Array.isArray(test);
}

function textsOf(values: NonNullable<DocumentTest['is']>): ReadonlySet<string> {
  return new Set([values].flat().map((value) => String(value).toLowerCase()));
}

/** What a look at resources has at hand. */
interface View {
  readonly resources: Resources;
  readonly namedBy: NamedBy;
  readonly around: AroundHits;
  readonly isPart: boolean;
}

/** Whether a test holds around parts: many of them may stand in the same long block. */
type AroundHits = Map<ReadyTest, Map<Node | null, boolean>>;

function lookAt(
  { id, condition, each, tests }: ReadyRule,
  resource: Resource,
  { resources, namedBy, around, isPart }: View,
): ResourceObservation[] {
  const { without } = condition;
  const scopes = each === null ? [resource.node] : resources.valuesAt(resource.node, each);
  const found: ResourceObservation[] = [];
  for (const scope of scopes) {
    const met = metBy(tests, resource, { resources, isPart, around }, scope);
    if (met === null) continue;
    const { hit, values, path: hitPath } = met;
    const isCovered = () => without?.some((type) => namedBy(type).has(resource.address));
    if (without !== undefined && (isPart || isCovered())) continue;
    const isWhole = each === null;
    const { start, end } = hit ?? (isWhole ? headOf(resource) : headOfNode(scope));
    const match = `${resource.address} ${textOf(hit)}`;
    const steps = [condition.each ?? '', hitPath].filter(
      (step) => step !== '' && !step.startsWith('^'),
    );
    found.push({ id, start, end, match, resource, path: steps.join('.'), values });
  }
  return found;
}

/**
 * The first value that makes the tests hold, its path, and the first one of each test; null: they
 * do not hold.
 */
function metBy(
  tests: ReadyTests,
  resource: Resource,
  {
    resources,
    isPart,
    around = new Map(),
  }: Pick<ResourceVersion, 'resources' | 'isPart'> & {
    around?: AroundHits;
  },
  /** The part of the resource in which the paths begin. */
  scope: Node = resource.node,
): { hit: Node | null; values: Node[]; path: string } | null {
  const values: Node[] = [];
  let hit: Node | null = null;
  let path = tests.length === 1 ? (tests[0]?.path ?? '') : '';
  for (const { path: own, paths, isAround, test } of tests) {
    const outside = scope === resource.node ? resource.around : resource.node;
    const from = isAround ? outside : scope;
    const known = isAround ? around.get(test)?.get(from) : undefined;
    if (known === false) return null;
    if (known === true) continue;
    const nodes = from === null ? [] : resources.valuesAt(from, paths);
    const hits = hitsOf(test, nodes, isPart);
    if (isAround) {
      const ofTest = around.get(test) ?? new Map<Node | null, boolean>();
      around.set(test, ofTest.set(from, hits !== null));
    }
    if (hits === null) return null;
    if (isAround || hits[0] === undefined) continue;
    values.push(hits[0]);
    if (hit !== null) continue;
    [hit] = hits;
    path = own;
  }
  return { hit, values, path };
}

/** How the values at a path differ, where both are known; null: they do not. */
function comparedAt(
  path: string,
  change: 'changed' | 'lowered' | 'raised',
  old: ResourceVersion,
  now: ResourceVersion,
): { now: string; note: string; node: Node | null } | null {
  const { paths, isAround } = readyPath(path);
  const valuesIn = ({ resource, resources }: ResourceVersion) => {
    const from = isAround ? resource.around : resource.node;
    const nodes = from === null ? [] : resources.valuesAt(from, paths);
    // A key that a document has twice means no more than one.
    return { nodes, text: [...new Set(nodes.map(writtenOut))].join(', ') };
  };
  const was = valuesIn(old);
  const is = valuesIn(now);
  const isUnknown = [...was.nodes, ...is.nodes].some(holdsComputed);
  if (isUnknown || was.nodes.length === 0 || is.nodes.length === 0) return null;
  if (was.text === is.text) return null;
  const texts = { before: shownText(was.text), now: shownText(is.text) };
  const isShown = texts.before !== OTHER || texts.now !== OTHER;
  const note = isShown
    ? `Before this change, ${path} was ${texts.before}; now it is ${texts.now}.`
    : `This change gives ${path} another value.`;
  const shown = { now: texts.now, note, node: is.nodes[0] ?? null };
  if (change === 'changed') return shown;
  const before = sizeOf(was.nodes);
  const after = sizeOf(is.nodes);
  return (change === 'lowered' ? after < before : after > before) ? shown : null;
}

const OTHER = 'another value';

function shownText(text: string): string {
  return text.length <= DOCUMENTS.SHOWN_CHARS_MAX ? text : OTHER;
}

/** The first number in a text, as in `~> 5.0`; of maps and lists, how many entries there are. */
function sizeOf(nodes: readonly Node[]): number {
  const [only, ...more] = nodes;
  if (only === undefined || more.length > 0) return nodes.length;
  if (only.kind === 'map') return only.entries.length;
  if (only.kind === 'list') return only.items.length;
  return Number(/\d+/.exec(only.value)?.[0] ?? 1);
}

function holdsComputed(node: Node): boolean {
  let isFound = false;
  walk(node, (one) => {
    isFound ||= one.kind === 'scalar' && one.computed === true;
  });
  return isFound;
}

/** The same for documents that mean the same: keys in order of their names. */
function writtenOut(node: Node): string {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return `[${node.items.map(writtenOut).join(', ')}]`;
  const entries = node.entries.map(({ key, value }) => `${key}: ${writtenOut(value)}`);
  return `{${entries.sort().join(', ')}}`;
}

function headOf({ start, headEnd }: Resource) {
  return { start, end: headEnd };
}

function headOfNode({ start }: Node) {
  return { start, end: start + 1 };
}

function textOf(node: Node | null): string {
  return node?.kind === 'scalar' ? node.value : '';
}

/** The addresses of resources that stand in texts of resources of a type. */
type NamedBy = (type: string) => ReadonlySet<string>;

/** Each text is searched once for all addresses: there may be thousands of both. */
function namedByType({ all, others }: Resources): NamedBy {
  const known = new Map<string, ReadonlySet<string>>();
  let addresses: string[] = [];
  let automaton: AhoCorasick | null = null;
  return (type) => {
    const before = known.get(type);
    if (before !== undefined) return before;
    const texts: string[] = [];
    for (const { type: own, node } of [...all, ...others()]) {
      if (own !== type) continue;
      walk(node, (one) => {
        if (one.kind === 'scalar') texts.push(one.value);
      });
    }
    if (automaton === null) {
      addresses = [...new Set(all.map(({ address }) => address))].filter(Boolean);
      const words = addresses.map((address) => Buffer.from(address));
      automaton = buildAhoCorasick(words, { caseSensitive: true });
    }
    const bytes = Buffer.from(texts.join('\n'));
    const named = new Set<string>();
    forEachMatch(automaton, bytes, { start: 0, end: bytes.length }, (id, end) => {
      // A longer name is another one.
      if (!/[\w-]/.test(String.fromCharCode(bytes[end] ?? 0))) named.add(addresses[id] ?? '');
    });
    known.set(type, named);
    return named;
  };
}

function isPossible(node: Node): boolean {
  return node.kind === 'scalar' && node.possible === true;
}

/** The values that make a test hold; none when their absence does; null: it does not hold. */
function hitsOf(test: ReadyTest, nodes: readonly Node[], isPart: boolean): readonly Node[] | null {
  const scalars = scalarsOf(nodes);
  const literals = scalars.filter(({ computed }) => computed !== true);
  const isUnknown = literals.length < scalars.length;
  // A value that is missing counts as the default; in a part it may stand elsewhere.
  const isMissing = nodes.length === 0 && !isPart;
  const usual = isMissing && test.default !== null ? test.default : null;
  let hits: readonly Node[] = [];
  if (test.atLeast > 0) {
    if (nodes.length < test.atLeast) return null;
    hits = nodes.slice(test.atLeast - 1);
  }
  if (test.repeats) {
    const seen = new Set<string>();
    const own = literals.filter(({ value }) => seen.size === seen.add(value).size);
    if (own.length === 0) return null;
    hits = own;
  }
  if (test.absent !== null) {
    const present = test.absent ? nodes : nodes.filter((node) => !isPossible(node));
    if (test.absent ? present.length > 0 || isPart : present.length === 0) return null;
    hits = present;
  }
  if (test.is !== null) {
    const own = literals.filter(({ value }) => test.is?.has(value.toLowerCase()));
    if (own.length === 0 && !(usual !== null && test.is.has(usual))) return null;
    hits = own;
  }
  if (test.not !== null) {
    if (isUnknown || (nodes.length === 0 && !isMissing)) return null;
    if (usual !== null && test.not.has(usual)) return null;
    if (literals.some(({ value }) => test.not?.has(value.toLowerCase()))) return null;
    hits = nodes;
  }
  if (test.matches !== null) {
    const own = scalars.filter(({ value }) => test.matches?.test(Buffer.from(value)));
    const isUsual = usual !== null && test.matches.test(Buffer.from(usual));
    if (own.length === 0 && !isUsual) return null;
    hits = own;
  }
  if (test.misses !== null) {
    if (isUnknown || (literals.length === 0 && usual === null)) return null;
    if (usual !== null && test.misses.test(Buffer.from(usual))) return null;
    if (literals.some(({ value }) => test.misses?.test(Buffer.from(value)))) return null;
    hits = literals;
  }
  if (test.unlike !== null) {
    if (scalars.some(({ value }) => test.unlike?.test(Buffer.from(value)))) return null;
    hits = nodes;
  }
  if (test.above !== null || test.below !== null) {
    const isWithin = (text: string) => {
      const number = text.trim() === '' ? Number.NaN : Number(text);
      return number > (test.above ?? -Infinity) && number < (test.below ?? Infinity);
    };
    const own = literals.filter(({ value }) => isWithin(value));
    if (own.length === 0 && !(usual !== null && isWithin(usual))) return null;
    hits = own;
  }
  return hits;
}
