import {
  build,
  constant,
  outside,
  type Source,
  TRUSTED,
  UNKNOWN,
  type Value,
} from '../taint/value.ts';
import { judge } from '../tree/lines.ts';
import type { Call, OwnClass, Run } from '../tree/run.ts';
import { listed, named, subSource } from '../tree/scope.ts';
import { part, type TreeNode, typed } from '../tree/tree.ts';
import { classNamed, instanceOf, parametersOf, typeValue } from './declarations.ts';

/** Annotations of a declaration. */
function annotationsOf(node: TreeNode | null): TreeNode[] {
  const list = node === null ? null : typed(node, 'modifiers');
  return (list?.children ?? []).filter(({ type }) => /annotation$/.test(type));
}

/** The last name of an annotation: `GetMapping`. */
function annotationName(run: Run, annotation: TreeNode): string {
  const name = part(annotation, 'name');
  const text = name === null ? '' : run.textOf(name);
  return text.slice(text.lastIndexOf('.') + 1);
}

/** Methods that servers call: their parameters are data of a request. */
const ROUTE =
  /^(?:(?:Get|Post|Put|Delete|Patch|Request|Message|Query|Mutation|Subscribe|Schema)Mapping|Get|Post|Put|Delete|Patch|Head|Options|CustomHttpMethod|GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|OnMessage|OnOpen|Route|MessageMapping|Incoming|KafkaListener|RabbitListener|JmsListener|SqsListener)$/;
/** Limits of validators that leave nothing to choose but names and numbers. */
const STRICT = /^@(?:Digits|Min|Max|Positive|Uuid|UUID|Email)\b/;
const PATTERN =
  /^@(?:\w+\.)*Pattern\s*\(.*?"\^?((?:\[[\w\-\\]+\]|\\[wd]|[\w-])(?:[+*?]|\{[\d,]+\})?)+\$?"/s;

/** Whether annotations say that nothing but numbers and plain names comes. */
function isStrict(run: Run, node: TreeNode): boolean {
  return annotationsOf(node).some((one) => {
    const text = run.textOf(one);
    return STRICT.test(text) || PATTERN.test(text);
  });
}

/** Data that a server puts into a parameter or field of that type. */
function servedValue(run: Run, node: TreeNode, name: TreeNode, kind: string): Value {
  const type = part(node, 'type');
  const known = typeValue(run, type);
  if (known?.isTrusted === true || isStrict(run, node)) return TRUSTED;
  const line = run.lineOf(name);
  const isWhole = type !== null && /^(?:Map|Object|JsonNode|JsonObject)\b/.test(run.textOf(type));
  const value = outside('strong', run.textOf(name), line, { isWhole, mayBeObject: isWhole });
  const { source } = value;
  const owner = known?.made == null ? undefined : run.classes.get(known.made);
  if (owner !== undefined && source !== null) return filled(run, owner, source);
  // One step of a route holds no slash.
  if (/^(?:PathVariable|PathParam|RestPath)$/.test(kind) && source !== null) {
    return { ...value, source: { ...source, claimedFor: ['path'] } };
  }
  return known?.origin == null ? value : { ...value, origin: known.origin };
}

/** The annotation that makes a parameter or field data from outside; null when absent. */
function servedBy(run: Run, node: TreeNode): string | null {
  for (const annotation of annotationsOf(node)) {
    const name = annotationName(run, annotation);
    const origin = classNamed(run, name);
    const site = { name, origin, receiver: null, receiverPath: null };
    if (origin !== null && run.language.catalogue.readAt(site)?.decorator === true) return name;
  }
  return null;
}

/** An object that was filled with data: fields of text are data, numbers are not. */
function filled(run: Run, owner: OwnClass, source: Source, within: readonly string[] = []): Value {
  const properties = new Map<string, Value>();
  for (const [name, field] of owner.fields) {
    if (!run.mayFill()) break;
    const type = typeValue(run, part(field, 'type'));
    const inner = type?.made == null ? undefined : run.classes.get(type.made);
    const own = subSource(source, name);
    if (type?.isTrusted === true || isStrict(run, field)) properties.set(name, TRUSTED);
    else if (inner !== undefined && !within.includes(inner.name)) {
      properties.set(name, filled(run, inner, own, [...within, owner.name]));
    } else properties.set(name, { ...UNKNOWN, source: own });
  }
  return { ...UNKNOWN, properties, source, made: owner.name };
}

/** What a server puts into a field that is annotated so; null: into no field of that kind. */
export function servedField(run: Run, field: TreeNode, name: TreeNode): Value | null {
  const kind = servedBy(run, field);
  return kind === null ? null : servedValue(run, field, name, kind);
}

/** Classes whose fields are filled by a server before its method is called: Struts. */
const ACTION = /(?:^|\.)(?:ActionSupport|Action|BaseAction|AbstractAction)$/;

/** What a field holds before anything is assigned to it. */
export function fieldValue(run: Run, owner: OwnClass, field: TreeNode, name: TreeNode): Value {
  const kind = servedBy(run, field);
  const text = run.textOf(name);
  const setter = `set${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  const isFilled = ACTION.test(owner.base ?? '') && owner.methods.has(setter);
  if (kind !== null || isFilled) return servedValue(run, field, name, kind ?? '');
  return typeValue(run, part(field, 'type')) ?? UNKNOWN;
}

/** Binds the parameters of a function of which no call is in view. */
export function bindParameters(run: Run, node: TreeNode): void {
  bindSelf(run, node, null);
  const parameters = parametersOf(node);
  const isRoute = annotationsOf(node).some((one) => ROUTE.test(annotationName(run, one)));
  const nameNode = part(node, 'name');
  const isHandler = nameNode !== null && run.textOf(nameNode) === 'handleRequest';
  for (const [index, { node: parameter, name }] of parameters.entries()) {
    const isEvent = isHandler && index === 0 && parameters.length === 2;
    run.scope.set(run.textOf(name), parameterValue(run, parameter, name, isRoute, isEvent));
  }
  judgeStatement(run, node);
}

function parameterValue(
  run: Run,
  node: TreeNode,
  name: TreeNode,
  isRoute: boolean,
  isEvent: boolean,
): Value {
  const kind = servedBy(run, node);
  if (kind !== null) return servedValue(run, node, name, kind);
  const type = part(node, 'type');
  if (type === null) return UNKNOWN;
  const known = typeValue(run, type);
  const isText = known === null;
  const isPlain = annotationsOf(node).every((one) => !/Context|Auth|Inject/.test(run.textOf(one)));
  const isOwn = known?.made != null;
  if (((isRoute && isPlain) || isEvent) && (isText || isOwn)) {
    return servedValue(run, node, name, '');
  }
  if (known !== null) return known;
  return outside('weak', run.textOf(name), run.lineOf(name));
}

/** Binds `this`, and the fields of an object that is known. */
function bindSelf(run: Run, node: TreeNode, given: Value | null): void {
  const owner = run.owners.get(node);
  if (owner === undefined) return;
  const isKnown = given !== null && (given.source !== null || given.properties !== null);
  run.scope.set('this', isKnown ? { ...given, made: owner.name } : instanceOf(owner));
  if (!isKnown) return;
  for (const [name, value] of given.properties ?? []) run.scope.set(name, value);
}

/** The same with what a call gives it. */
export function bindArguments(run: Run, node: TreeNode, { args, site }: Call): void {
  bindSelf(run, node, site.receiver);
  for (const [index, { node: parameter, name, isRest }] of parametersOf(node).entries()) {
    const known = typeValue(run, part(parameter, 'type'));
    const text = run.textOf(name);
    if (isRest) {
      const elements = args.slice(index);
      const [only] = elements;
      const isList = elements.length === 1 && only?.elements != null;
      const { source } = listed(elements);
      run.scope.set(text, isList ? only : { ...UNKNOWN, elements, source });
      continue;
    }
    const given = args[index] ?? UNKNOWN;
    const isEmpty = given.source === null && given.constant === null && given.pieces === null;
    const isOpen = isEmpty && given.properties === null && given.elements === null;
    const value = isOpen && given.callable === null ? (known ?? given) : given;
    run.scope.set(text, known?.isTrusted === true ? TRUSTED : named(run, value, name));
  }
  judgeStatement(run, node);
}

/** `@Select("... ${name}")`: MyBatis writes the parameter into the statement. */
function judgeStatement(run: Run, method: TreeNode): void {
  for (const annotation of annotationsOf(method)) {
    const name = annotationName(run, annotation);
    if (!/^(?:Select|Update|Insert|Delete)$/.test(name)) continue;
    const pieces: Value[] = [];
    for (const literal of literalsIn(part(annotation, 'arguments'))) {
      const { constant: text } = run.evaluate(literal);
      for (const [index, one] of (text ?? '').split(/\$\{([\w.]+)\}/).entries()) {
        const root = one.split('.')[0] ?? '';
        pieces.push(index % 2 === 0 ? constant(one) : (run.scope.get(root) ?? UNKNOWN));
      }
    }
    const value = build(pieces, run.linesOf(annotation));
    const site = { name, origin: classNamed(run, name), receiver: null, receiverPath: null };
    const rest = { node: annotation, callee: UNKNOWN, keywords: new Map() };
    judge(run, { site, args: [value], ...rest });
  }
}

function literalsIn(node: TreeNode | null): TreeNode[] {
  if (node === null) return [];
  return node.type === 'string_literal' ? [node] : node.children.flatMap(literalsIn);
}
