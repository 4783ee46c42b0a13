import { USES } from '../../../rules/catalogue/line.ts';
import type { ClassId, Constant, Expression, Type } from '../il/il.ts';
import { lineSiteOf } from './check-lines.ts';
import { membership as keyedMembership } from './facts.ts';
import { membership, telling, verdictOf } from './guard.ts';
import { dottedName, memberPath } from './names.ts';
import { memberOfData, SAME_HOST_USES, SERVED_PATH } from './partial-data.ts';
import { inherited, prototypeOf } from './prototype.ts';
import { typeValue } from './roles.ts';
import type { Run } from './run.ts';
import { loadMember } from './shared-state.ts';
import { methodOf, methodsOf, specialResult } from './summary.ts';
import { folded } from './text.ts';
import {
  at,
  changed,
  clip,
  constantOf,
  derive,
  isBlank,
  isOutside,
  isRandom,
  join,
  joinAll,
  madeSafe,
  onlyConstant,
  outside,
  RANDOM,
  type Shape,
  TRUSTED,
  UNKNOWN,
  union,
} from './value.ts';

type Of<F extends Expression['form']> = Expression & { readonly form: F };

/** The only cell of a box: what a pointer leads to where that has no object of its own. */
export const POINTED = '*';

/** How a member is written, for messages, and where. */
export interface Written {
  readonly text: string;
  readonly offset: number;
  /** How what it is a member of is written, by names alone; null: otherwise. */
  readonly holder?: string | null;
  /** It is called at once: a method is looked up by its name there. */
  readonly isCalled?: true;
}

/** What a name stands for that the file does not declare. */
export function nameValue(run: Run, { name, path, start }: Of<'name'>): Shape {
  if (path === null) return checkable(run, freeName(run, name, start), `? ${name}`);
  // Data in a file of the program's own is its own.
  return run.knowledge.is('own-data', path) ? changed(TRUSTED, { path }) : run.at(path);
}

/** A value of which nothing is known, with what checks under that name have proved of it. */
export function checkable(run: Run, value: Shape, name: string): Shape {
  if (!isBlank(value)) return value;
  const safe = run.state.safeUses(name);
  if (safe.length === USES.length) return TRUSTED;
  return changed(value, { checkedAs: name, safeFor: union(value.safeFor, safe) });
}

/** A field, by what is known of the object, by a line of the catalogue, or as a part of data. */
export function memberValue(run: Run, expression: Of<'member'>): Shape {
  const { object, name, start } = expression;
  const base = run.evaluate(object);
  const path = dottedName(run, expression);
  const text = path ?? (run.knowledge.traits.has('keys') ? '' : clip(run.textOf(expression)));
  const written = { text, offset: start, holder: dottedName(run, object) };
  const known = memberOf(run, base, name, written);
  const part = base.passed === null ? known : changed(known, { passed: base.passed });
  const own = isBlank(known) ? (loadMember(run, object, base, name) ?? part) : known;
  const before = base.checkedAs ?? (base.role === null ? null : `? ${path ?? ''}`);
  const value = before === null ? own : checkable(run, own, `${before}.${name}`);
  // What the browser writes for elements that are in a page already.
  const isMarkup = run.knowledge.has('page-markup', name);
  const isOpen = value.origins.length === 0 && value.path === null && value.objects.length === 0;
  return isMarkup && isOpen ? changed(value, { safeFor: union(value.safeFor, ['html']) }) : value;
}

/** An element of a list, or what an object holds under a key. */
export function elementValue(run: Run, expression: Of<'index'>): Shape {
  const { object, key, start } = expression;
  const base = run.evaluate(object);
  const keyed = run.evaluate(key);
  const special = specialResult(run, 'element-as', base, [keyed]);
  if (special !== null) return special;
  const index = onlyConstant(keyed);
  const isKey = run.knowledge.traits.has('keys');
  if (index !== undefined) {
    const character = folded([base, keyed], ([text, place]) =>
      typeof text === 'string' && typeof place === 'number' ? text.at(place) : undefined,
    );
    if (character !== null) return character;
    if (!isKey) return elementAt(run, base, index);
  }
  if (index !== undefined && index !== null) {
    const before = dottedName(run, object);
    const text = before === null ? '' : `${before}.${index}`;
    return memberOf(run, base, String(index), { text, offset: start });
  }
  // `letters[Math.floor(Math.random() * letters.length)]` can be guessed as the number can.
  if (isRandom(keyed)) return RANDOM;
  // What is there under a key tells that the key is one of the program's.
  if (isKey) {
    const value = memberOf(run, base, null, { text: '', offset: start });
    return telling(keyedMembership(run, base, keyed, object), value);
  }
  const element = run.elementOf(base);
  const isTable = run.objectsOf(base).some(([, { kind }]) => kind === 'table');
  const value = isTable ? changed(element, { constants: null }) : element;
  return telling(verdictOf(membership(run, keyed, base)), value);
}

/** What stands at an index or under a key that is known, apart from fields of the object. */
function elementAt(run: Run, base: Shape, index: Constant): Shape {
  const cells = run.objectsOf(base).flatMap(([, one]) => {
    const isFromEnd = typeof index === 'number' && index < 0 && one.length !== null;
    const place = isFromEnd ? (one.length ?? 0) + index : index;
    const cell = one.cells.get(String(place)) ?? one.rest;
    // What is spread over an object may hold any key.
    const isOpen = one.isOpen || (one.kind === 'table' && base.origins.length > 0);
    return cell ?? (isOpen ? [] : [constantOf(null)]);
  });
  const isMissing = run.knowledge.is('fills', base.path ?? '') && typeof index === 'string';
  const isThere = run.objectsOf(base).some(([, one]) => one.cells.has(String(index)));
  if (isMissing && !isThere) {
    const list = run.list([]);
    run.write(base, index, list);
    return list;
  }
  if (cells.length > 0) return cells.reduce(join);
  // A key of data names a part of it, and tells nothing of the others.
  if (typeof index === 'string' && base.origins.length > 0) return memberOfData(run, base, index);
  const element = run.elementOf(base);
  const isMade = base.path?.endsWith(')') === true && element.path === null;
  return isMade && typeof index === 'number' ? changed(element, { path: base.path }) : element;
}

/** What a member of a value is; `name` null: any of them. */
export function memberOf(run: Run, base: Shape, name: string | null, written: Written): Shape {
  const own = cellsOf(run, base, name);
  if (own !== null) return own;
  if (name === null) return anyMember(run, base);
  const isOfEnum = base.namedType !== null && run.classOf(base.namedType)?.kind === 'enum';
  if (isOfEnum && name === run.knowledge.word('enum-value'))
    return changed(base, { namedType: null });
  const length = run.knowledge.is('list-length', name) ? lengthOf(run, base) : null;
  if (length !== null) return constantOf(length);
  return (
    declaredMember(run, base, name, written) ??
    (run.knowledge.traits.has('keys')
      ? madeMember(run, base, name)
      : specialResult(run, 'read-as', base, [constantOf(name)])) ??
    globalMember(run, base, name, written) ??
    memberOfRole(run, base, name, written) ??
    dataAt(run, base, name, written) ??
    inheritedMember(run, base, name) ??
    (base.origins.length > 0
      ? dataMember(run, base, name, written)
      : plainMember(run, base, name, written))
  );
}

/** The number of elements of the one list that a value is; null: it is not known. */
function lengthOf(run: Run, base: Shape): number | null {
  const [only, ...others] = run.objectsOf(base);
  const isOne = only !== undefined && others.length === 0 && base.origins.length === 0;
  return isOne && only[1].kind === 'list' && !only[1].isOpen ? only[1].length : null;
}

/** What an object holds under a name; null: nothing that is known. */
function cellsOf(run: Run, base: Shape, name: string | null): Shape | null {
  const objects = run.objectsOf(base);
  if (objects.length === 0) return null;
  let found: Shape | null = null;
  for (const [id, object] of objects) {
    const cell =
      name === null
        ? anyCell(run, object)
        : (run.cellOf(id, object, name) ?? inherited(run, object, name));
    const isElement = name !== null && object.kind === 'list' && !/^\d+$/.test(name);
    if (cell === null || (isElement && !object.cells.has(name))) continue;
    found = found === null ? cell : join(found, cell);
  }
  // Of an object of a class of the file each field is known by itself.
  const isApart = objects.every(([, { type }]) => type !== null);
  if (found === null || isApart || base.origins.length === 0) return found;
  return join(found, changed(UNKNOWN, { origins: base.origins }));
}

function anyCell(run: Run, object: Parameters<Run['contentsOf']>[0]): Shape | null {
  if (object.kind === 'instance' && object.isOpen) return null;
  const all = run.contentsOf(object);
  const [first, ...rest] = all;
  if (first === undefined) return null;
  const joined = rest.reduce(join, first);
  return joined.constants === null ? joined : changed(joined, { constants: null });
}

/** A method of the object's class, or what a getter gives; null: it has neither. */
function declaredMember(run: Run, base: Shape, name: string, { isCalled }: Written): Shape | null {
  // Few members are methods, and classes may have thousands of these.
  if (!run.namesMethod(name, isCalled)) return null;
  if (base.ownClass !== null) {
    const method = methodOf(run, base.ownClass, name, -1);
    if (method?.body == null || name === '<init>' || method.kind === 'setter') return null;
    if (method.kind === 'getter') {
      const objects = run.objectsOf(base).map(([id]) => id);
      return run.parts.follow(run, method.id, [], changed(base, { objects }));
    }
    if (isCalled === true) return null;
    return changed(UNKNOWN, { closures: [{ kind: 'function', id: method.id, self: base }] });
  }
  const found = run.objectsOf(base).flatMap(([id, { type, isOpen }]) => {
    if (type === null) return [];
    const self = changed(base, { objects: [id] });
    if (isCalled === true) {
      const own = methodOf(run, type, name, 0);
      return own?.kind === 'getter' ? [run.parts.follow(run, own.id, [], self)] : [];
    }
    return methodsOf(run, type, name, -1, isOpen).flatMap((method): readonly Shape[] => {
      if (method.kind === 'setter') return [];
      if (method.kind === 'getter') return [run.parts.follow(run, method.id, [], self)];
      return [changed(UNKNOWN, { closures: [{ kind: 'function', id: method.id, self }] })];
    });
  });
  return found.length === 0 ? null : joinAll(found);
}

/** What objects inherit that a function makes; null: another member. */
function madeMember(run: Run, base: Shape, name: string): Shape | null {
  return name === run.knowledge.word('made-member') ? prototypeOf(run, base) : null;
}

/** What an object embeds under the name of its type; null: nothing of that name. */
function inheritedMember(run: Run, base: Shape, name: string): Shape | null {
  if (!run.knowledge.traits.has('embeds')) return null;
  for (const [, { type }] of run.objectsOf(base)) {
    if (type === null || base.ownClass === type) continue;
    const embedded = baseNamed(run, type, name, 0);
    if (embedded !== null) return embedded.own === null ? typeValue(run, embedded) : base;
  }
  return null;
}

/** A base of a type, or of its bases, by its last name; null when absent. */
function baseNamed(run: Run, id: ClassId, name: string, depth: number): Type | null {
  const bases = run.classOf(id)?.bases ?? [];
  const own = bases.find((one) => nameOf(one) === name);
  if (own !== undefined || depth > BASES_DEEP_MAX) return own ?? null;
  for (const base of bases) {
    const inner = base.own === null ? null : baseNamed(run, base.own, name, depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}

/** Bases of bases; real types have one or two. */
const BASES_DEEP_MAX = 4;

/** The last name of a type. */
function nameOf({ name }: Type): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** A member whose name is not known: of a module, any of its functions. */
function anyMember(run: Run, base: Shape): Shape {
  if (base.origins.length > 0) return memberOfData(run, base, null);
  if (base.path !== null && !base.path.includes('()')) return at(`${base.path}.*`);
  if (isEmpty(run, base)) return constantOf(null);
  return base.isTrusted || isFixed(run, base) ? TRUSTED : UNKNOWN;
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

/** A member of the object that holds what every program has; null: it is something else. */
function globalMember(run: Run, base: Shape, name: string, { text }: Written): Shape | null {
  const { knowledge } = run;
  const isFree = base.path === null && base.origins.length + base.objects.length === 0;
  if (!isFree || !knowledge.is('globals', text)) return null;
  const global = knowledge.free.get(name);
  return global === undefined ? null : at(global);
}

/** A part of data from outside. */
function dataMember(run: Run, base: Shape, name: string, written: Written): Shape {
  const { knowledge } = run;
  const isNumber = knowledge.is('number-name', name) && base.origins.every((one) => !one.isWhole);
  if (isNumber || knowledge.has('numbers', name)) return TRUSTED;
  const held = valueAt(run, written.text);
  if (held !== null) return constantOf(held);
  const path = memberPath(run, base.path, name);
  // A part of a path is as much of it as was checked.
  const isFile = knowledge.is('file', path ?? '');
  const data = changed(isFile ? derive([base]) : memberOfData(run, base, name), { path });
  const isLast = knowledge.is('base-name', name) || (isFile && knowledge.is('last-name', name));
  return isLast ? madeSafe(data, ['path']) : data;
}

/** A member of what is the program's own, or a package's. */
function plainMember(run: Run, base: Shape, name: string, written: Written): Shape {
  const { knowledge } = run;
  const inherent = inherentMember(run, base, name);
  if (inherent !== null) return inherent;
  if (knowledge.has('numbers', name)) return TRUSTED;
  if (knowledge.has('foreign', name)) {
    return outside('strong', written.text || name, run.placeOf(written.offset));
  }
  if (knowledge.is('failure', name)) return changed(TRUSTED, { isPresent: true });
  const path = memberPath(run, base.path, name);
  const held = valueAt(run, path ?? written.text);
  if (held !== null) return changed(constantOf(held), { path });
  if (base.path !== null && knowledge.is('own-data', base.path)) return TRUSTED;
  const role = knowledge.roles.get(`. ${name}`);
  if (role !== undefined) return changed(UNKNOWN, { role, path });
  if (path !== null) {
    const isTrusted = base.isTrusted || knowledge.is('constant', name);
    // A part of what was made with a text is known by that as well: a pipe of a program.
    return run.replaced.get(path) ?? changed(at(path), { isTrusted, pattern: base.pattern });
  }
  if (isAbsent(run, base)) return constantOf(null);
  if (base.isTrusted || isFixed(run, base)) return TRUSTED;
  if (!knowledge.is('constant', name)) return UNKNOWN;
  // A class beside the file has no path but its name.
  const isOfClass = knowledge.traits.has('package') && /^[A-Z]\w*$/.test(written.holder ?? '');
  return changed(TRUSTED, { path: isOfClass ? `./${written.holder}.${name}` : `constant.${name}` });
}

/** The text that a member holds in every program; null: it may hold any. */
function valueAt(run: Run, path: string): string | null {
  const [, value] = run.knowledge.rows('value').find(([own]) => own === path) ?? [];
  return value ?? null;
}

/** What functions, texts and lists have by themselves; null: another member. */
function inherentMember(run: Run, base: Shape, name: string): Shape | null {
  const { knowledge } = run;
  const isFunction = base.closures.length > 0 || isFunctionPath(run, base.path);
  if (name === knowledge.word('constructor-member')) {
    const isMaker = isFunction || base.path === knowledge.word('constructor');
    return at(knowledge.word(isMaker ? 'function' : 'constructor'));
  }
  if (name === knowledge.word('prototype-member') && isFunction) {
    return at(knowledge.word('prototype'));
  }
  const isLiteral =
    base.constants !== null || run.objectsOf(base).some(([, { kind }]) => kind === 'list');
  return isLiteral && knowledge.has('methods', name) ? at(knowledge.word('prototype')) : null;
}

/** Whether an object that is known has only the members that it is known to hold. */
function isAbsent(run: Run, base: Shape): boolean {
  if (run.knowledge.traits.has('keys')) return isEmpty(run, base);
  const [first] = run.objectsOf(base);
  return first !== undefined && first[1].type !== null && !first[1].isOpen;
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
  if (next !== undefined) return next.includes('.') ? at(next) : changed(UNKNOWN, { role: next });
  const place = run.placeOf(written.offset);
  const text = written.text || name;
  if (knowledge.has(`operator:${role}`, name)) return outside('operator', text, place);
  if (!knowledge.has(`data:${role}`, name)) return null;
  const isWhole = knowledge.has('whole', name);
  const mayBeObject = isWhole || knowledge.has('object', name);
  const isOwn = knowledge.has('own-place', name);
  const isPath = isOwn && knowledge.has('served-path', name) && knowledge.has('answers', role);
  const uses = isPath ? SERVED_PATH : { safeFor: isOwn ? SAME_HOST_USES : [] };
  return {
    ...outside('strong', clip(text), place, { isWhole, mayBeObject, ...uses }),
    path: memberPath(run, base.path, name),
  };
}

/** What a line of the catalogue says a member to be: data, or what is another one's; or null. */
function dataAt(run: Run, base: Shape, name: string, written: Written): Shape | null {
  const { knowledge } = run;
  const path = memberPath(run, base.path, name);
  const receiverPath = written.holder ?? null;
  const given = knowledge.given({ name, path: path ?? '', receiverPath });
  if (given !== null) return at(given);
  const site = lineSiteOf(run, { name, path, receiver: base, receiverPath });
  const line = knowledge.catalogue.readAt(site);
  if (line === null || line.decorator === true) return null;
  // What forms and the like looked at.
  const isChecked = knowledge.is('checked-name', name);
  if (!isChecked && isOutside(base)) return null;
  const isWhole = line.whole === true;
  const mayBeObject = isWhole || line.object === true;
  const shape = { isWhole, mayBeObject, safeFor: line.safeFor ?? [] };
  const text = clip(written.text || name);
  const place = run.placeOf(written.offset);
  return changed(outside(isChecked ? 'checked' : 'strong', text, place, shape), { path });
}

/** What a name that nothing declares stands for. */
export function freeName(run: Run, name: string, offset: number): Shape {
  const { knowledge } = run;
  if (name === knowledge.word('missing')) return constantOf(null);
  if (knowledge.is('failure', name)) return changed(TRUSTED, { isPresent: true });
  // Constants that stand elsewhere.
  if (knowledge.has('local', name) || knowledge.is('constant', name)) return TRUSTED;
  const role = knowledge.roles.get(name);
  if (role !== undefined) return changed(UNKNOWN, { role });
  const path = knowledge.free.get(name);
  if (path !== undefined) return at(path);
  if (knowledge.has('operator', name)) return outside('operator', name, run.placeOf(offset));
  if (knowledge.has('source', name)) return outside('strong', name, run.placeOf(offset));
  return UNKNOWN;
}
