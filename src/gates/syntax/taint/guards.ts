import { bare, child, childNodes, fixedName, list, memberPath, type SyntaxNode } from './node.ts';
import type { Run } from './run.ts';
import { guardPath } from './scope.ts';
import { type Source, TRUSTED, type Use, type Value } from './value.ts';

/** What a call in a condition makes data safe for, when it gives true and when false. */
interface Guard {
  whenTrue: readonly Use[];
  whenFalse: readonly Use[];
}

const NONE: Guard = { whenTrue: [], whenFalse: [] };
const PLACES: readonly Use[] = ['path', 'url', 'redirect'];
const ALL: readonly Use[] = [...PLACES, 'key', 'html'];

/** Nodes of a condition that are searched for the data it is about. */
const NODES_MAX = 48;
/** Functions that tell whether a file lies in a directory. */
const INSIDE = /(?:inside|within|contained|subpath|subdir|underroot|withinroot)/i;
/** Functions that tell whether data is one of the allowed. */
const ALLOWING = /allow|whitelist|permitted|trusted|is_?safe|safe(?:url|path|redirect|host|key)/i;
/** Functions that tell whether an address is on the own host. */
const OWN = /^is(?:Local|Relative|Same(?:Origin|Host|Site)|Own)[A-Z]/;
/** Functions that tell whether an address is one that outsiders must not reach. */
const REFUSING =
  /private|internal|loopback|blocked|forbidden|reserved|(?:un|not)safe|denied|suspicious/i;
/** Statements that throw when it is not as they say. */
const ASSERTING =
  /^(?:assert|ensure|check|validate|verify|require|guard|enforce|restrict|reject|refuse)\w*(?:path|url|uri|host|safe|allowed|public|inside|within|root|ssrf|origin|redirect|traversal|domain|key)/i;
const HOST_MEMBERS = /^(?:hostname|host|origin)$/;
const HOST_PART = /\.(?:hostname|host|origin|address)\b.*$/;
const DENIED_KEYS = /^(?:__proto__|constructor|prototype)$/;
/** Lists that name what is refused. */
export const DENY_LIST =
  /block|forbid|deny|denied|danger|unsafe|black|proto|reserved|disallow|banned/i;

/** What a call that gives true or false tells of the data in it, as facts for a scope. */
export function callGuard(
  run: Run,
  node: SyntaxNode,
  name: string,
): { whenTrue: Map<string, Value>; whenFalse: Map<string, Value> } {
  const callee = bare(child(node, 'callee'));
  const args = list(node, 'arguments').map((argument) => child(argument, 'expression'));
  const receiver = child(callee, 'object');
  const { whenTrue, whenFalse } = guardOf(run, name, receiver, args);
  return { whenTrue: facts(run, node, whenTrue), whenFalse: facts(run, node, whenFalse) };
}

function guardOf(
  run: Run,
  name: string,
  receiver: SyntaxNode | null,
  args: readonly (SyntaxNode | null)[],
): Guard {
  const [first = null] = args;
  const text = constantOf(run, first);
  switch (name) {
    case 'startsWith':
      return prefixGuard(text);
    case 'endsWith':
      return isHost(receiver) && text?.startsWith('.') === true
        ? places(['url', 'redirect'])
        : NONE;
    case 'includes':
    case 'has':
    case 'hasOwn':
    case 'contains':
      return membershipGuard(text, receiver, args.at(-1) ?? null);
    case 'test': {
      const pattern = constantOf(run, receiver) ?? '';
      if (/\\\.\\?\.|\.\.|\\\.\{2/.test(pattern)) return { whenTrue: [], whenFalse: ['path'] };
      return /^\^https\?*:\\\/\\\/[\w\\.-]+/.test(pattern) ? places(['url', 'redirect']) : NONE;
    }
  }
  if (INSIDE.test(name)) return places(['path']);
  if (OWN.test(name)) return places(['url', 'redirect']);
  if (REFUSING.test(name)) return { whenTrue: [], whenFalse: PLACES };
  return ALLOWING.test(name) ? { whenTrue: ALL, whenFalse: [] } : NONE;
}

function places(uses: readonly Use[]): Guard {
  return { whenTrue: uses, whenFalse: [] };
}

/** `p.startsWith(root + sep)`, `rel.startsWith('..')`, `url.startsWith('https://a.example/')`. */
function prefixGuard(text: string | null): Guard {
  if (text === null) return places(PLACES);
  if (text.startsWith('..')) return { whenTrue: [], whenFalse: ['path'] };
  if (text === '/') return places(['redirect']);
  if (text === '//' || text === '.') return NONE;
  if (/^https?:\/\/[^/]+\//.test(text)) return places(['url', 'redirect']);
  return /^\/[^/]/.test(text) ? places(PLACES) : NONE;
}

/** `name.includes('..')`, `HOSTS.includes(url.hostname)`, `DENIED.has(key)`. */
function membershipGuard(
  text: string | null,
  list: SyntaxNode | null,
  item: SyntaxNode | null,
): Guard {
  if (text?.includes('..') === true) return { whenTrue: [], whenFalse: ['path'] };
  if (isHost(item)) return places(['url', 'redirect']);
  return DENY_LIST.test(memberPath(list) ?? '') ? { whenTrue: [], whenFalse: ['key'] } : NONE;
}

/** `url.hostname === 'a.example'`, `key === '__proto__'`, `x.indexOf('..') === -1`. */
export function equalityGuard(
  run: Run,
  one: SyntaxNode | null,
  other: SyntaxNode | null,
): { whenTrue: Map<string, Value>; whenFalse: Map<string, Value> } | null {
  if (isHost(one)) return { whenTrue: facts(run, one, ['url', 'redirect']), whenFalse: new Map() };
  const text = constantOf(run, other) ?? '';
  if (DENIED_KEYS.test(text)) return { whenTrue: new Map(), whenFalse: facts(run, one, ['key']) };
  return null;
}

/** `x.indexOf('..')`, `p.indexOf(root)`: what the position tells when it is -1 and when 0. */
export function positionGuard(
  run: Run,
  node: SyntaxNode,
): { absent: Map<string, Value>; first: Map<string, Value> } {
  const [argument] = list(node, 'arguments');
  const text = constantOf(run, child(argument ?? null, 'expression'));
  const isDots = text?.includes('..') === true;
  return {
    absent: isDots ? facts(run, node, ['path']) : new Map(),
    first: text === null ? facts(run, node, PLACES) : new Map(),
  };
}

/** A call that stands alone and throws: `assertPublicUrl(url)`. */
export function assertionGuard(run: Run, node: SyntaxNode, name: string): Map<string, Value> {
  return ASSERTING.test(name) ? facts(run, node, ALL) : new Map();
}

/** Whether it is the host of an address. */
function isHost(node: SyntaxNode | null): boolean {
  const inner = bare(node);
  if (inner?.type === 'Identifier') return HOST_MEMBERS.test(memberPath(inner) ?? '');
  if (inner?.type !== 'MemberExpression') return false;
  return HOST_MEMBERS.test(fixedName(child(inner, 'property')) ?? '');
}

/** All data from outside in a condition, as safe for the uses. */
function facts(run: Run, node: SyntaxNode | null, uses: readonly Use[]): Map<string, Value> {
  const found = new Map<string, Value>();
  if (uses.length === 0 || node === null) return found;
  for (const source of sourcesIn(run, node)) {
    // What is known of an address' host is known of the address.
    const text = uses.includes('url') ? source.text.replace(HOST_PART, '') : source.text;
    for (const use of uses) found.set(guardPath(use, { ...source, text }), TRUSTED);
  }
  return found;
}

/** Data from outside that names and members within a node hold. */
function sourcesIn(run: Run, root: SyntaxNode): Source[] {
  const sources: Source[] = [];
  const todo: SyntaxNode[] = [root];
  let count = 0;
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    count += 1;
    if (count > NODES_MAX) break;
    const inner = bare(node);
    if (inner === null) continue;
    // `new URL(target).hostname` is about the target, `url.hostname` about the url.
    for (const part of [inner, bare(child(inner, 'object'))]) {
      const value = part === null ? null : smallValue(run, part);
      if (value?.source != null) sources.push(value.source);
    }
    for (const part of childNodes(inner)) if (part.type !== 'Computed') todo.push(part);
  }
  return sources;
}

function constantOf(run: Run, node: SyntaxNode | null): string | null {
  return smallValue(run, node)?.constant ?? null;
}

/**
 * A name, a chain of members or a literal, evaluated once more; null for anything larger: to
 * evaluate it again at every level of nesting would take exponential time.
 */
export function smallValue(run: Run, node: SyntaxNode | null): Value | null {
  const inner = bare(node);
  const isSmall = memberPath(inner) !== null || inner?.type?.endsWith('Literal') === true;
  return isSmall && inner?.type !== 'TemplateLiteral' ? run.evaluate(inner) : null;
}
