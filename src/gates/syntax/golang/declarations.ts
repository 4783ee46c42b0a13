import { golangPackages, golangSanitizers } from '../../../rules/catalogue/golang.ts';
import { words } from '../../../rules/catalogue/line.ts';
import { outside, type Source, TRUSTED, through, UNKNOWN, type Value } from '../taint/value.ts';
import { at, type Call, type OwnClass, type Run } from '../tree/run.ts';
import { addTo, itemOf, listed, named, subSource } from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';

/** No name of the program is written so: the text begins with its package clause. */
const COMPLETE = 'package ';

/** Notes that all imports are in view. */
export function noteComplete(run: Run): void {
  run.scope.set(COMPLETE, TRUSTED);
}

/**
 * The path of the package that a name stands for where nothing declares it: in a hunk whose imports
 * are out of sight, packages go by the names that they give themselves. Null when absent.
 */
export function packageNamed(run: Run, name: string): string | null {
  if (run.scope.get(COMPLETE) !== undefined) return null;
  return DEFAULT_PACKAGES.get(name) ?? null;
}

/** `import alias "github.com/a/b/v2"`: the package's own name is not written. */
export function readImport(run: Run, spec: TreeNode): void {
  const pathNode = part(spec, 'path');
  if (pathNode === null) return;
  const path = withoutVersion(run.textOf(pathNode).slice(1, -1));
  const alias = part(spec, 'name');
  const name = alias === null ? '' : run.textOf(alias);
  if (name === '.') run.stars.push(path);
  else if (name !== '') run.scope.set(name, at(path));
  else for (const usual of namesOf(path)) run.scope.set(usual, at(path));
}

/** `github.com/labstack/echo/v4` and `gopkg.in/yaml.v3` as the catalogue has them. */
function withoutVersion(path: string): string {
  return path.replace(/[/.]v\d+(?=\/|$)/, '');
}

/** Names that a package of that path may have. */
function namesOf(path: string): string[] {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const bare = last.replace(/^go-|^golang-/, '').replace(/[-.]go$/, '');
  return [...new Set([last, bare, bare.replaceAll('-', ''), bare.replaceAll('-', '_')])];
}

/** Packages of the catalogue by their names; of two with one name the first. */
const DEFAULT_PACKAGES = defaultPackages();

function defaultPackages(): ReadonlyMap<string, string> {
  const paths = [...golangPackages, ...golangSanitizers].map((entry) => entry.package);
  const named = new Map<string, string>();
  for (const path of ['errors', 'context', 'log', 'regexp', 'slices', ...paths]) {
    for (const name of namesOf(path)) if (!named.has(name)) named.set(name, path);
  }
  return named;
}

/** Types that hold no text of the caller's choice. */
const NUMBERS = words(`
  int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32 float64
  complex64 complex128 bool
`);
const HARMLESS =
  /^(?:time\.(?:Time|Duration|Month)|uuid\.UUID|net\.IP|netip\.Addr(?:Port)?|big\.Int|decimal\.Decimal|primitive\.ObjectID|bson\.ObjectI[Dd])$/;
/** Types whose values are text, or may be. */
const TEXTS = /^(?:string|error|any|interface\{\s*\}|io\.Reader|io\.ReadCloser|json\.RawMessage)$/;

/** What a value of that type is; null: nothing is known of it. */
export function typeValue(run: Run, type: TreeNode | null): Value | null {
  switch (type?.type) {
    case 'pointer_type':
    case 'parenthesized_type':
    case 'type_elem':
      return typeValue(run, type.children[0] ?? null);
    case 'generic_type':
      return typeValue(run, part(type, 'type'));
    case 'qualified_type': {
      const text = run.textOf(type);
      if (HARMLESS.test(text)) return TRUSTED;
      const [name = '', member = ''] = text.split('.');
      const origin = run.scope.get(name)?.origin ?? packageNamed(run, name);
      // Of a package that nothing shows, or a prepared statement: not what its name may suggest.
      return origin === null || /Stmt$/.test(member)
        ? { ...UNKNOWN, role: 'plain' }
        : at(`${origin}.${member}`);
    }
    case 'type_identifier': {
      const text = run.textOf(type);
      if (NUMBERS.has(text)) return TRUSTED;
      return run.classes.has(text) ? { ...UNKNOWN, made: text } : null;
    }
    case 'struct_type': {
      const name = `struct@${type.start}`;
      if (!run.classes.has(name)) defineStruct(run, name, type);
      return { ...UNKNOWN, made: name };
    }
    case 'slice_type':
    case 'array_type': {
      const element = typeValue(run, part(type, 'element'));
      return element?.isTrusted === true && !/\]byte$/.test(run.textOf(type)) ? TRUSTED : null;
    }
    default:
      return null;
  }
}

/** A type with fields; its methods come as they are declared. */
export function defineStruct(run: Run, name: string, type: TreeNode): OwnClass {
  const shape = { methods: new Map(), attributes: new Map(), base: null, isEnum: false };
  const fields = new Map<string, TreeNode>();
  for (const field of typed(type, 'field_declaration_list')?.children ?? []) {
    for (const own of parts(field, 'name')) fields.set(run.textOf(own), field);
  }
  const owner: OwnClass = { name, fields, scope: run.scope, ...shape };
  run.classes.set(name, owner);
  return owner;
}

/** The type that a method belongs to: it may be declared in another file of the package. */
export function ownerNamed(run: Run, type: TreeNode | null): OwnClass | null {
  const name = type === null ? '' : run.textOf(type).replace(/^[(*\s]+|\[.*$/gs, '');
  if (!/^\w+$/.test(name)) return null;
  return run.classes.get(name) ?? (type === null ? null : defineStruct(run, name, type));
}

/** Tags of validators that leave nothing to choose but names and numbers. */
const STRICT_TAG =
  /\b(?:binding|validate):"[^"]*\b(?:oneof=|alpha(?:num)?(?:unicode)?\b|num(?:ber|eric)\b|uuid\d?\b|hexadecimal\b|ip(?:v[46])?\b|boolean\b|datetime=)/;

/** A struct that was filled with data: fields of text are data, numbers are not. */
export function filled(
  run: Run,
  owner: OwnClass,
  source: Source,
  within: readonly string[] = [],
): Value {
  const properties = new Map<string, Value>();
  for (const [name, field] of owner.fields) {
    if (!run.mayFill()) break;
    const type = typeValue(run, part(field, 'type'));
    const inner = type?.made == null ? undefined : run.classes.get(type.made);
    const own = subSource(source, name);
    const tag = part(field, 'tag');
    if (type?.isTrusted === true || (tag !== null && STRICT_TAG.test(run.textOf(tag)))) {
      properties.set(name, TRUSTED);
    } else if (inner !== undefined && !within.includes(inner.name)) {
      properties.set(name, filled(run, inner, own, [...within, owner.name]));
    } else properties.set(name, { ...UNKNOWN, source: own });
  }
  return { ...UNKNOWN, properties, source, made: owner.name };
}

/** A parameter: its name, and its type; several names may share one. */
interface Parameter {
  readonly name: TreeNode | null;
  readonly type: TreeNode | null;
  readonly isRest: boolean;
}

function parametersOf(node: TreeNode): Parameter[] {
  return (part(node, 'parameters')?.children ?? []).flatMap((declaration) => {
    const type = part(declaration, 'type');
    const isRest = declaration.type === 'variadic_parameter_declaration';
    const names = parts(declaration, 'name').filter((one) => one.type === 'identifier');
    const all: (TreeNode | null)[] = names.length === 0 ? [null] : names;
    return all.map((name) => ({ name, type, isRest }));
  });
}

const REQUEST = 'net/http.Request';
const WRITER = /\bResponseWriter$/;
/** Functions that send the request that they are given, and what they belong to. */
const CLIENT =
  /RoundTrip|Transport|Client|[aA]uth(?:orize|enticate)?$|^[dD]o$|[sS]end|[sS]ign|[fF]etch/;

/** Binds the parameters of a function of which no call is in view. */
export function bindParameters(run: Run, node: TreeNode): void {
  bindReceiver(run, node, null);
  const parameters = parametersOf(node);
  const types = parameters.map(({ type }) => (type === null ? '' : run.textOf(type)));
  const isHandler = types.some((type) => WRITER.test(type));
  const nameNode = part(node, 'name');
  const receiver = part(node, 'receiver');
  const places = [nameNode, receiver].map((one) => (one === null ? '' : run.textOf(one)));
  const isClient = !isHandler && [...places, ...types].some((text) => CLIENT.test(text));
  for (const { name, type } of parameters) {
    if (name === null) continue;
    const isServed = isHandler || (!isClient && /^(?:r|request)$/.test(run.textOf(name)));
    bindName(run, name, parameterValue(run, name, type, isServed));
  }
}

function parameterValue(run: Run, name: TreeNode, type: TreeNode | null, isServed: boolean): Value {
  const known = typeValue(run, type);
  // A client's requests are the program's own.
  if (known?.origin === REQUEST && !isServed) return { ...UNKNOWN, role: 'plain' };
  if (known !== null) return known;
  const text = type === null ? '' : run.textOf(type).replace(/^(?:\[\]|\*)+/, '');
  const isText = TEXTS.test(text) || /^\[\]byte$/.test(type === null ? '' : run.textOf(type));
  return isText ? outside('weak', run.textOf(name), run.lineOf(name)) : UNKNOWN;
}

function bindReceiver(run: Run, node: TreeNode, given: Value | null): void {
  const declaration = part(node, 'receiver')?.children[0] ?? null;
  const name = part(declaration, 'name');
  if (name === null) return;
  const owner = run.owners.get(node);
  const own: Value = { ...UNKNOWN, made: owner?.name ?? null };
  const isKnown = given !== null && (given.source !== null || given.properties !== null);
  run.scope.set(run.textOf(name), isKnown ? given : own);
}

/** The same with what a call gives it. */
export function bindArguments(run: Run, node: TreeNode, { args, site }: Call): void {
  bindReceiver(run, node, site.receiver);
  for (const [index, { name, type, isRest }] of parametersOf(node).entries()) {
    if (name === null) continue;
    const known = typeValue(run, type);
    if (isRest) {
      const elements = args.slice(index);
      const { source } = listed(elements);
      bindName(run, name, { ...UNKNOWN, elements, source });
      continue;
    }
    const given = args[index] ?? UNKNOWN;
    const isOpen = given.source === null && given.origin === null && given.made === null;
    const isPlain = isOpen && given.constant === null && given.properties === null;
    const value = isPlain && given.pieces === null ? (known ?? given) : given;
    bindName(run, name, known?.isTrusted === true ? TRUSTED : value);
  }
}

function bindName(run: Run, name: TreeNode, value: Value): void {
  const text = run.textOf(name);
  if (text !== '_') run.scope.set(text, named(run, value, name));
}

/** Steps of a chain of names; a longer one has no name. */
const PATH_STEPS_MAX = 8;

/** `a.b.c` as it is written, also of `&a.b.c` and `(*a).b`; null for all else. */
export function pathOf(run: Run, node: TreeNode | null): string | null {
  const names: string[] = [];
  let inner = bare(node);
  while (inner?.type === 'selector_expression' && names.length < PATH_STEPS_MAX) {
    const name = part(inner, 'field');
    if (name !== null) names.unshift(run.textOf(name));
    inner = bare(part(inner, 'operand'));
  }
  return inner?.type === 'identifier' ? [run.textOf(inner), ...names].join('.') : null;
}

/** Without parentheses, `&` and `*`. */
export function bare(node: TreeNode | null): TreeNode | null {
  let inner = node;
  for (;;) {
    if (inner?.type === 'parenthesized_expression') inner = inner.children[0] ?? null;
    else if (inner?.type === 'unary_expression') inner = part(inner, 'operand');
    else return inner;
  }
}

/** Assigns to a name, a member, or an element. */
export function bind(run: Run, node: TreeNode | null, value: Value): void {
  const target = bare(node);
  switch (target?.type) {
    case undefined:
      return;
    case 'identifier':
      bindName(run, target, value);
      return;
    case 'expression_list':
      for (const [index, child] of target.children.entries())
        bind(run, child, itemOf(value, index));
      return;
    case 'selector_expression':
      bindMember(run, target, value);
      return;
    case 'index_expression': {
      const object = part(target, 'operand');
      const key = run.evaluate(part(target, 'index'));
      const path = pathOf(run, object);
      if (path === null) return;
      const kept = run.scope.settled(value);
      if (key.constant !== null) run.scope.set(`${path}[${key.constant}]`, kept);
      addTo(run, path, kept);
      return;
    }
    default:
      run.evaluate(target);
  }
}

function bindMember(run: Run, target: TreeNode, value: Value): void {
  const path = pathOf(run, target);
  const base = run.evaluate(part(target, 'operand'));
  if (path !== null) run.scope.set(path, through(value, path, run.lineOf(target)));
  const owner = base.made === null ? undefined : run.classes.get(base.made);
  const name = part(target, 'field');
  if (owner !== undefined && name !== null && value.source?.strength === 'strong') {
    owner.attributes.set(run.textOf(name), run.scope.settled(value));
  }
}
