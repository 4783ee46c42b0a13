import { TAINT } from '../../limits.ts';
import type { Expression, Type } from '../il/il.ts';
import { assignedValue } from './assign.ts';
import { callValue, optionOf, tagValue } from './call.ts';
import { checkPattern, checkProperty } from './check-sinks.ts';
import { itemsOf, readText } from './container.ts';
import { opposite, telling, verdictOf } from './guard.ts';
import { checkable, elementValue, memberValue, nameValue } from './member.ts';
import { binaryValue, chosenValue, logicValue, unaryValue } from './operators.ts';
import { memberOfData } from './partial-data.ts';
import { holdMember, memberToBe } from './prototype.ts';
import { asNamed, ownValue, typeValue } from './roles.ts';
import type { Run } from './run.ts';
import { factsOn } from './state.ts';
import { folded, sliced } from './text.ts';
import {
  build,
  changed,
  constantOf,
  derive,
  isRandom,
  join,
  onlyConstant,
  RESULT,
  type Shape,
  TRUSTED,
  together,
  UNKNOWN,
} from './value.ts';

/** What is known of an expression. Looks at all calls within. */
export function evaluate(run: Run, expression: Expression): Shape {
  run.count();
  switch (expression.form) {
    case 'constant':
      return run.constantOf(expression.value);
    case 'load': {
      const value = run.state.get(expression.variable) ?? UNKNOWN;
      return value.checkedAs === null ? value : checkable(run, value, value.checkedAs);
    }
    case 'name':
      return nameValue(run, expression);
    case 'class':
      return changed(UNKNOWN, { ownClass: expression.id });
    case 'member':
      return memberValue(run, expression);
    case 'index':
      return elementValue(run, expression);
    case 'call':
    case 'new':
    case 'apply':
      return callValue(run, expression);
    case 'text':
      return textValue(run, expression);
    case 'tag':
      return tagValue(run, expression);
    case 'list':
      return listValue(run, expression.items);
    case 'spread':
      return run.elementOf(run.evaluate(expression.value));
    case 'object':
      return objectValue(run, expression);
    case 'rest':
      return restValue(run, expression);
    case 'pattern':
      checkPattern(run, expression.text, expression.flags, expression);
      return changed(TRUSTED, { pattern: expression.text, flags: expression.flags });
    case 'element':
      return elementOfMarkup(run, expression);
    case 'await':
      return awaited(run, run.evaluate(expression.value));
    case 'yield': {
      const value = run.evaluate(expression.value);
      run.frame.yields.push(run.state.settled(expression.isAll ? run.elementOf(value) : value));
      return UNKNOWN;
    }
    case 'results':
      return together(expression.items.map((item) => run.state.settled(run.evaluate(item))));
    case 'result':
      return resultValue(run, expression);
    case 'slice':
      return sliceValue(run, expression);
    case 'unary':
      return unaryValue(run, expression);
    case 'binary':
      return binaryValue(run, expression);
    case 'logic':
      return logicValue(run, expression);
    case 'choose':
      return chosenValue(run, expression);
    case 'assign':
      return assignedValue(run, expression);
    case 'closure':
      return closureValue(run, expression);
    case 'reference': {
      const object = run.evaluate(expression.object);
      return changed(UNKNOWN, { closures: [{ kind: 'method', object, name: expression.name }] });
    }
    case 'cast':
      return castValue(run, expression);
    case 'is': {
      const value = run.evaluate(expression.value);
      if (expression.bind !== null) run.state.set(expression.bind, value);
      const known = typeValue(run, expression.type);
      return known?.isTrusted === true || expression.type?.own != null
        ? telling({ whenTrue: factsOn(value), whenFalse: [] })
        : TRUSTED;
    }
    case 'run': {
      run.execute(expression.body);
      return run.state.get(expression.result) ?? UNKNOWN;
    }
    case 'unknown':
      run.unknown += 1;
      return derive(expression.children.map((child) => run.flat(run.evaluate(child))));
  }
}

type Of<F extends Expression['form']> = Expression & { readonly form: F };

/** A text put together; what can be guessed stays so within others. */
function textValue(run: Run, { parts, start, end }: Of<'text'>): Shape {
  const values = parts.map((part) => run.evaluate(part));
  const text = build(
    values.map((one) => run.flat(readText(run, one))),
    [start, end],
  );
  return values.some(isRandom) ? changed(text, { role: 'random' }) : text;
}

/** A value that has come: what its function proved holds from now on. */
function awaited(run: Run, value: Shape): Shape {
  if (value.awaited === null) return value;
  run.state.guard(value.awaited.facts);
  return changed(value, { verdict: value.awaited.verdict, awaited: null });
}

/**
 * One of several results. Of a function that is not in view the data is the same in all of them,
 * and what its call tells is what the last one says.
 */
function resultValue(run: Run, { of, index, count, tells }: Of<'result'>): Shape {
  const whole = run.evaluate(of);
  const own = whole.results?.[index];
  if (own !== undefined) return own;
  const isShown = of.form === 'call' && run.declares(of.name);
  // A check of one of them tells nothing of the others.
  if (tells === null && count > 1) {
    // From round to round of a loop it stays the same part.
    const isPart = whole.origins.every(({ text }) => text.endsWith(`.${index}`));
    return isPart ? whole : memberOfData(run, whole, `${index}`);
  }
  if (tells === null || isShown) return whole;
  if (whole.isPresent || whole.constants !== null) return whole;
  const verdict = verdictOf(whole);
  return changed(RESULT, { verdict: tells === 'failure' ? opposite(verdict) : verdict });
}

/** A part of a text or list that is known, else the same data. */
function sliceValue(run: Run, { object, from, to }: Of<'slice'>): Shape {
  const base = run.evaluate(object);
  const start = from === null ? constantOf(0) : run.evaluate(from);
  const end = to === null ? constantOf(Number.MAX_SAFE_INTEGER) : run.evaluate(to);
  const known = folded([base, start, end], ([text, first, last]) =>
    typeof text === 'string' && typeof first === 'number' && typeof last === 'number'
      ? text.slice(first, last)
      : undefined,
  );
  const part = known ?? sliced(base, start, end);
  if (part !== null) return part;
  const plain = changed(base, { constants: null });
  const first = onlyConstant(start);
  const last = onlyConstant(end);
  if (typeof first !== 'number' || typeof last !== 'number') return plain;
  const [only, ...others] = run.objectsOf(base);
  const items = only === undefined || others.length > 0 ? null : itemsOf(only[1]);
  return items === null ? plain : run.list(items.slice(first, last));
}

/** A list as it is written; what is spread into it stands there with its elements. */
function listValue(run: Run, items: readonly Expression[]): Shape {
  const values: Shape[] = [];
  let rest: Shape | null = null;
  for (const item of items) {
    if (item.form !== 'spread') {
      const value = run.evaluate(item);
      if (rest === null) values.push(value);
      else rest = join(rest, value);
      continue;
    }
    const spread = run.evaluate(item.value);
    const elements = rest === null ? run.elementsOf(spread) : null;
    if (elements !== null) values.push(...elements);
    else rest = rest === null ? run.elementOf(spread) : join(rest, run.elementOf(spread));
  }
  return rest === null ? run.list(values) : run.openList(values, rest);
}

/** An object as it is written; what is spread into it is as much the sender's as it was. */
function objectValue(run: Run, { entries, start: offset }: Of<'object'>): Shape {
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  let origins: Shape['origins'] = [];
  const getters = new Map<string, Shape>();
  for (const { key, value, accessor, start, end } of entries) {
    if (key === null) {
      const given = run.evaluate(value);
      for (const [, object] of run.objectsOf(given)) {
        for (const [name, cell] of object.cells) cells.set(name, cell);
        if (object.rest !== null) rest = rest === null ? object.rest : join(rest, object.rest);
      }
      if (given.origins.length > 0) {
        // What stands before `...req.body` may be another value in the body.
        for (const [name, cell] of cells)
          cells.set(name, join(cell, memberOfData(run, given, name)));
        // `{...req.body}` is as much the sender's as the body.
        origins = origins.length === 0 ? given.origins : origins;
      }
      continue;
    }
    const name = onlyConstant(run.evaluate(key));
    const text = name === undefined ? '' : String(name);
    const given = optionOf(run, text, value) ?? memberToBe(run, value);
    if (accessor === 'get' && name !== undefined) getters.set(text, given);
    const held = accessor === 'get' ? run.gotFrom(given) : accessor === 'set' ? UNKNOWN : given;
    if (name !== undefined) {
      const isLiteral = value.form === 'constant';
      const at = { start, end };
      checkProperty(run, {
        name: text,
        value: held,
        isLiteral,
        element: null,
        key,
        at: value.end > 0 ? value : at,
      });
    }
    if (name !== undefined && cells.size < TAINT.MEMBERS_MAX) cells.set(text, held);
    else rest = rest === null ? held : join(rest, held);
  }
  const made = run.makeAt(offset, 'table', { cells, rest });
  for (const cell of cells.values()) holdMember(run, cell, made);
  for (const [name, getter] of getters) run.write(made, name, run.gotFrom(getter, made));
  return origins.length === 0 ? made : changed(made, { origins });
}

/** The attributes of an element, one by one: `<a href={x}>`. */
function elementOfMarkup(run: Run, { name, attributes, children }: Of<'element'>): Shape {
  for (const { key, value, start, end } of attributes) {
    const given = run.evaluate(value);
    const attribute = key === null ? undefined : onlyConstant(run.evaluate(key));
    if (attribute === undefined) continue;
    const at = { start, end };
    const isLiteral = value.form === 'constant';
    checkProperty(run, {
      name: String(attribute),
      value: given,
      isLiteral,
      element: name,
      key: at,
      at,
    });
  }
  for (const child of children) run.evaluate(child);
  return UNKNOWN;
}

/** What destructuring leaves over. */
function restValue(run: Run, { value, from, without }: Of<'rest'>): Shape {
  const whole = run.evaluate(value);
  const elements = run.elementsOf(whole);
  if (elements !== null) return run.list(elements.slice(from));
  const [first] = run.objectsOf(whole);
  if (first === undefined || first[1].kind === 'list') return whole;
  const cells = new Map(first[1].cells);
  for (const name of without) cells.delete(name);
  return run.table(cells, first[1].rest);
}

/** A function as a value; its body is looked at by itself, with what is known here. */
function closureValue(run: Run, { id }: Of<'closure'>): Shape {
  if (run.depth === 0) run.lookAgain(id);
  return changed(UNKNOWN, { closures: [{ kind: 'function', id, self: null }] });
}

/** `(String) data`: the same data, but for numbers. */
function castValue(run: Run, { type, value }: Of<'cast'>): Shape {
  const given = run.evaluate(value);
  if (type.own !== null) return castToOwn(run, type, given);
  const known = typeValue(run, type);
  if (known?.isTrusted === true) {
    return given.constants === null && given.role === null ? TRUSTED : given;
  }
  if (known?.path == null) return given;
  if (given.objects.length > 0)
    return given.path === null ? changed(given, { path: known.path }) : given;
  return given.origins.length === 0 && given.path === null
    ? known
    : changed(given, { path: known.path });
}

/** A value as one of a type of the file: an object of it where nothing is known of the value. */
function castToOwn(run: Run, type: Type, given: Shape): Shape {
  const isOpen = given.objects.length === 0 && given.origins.length === 0;
  const isBare = isOpen && given.constants === null && given.pieces === null;
  // The program has it, unless types are no more than a word of the author.
  const isEnum = type.own !== null && run.classOf(type.own)?.kind === 'enum';
  if (isEnum && !isBare && !run.knowledge.traits.has('keys')) {
    return given.constants === null ? TRUSTED : given;
  }
  if (type.own === null || run.classOf(type.own)?.kind === 'named' || !isBare) {
    return asNamed(run, type, given);
  }
  return ownValue(run, type.own);
}
