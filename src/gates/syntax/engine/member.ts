import type { Use } from '../../../rules/catalogue/line.ts';
import { inherited, prototypeOf } from './prototype.ts';
import type { Run } from './run.ts';
import {
  at,
  clip,
  constantOf,
  join,
  mapOrigins,
  type Origin,
  outside,
  type Shape,
  TRUSTED,
  UNKNOWN,
} from './value.ts';

/** A client can't put another host or scheme into these; what is cut out of them it can. */
const OWN_PLACE: readonly Use[] = ['url', 'redirect'];
const PATHS: readonly Use[] = ['path'];
/** Of a package and what it makes; a longer path is not known. */
const PATH_CHARS_MAX = 160;

/** How a member is written, for messages, and where. */
export interface Written {
  readonly text: string;
  readonly offset: number;
}

/**
 * What a member of a value is in a language where all objects are tables of their members; `name`
 * null: any of them.
 */
export function memberOf(run: Run, base: Shape, name: string | null, written: Written): Shape {
  const own = cellsOf(run, base, name);
  if (own !== null) return own;
  if (name === null) return anyMember(run, base);
  const { knowledge } = run;
  if (name === knowledge.word('made-member')) {
    const prototype = prototypeOf(run, base);
    if (prototype !== null) return prototype;
  }
  const isFree = base.path === null && base.origins.length + base.objects.length === 0;
  const global =
    isFree && knowledge.is('globals', written.text) ? knowledge.free.get(name) : undefined;
  if (global !== undefined) return at(global);
  const special = memberOfRole(run, base, name, written);
  if (special !== null) return special;
  if (base.path !== null) {
    const found = dataAt(run, base, name, written);
    if (found !== null) return found;
  }
  const isFunction = base.closures.length > 0 || isFunctionPath(run, base.path);
  if (name === knowledge.word('constructor-member') && base.origins.length === 0) {
    const isMaker = isFunction || base.path === knowledge.word('constructor');
    return at(knowledge.word(isMaker ? 'function' : 'constructor'));
  }
  if (name === knowledge.word('prototype-member') && isFunction) {
    return at(knowledge.word('prototype'));
  }
  const isLiteral =
    base.constants !== null || run.objectsOf(base).some(([, { kind }]) => kind === 'list');
  if (isLiteral && knowledge.has('methods', name)) return at(knowledge.word('prototype'));
  if (base.origins.length > 0) {
    if (knowledge.has('numbers', name)) return TRUSTED;
    const held = valueAt(run, written.text);
    if (held !== null) return constantOf(held);
    return { ...partOfData(run, base, name), path: pathOf(run, base.path, name) };
  }
  if (name === 'length' && (base.objects.length > 0 || base.constants !== null)) return TRUSTED;
  if (knowledge.has('foreign', name)) {
    return outside('strong', written.text || name, run.placeOf(written.offset));
  }
  const path = pathOf(run, base.path, name);
  const held = valueAt(run, path ?? written.text);
  if (held !== null) return { ...constantOf(held), path };
  if (base.path !== null && knowledge.is('own-data', base.path)) return TRUSTED;
  const role = knowledge.roles.get(`. ${name}`);
  if (role !== undefined) return { ...UNKNOWN, role, path };
  if (path !== null) {
    // A part of what was made with a text is known by that as well: a pipe of a program.
    const { isTrusted, pattern } = base;
    return run.replaced.get(path) ?? { ...at(path), isTrusted, pattern };
  }
  if (isEmpty(run, base)) return constantOf(null);
  if (base.isTrusted || isFixed(run, base)) return TRUSTED;
  if (!knowledge.is('constant', name)) return UNKNOWN;
  return { ...TRUSTED, path: `constant.${name}` };
}

/** What an object holds under a name; null: nothing that is known. */
function cellsOf(run: Run, base: Shape, name: string | null): Shape | null {
  const objects = run.objectsOf(base);
  if (objects.length === 0) return null;
  let found: Shape | null = null;
  for (const [id, object] of objects) {
    const known = name === null ? anyCell(run, object) : run.cellOf(id, object, name);
    const cell =
      known ??
      (name === null
        ? null
        : (gotten(run, base, id, object, name) ?? inherited(run, object, name)));
    const isElement = name !== null && object.kind === 'list' && !/^\d+$/.test(name);
    if (cell === null || (isElement && !object.cells.has(name))) continue;
    found = found === null ? cell : join(found, cell);
  }
  if (found === null || base.origins.length === 0) return found;
  return join(found, { ...UNKNOWN, origins: base.origins });
}

/** What a getter of the object's class gives; null: it has none of the name. */
function gotten(
  run: Run,
  base: Shape,
  id: number,
  { type }: Parameters<Run['contentsOf']>[0],
  name: string,
): Shape | null {
  const method = type === null ? null : run.parts.methodOf(run, type, name, 0);
  if (method?.kind !== 'getter') return null;
  return run.parts.follow(run, method.id, [], { ...base, objects: [id] });
}

function anyCell(run: Run, object: Parameters<Run['contentsOf']>[0]): Shape | null {
  if (object.kind === 'instance' && object.isOpen) return null;
  const all = run.contentsOf(object);
  const [first, ...rest] = all;
  if (first === undefined) return null;
  const joined = rest.reduce(join, first);
  return joined.constants === null ? joined : { ...joined, constants: null };
}

/** A member whose name is not known: of a module, any of its functions. */
function anyMember(run: Run, base: Shape): Shape {
  if (base.origins.length > 0) return partOfData(run, base, null);
  if (base.path !== null && !base.path.includes('()')) return at(`${base.path}.*`);
  if (isEmpty(run, base)) return constantOf(null);
  return base.isTrusted || isFixed(run, base) ? TRUSTED : UNKNOWN;
}

/** The text that a member holds in every program; null: it may hold any. */
function valueAt(run: Run, path: string): string | null {
  const [, value] = run.knowledge.rows('value').find(([own]) => own === path) ?? [];
  return value ?? null;
}

/** An object that was made here, with nothing in it so far. */
function isEmpty(run: Run, base: Shape): boolean {
  const objects = run.objectsOf(base);
  return (
    objects.length > 0 &&
    objects.every(([, { kind, type, isOpen, cells, rest }]) => {
      return kind === 'table' && type === null && !isOpen && cells.size === 0 && rest === null;
    })
  );
}

/** The path of a member of what has that path; null: it is not known. */
export function pathOf(run: Run, path: string | null, name: string): string | null {
  if (path === null) return null;
  if (name === 'default') return path;
  const next = `${path}.${name}`;
  if (next.length <= PATH_CHARS_MAX) return next;
  return run.knowledge.isKnown(path) ? next.slice(-PATH_CHARS_MAX) : null;
}

/** A function that every program has, or what all functions inherit from. */
function isFunctionPath(run: Run, path: string | null): boolean {
  if (path === null) return false;
  return path === run.knowledge.word('prototype') || run.knowledge.has('functions', path);
}

/** All that the program has written into an object is its own. */
function isFixed(run: Run, base: Shape): boolean {
  const objects = run.objectsOf(base);
  return (
    objects.length > 0 &&
    objects.every(([, object]) => {
      if (object.isOpen || object.cells.size === 0) return false;
      return run.contentsOf(object).every(({ isTrusted }) => isTrusted);
    })
  );
}

/** A member of something that is known by its role: data, another role, or null. */
function memberOfRole(run: Run, base: Shape, name: string, written: Written): Shape | null {
  const { role } = base;
  const { knowledge } = run;
  if (role === null) return null;
  const next = knowledge.roles.get(`${role} ${name}`);
  if (next !== undefined) return next.includes('.') ? at(next) : { ...UNKNOWN, role: next };
  const place = run.placeOf(written.offset);
  const text = written.text || name;
  if (knowledge.has(`operator:${role}`, name)) return outside('operator', text, place);
  if (!knowledge.has(`data:${role}`, name)) return null;
  const isWhole = knowledge.has('whole', name);
  const mayBeObject = isWhole || knowledge.has('object', name);
  const safeFor = knowledge.has('own-place', name) ? OWN_PLACE : [];
  return {
    ...outside('strong', clip(text), place, { isWhole, mayBeObject, safeFor }),
    path: pathOf(run, base.path, name),
  };
}

/** Data that a line of the catalogue says a member to be; null: no line does. */
function dataAt(run: Run, base: Shape, name: string, written: Written): Shape | null {
  const path = pathOf(run, base.path, name);
  const { readAt } = run.knowledge.catalogue;
  const line = readAt({ name, origin: path, receiver: null, receiverPath: null });
  if (line === null || line.decorator === true) return null;
  const isWhole = line.whole === true;
  const mayBeObject = isWhole || line.object === true;
  const shape = { isWhole, mayBeObject, safeFor: line.safeFor ?? [] };
  const text = clip(written.text || name);
  return { ...outside('strong', text, run.placeOf(written.offset), shape), path };
}

const TEXT_CHARS_MAX = 80;
/** Members of members of a parameter that are kept apart. */
const PARTS_MAX = 4;

/** Data under a key; its parts are no longer bound to the sender's own place. */
export function partOfData(run: Run, shape: Shape, name: string | null): Shape {
  const { knowledge } = run;
  const isHost = name !== null && knowledge.is('host', name);
  const part = mapOrigins({ ...UNKNOWN, origins: shape.origins }, (origin): Origin => {
    const text = partText(origin.text, name);
    const isStored = knowledge.is('stored', origin.text) && knowledge.has('stored', name ?? '');
    const isOwnHost = isHost && knowledge.is('headers', origin.text);
    const isOfUrl =
      origin.isUrl && (isHost || name === null || /^(?:origin|address|\d+)$/.test(name));
    return {
      ...origin,
      text: isTooDeep(origin, text) ? origin.text : text,
      isWhole: false,
      safeFor: isOwnHost ? OWN_PLACE : isStored ? PATHS : [],
      hostOf: isOfUrl ? origin.text : null,
      isUrl: false,
      isResolved: false,
    };
  });
  return part;
}

/** Parts of parts have no name of their own: a walk through a tree would make new ones for ever. */
function isTooDeep({ strength }: Origin, text: string): boolean {
  if (text.length > TEXT_CHARS_MAX) return true;
  return strength === 'weak' && text.split(/[.[]/).length > PARTS_MAX;
}

function partText(text: string, name: string | null): string {
  if (name === null) return `${text}[...]`;
  return text === 'parameter' ? name : `${text}.${name}`;
}

/** What a name that nothing declares stands for. */
export function freeName(run: Run, name: string, offset: number): Shape {
  const { knowledge } = run;
  if (name === knowledge.word('missing')) return constantOf(null);
  if (knowledge.has('local', name) || knowledge.is('constant', name)) return TRUSTED;
  const role = knowledge.roles.get(name);
  if (role !== undefined) return { ...UNKNOWN, role };
  const path = knowledge.free.get(name);
  if (path !== undefined) return at(path);
  if (knowledge.has('operator', name)) return outside('operator', name, run.placeOf(offset));
  if (knowledge.has('source', name)) return outside('strong', name, run.placeOf(offset));
  return UNKNOWN;
}
