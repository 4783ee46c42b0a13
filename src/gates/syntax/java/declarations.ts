import { javaPackages, javaSanitizers } from '../../../rules/catalogue/java.ts';
import { words } from '../../../rules/catalogue/line.ts';
import { TRUSTED, UNKNOWN, type Value } from '../taint/value.ts';
import { at, type OwnClass, type Run } from '../tree/run.ts';
import { addTo, named } from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';

/** No name of the program is written so: the text begins with its package or imports. */
const COMPLETE = 'package ';
/** Likewise: methods by name and number of parameters, beside variables. */
export const METHOD = '#';

/** Notes that all imports are in view. */
export function noteComplete(run: Run): void {
  run.scope.set(COMPLETE, TRUSTED);
}

/** Packages that moved from `javax` to `jakarta` without a change. */
const MOVED = /^javax\.(?=(?:servlet|ws\.rs|persistence|websocket|jms|mail|faces|el|inject)\b)/;

/** The path under which the catalogue has a class. */
function pathOfImport(path: string): string {
  return path.replace(MOVED, 'jakarta.');
}

/** `import a.b.C;`, `import a.b.*;`, `import static a.b.C.d;` */
export function readImport(run: Run, node: TreeNode): void {
  noteComplete(run);
  const [name] = node.children;
  if (name === undefined) return;
  const path = pathOfImport(run.textOf(name).replace(/\s+/g, ''));
  if (typed(node, 'asterisk') !== null) run.stars.push(path);
  else run.scope.set(path.slice(path.lastIndexOf('.') + 1), at(path));
}

/** Classes that every file sees. */
const LANG = words(`
  String StringBuilder StringBuffer System Runtime ProcessBuilder Process Integer Long Short Byte
  Double Float Boolean Character Math Thread Class ClassLoader Object Enum Iterable CharSequence
`);
/** Classes of the JDK that are known without a line of the catalogue. */
const KNOWN = words(`
  java.net.http.HttpRequest
  java.util.List java.util.Arrays java.util.Set java.util.Map java.util.Collections
  java.util.Optional java.util.Objects java.util.regex.Pattern java.util.stream.Collectors
  java.util.stream.Stream java.util.stream.Collectors java.util.UUID java.text.MessageFormat
  java.util.StringJoiner java.util.ArrayList java.util.LinkedList java.util.HashMap
  java.util.LinkedHashMap java.util.TreeMap java.util.HashSet java.nio.charset.StandardCharsets
  org.springframework.util.Assert com.google.common.base.Preconditions java.util.EnumSet
  java.util.concurrent.CompletableFuture
`);

/** Paths of classes of the catalogue by their names, the first of two of one name first. */
const CLASSES = classesOfCatalogue();

function classesOfCatalogue(): ReadonlyMap<string, readonly string[]> {
  const paths = [...KNOWN];
  const lines = javaPackages.flatMap((entry) =>
    [...(entry.sources ?? []), ...(entry.sinks ?? []), ...(entry.propagators ?? [])].map(
      ({ exports }) => ({ package: entry.package, exports }),
    ),
  );
  for (const { package: name, exports } of [...lines, ...javaSanitizers]) {
    for (const path of exports.split(' ')) {
      const [first = ''] = path.split(/[.(]/, 1);
      if (/^[A-Z]/.test(first)) paths.push(`${name}.${first}`);
    }
  }
  for (const { package: name, types } of javaPackages) {
    for (const type of types?.split(' ') ?? []) paths.push(`${name}.${type}`);
  }
  const all = new Map<string, string[]>();
  for (const path of new Set(paths)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    all.set(name, [...(all.get(name) ?? []), path]);
  }
  return all;
}

/**
 * The path of a class by its name; null: one of the program's own packages. In a hunk whose imports
 * are out of sight, classes of the catalogue go by their names.
 */
export function classNamed(run: Run, name: string): string | null {
  const imported = run.scope.get(name)?.origin;
  if (imported != null) return imported;
  if (LANG.has(name)) return `java.lang.${name}`;
  const known = CLASSES.get(name);
  if (known === undefined) return null;
  const starred = known.find((path) => run.stars.includes(path.slice(0, path.lastIndexOf('.'))));
  return starred ?? (run.scope.get(COMPLETE) === undefined ? (known[0] ?? null) : null);
}

/** Types that hold no text of the caller's choice. */
export const HARMLESS = words(`
  Integer Long Short Byte Double Float Boolean Character Number BigDecimal BigInteger UUID
  LocalDate LocalDateTime LocalTime ZonedDateTime OffsetDateTime Instant Duration Period Year
  YearMonth DayOfWeek Month Date Timestamp Calendar ZoneId Locale Currency ObjectId Pageable Void
  AtomicInteger AtomicLong AtomicBoolean OptionalInt OptionalLong HttpStatus HttpMethod TimeUnit
  InetAddress Class ChronoUnit MediaType
`);
/** Types of text, and of things that may hold some. */
const TEXTS = words(`
  String CharSequence Object List Set Map Collection Iterable Iterator Optional Stream ArrayList
  LinkedList HashMap LinkedHashMap HashSet TreeMap Queue Deque Properties CompletableFuture Future
  Mono Flux Supplier Function Callable Consumer Predicate ResponseEntity Entry T E K V
  CompletionStage Uni Multi var Single Maybe MultiValueMap
`);
/** Things of other packages that do what their names say. */
const TELLING =
  /(?:Db|DB|Dao|DAO|Jdbc|JDBC|Sql|SQL|Session|Connection|Statement|Template|Manager)$/;

/** What a value of that type is; null: it may be text, or nothing is known of it. */
export function typeValue(run: Run, type: TreeNode | null): Value | null {
  switch (type?.type) {
    case 'integral_type':
    case 'floating_point_type':
    case 'boolean_type':
      return TRUSTED;
    case 'annotated_type':
      return typeValue(run, type.children.at(-1) ?? null);
    case 'array_type': {
      const element = typeValue(run, part(type, 'element'));
      const isText = /^(?:byte|char|String)\b/.test(run.textOf(type));
      return element?.isTrusted === true && !isText ? TRUSTED : null;
    }
    case 'generic_type': {
      const [base, list] = type.children;
      const inner = list?.children ?? [];
      const name = base === undefined ? '' : run.textOf(base);
      if (!TEXTS.has(name)) return typeValue(run, base ?? null);
      const isHarmless = (one: TreeNode) => typeValue(run, one)?.isTrusted === true;
      return inner.length > 0 && inner.every(isHarmless) ? TRUSTED : null;
    }
    case 'type_identifier':
    case 'scoped_type_identifier':
      return namedType(run, run.textOf(type).replace(/\s+/g, ''));
    default:
      return null;
  }
}

function namedType(run: Run, name: string): Value | null {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const own = run.classes.get(name) ?? run.classes.get(last);
  if (own !== undefined) return own.isEnum ? TRUSTED : instanceOf(own);
  const [root = '', ...rest] = name.split('.');
  if (TEXTS.has(name)) return null;
  if (HARMLESS.has(last) && !/^java\.lang\.Object$/.test(name)) return TRUSTED;
  const path = /^[a-z]/.test(root) ? pathOfImport(name) : classNamed(run, root);
  if (path !== null && isKnown(path)) {
    return at(`${[path, ...(path === name ? [] : rest)].join('.')}()`);
  }
  return TELLING.test(last) ? null : { ...UNKNOWN, role: 'plain' };
}

/** Whether lines say what a class does: other types are the program's. */
function isKnown(path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    if (PACKAGES.has(path.slice(0, end))) return true;
  }
  const name = path.slice(path.lastIndexOf('.') + 1);
  return CLASSES.get(name)?.includes(path) === true;
}

const PACKAGES: ReadonlySet<string> = new Set(javaPackages.map((entry) => entry.package));

/** What a class of the text makes. */
export function instanceOf(owner: OwnClass): Value {
  return { ...UNKNOWN, made: owner.name, origin: owner.base === null ? null : `${owner.base}()` };
}

/** Steps of a chain of names; a longer one has no name. */
const PATH_STEPS_MAX = 8;

/** `a.b.c` and `this.a` as they are written; null for all else. */
export function pathOf(run: Run, node: TreeNode | null): string | null {
  const names: string[] = [];
  let inner = bare(node);
  while (inner?.type === 'field_access' && names.length < PATH_STEPS_MAX) {
    const name = part(inner, 'field');
    if (name !== null) names.unshift(run.textOf(name));
    inner = bare(part(inner, 'object'));
  }
  const isName = inner?.type === 'identifier' || inner?.type === 'this';
  return inner !== null && isName ? [run.textOf(inner), ...names].join('.') : null;
}

/** Without parentheses and casts. */
export function bare(node: TreeNode | null): TreeNode | null {
  let inner = node;
  for (;;) {
    if (inner?.type === 'parenthesized_expression') inner = inner.children[0] ?? null;
    else if (inner?.type === 'cast_expression') inner = part(inner, 'value');
    else return inner;
  }
}

/** Assigns to a name, a field, or an element. */
export function bind(run: Run, node: TreeNode | null, value: Value): void {
  const target = bare(node);
  switch (target?.type) {
    case undefined:
      return;
    case 'identifier': {
      const text = run.textOf(target);
      run.scope.set(text, named(run, value, target));
      bindField(run, 'this', text, value);
      return;
    }
    case 'field_access': {
      const path = pathOf(run, target);
      const name = part(target, 'field');
      if (path === null || name === null) return;
      run.scope.set(path, named(run, value, target));
      bindField(run, path.slice(0, path.lastIndexOf('.')), run.textOf(name), value);
      return;
    }
    case 'array_access': {
      const path = pathOf(run, part(target, 'array'));
      const key = run.evaluate(part(target, 'index')).constant;
      if (path === null) return;
      const kept = run.scope.settled(value);
      if (key !== null) run.scope.set(`${path}[${key}]`, kept);
      addTo(run, path, kept);
      return;
    }
    default:
      run.evaluate(target);
  }
}

/** An assignment to a field is seen by who has the object, and data by all of its methods. */
function bindField(run: Run, path: string, name: string, value: Value): void {
  const object = run.scope.get(path);
  const owner = object?.made == null ? undefined : run.classes.get(object.made);
  if (object === undefined || owner === undefined || !owner.fields.has(name)) return;
  const kept = run.scope.settled(value);
  const properties = new Map(object.properties ?? []).set(name, kept);
  run.scope.set(path, { ...object, properties });
  const isShared = object.properties === null && run.following === 0;
  if (isShared && value.source?.strength === 'strong') owner.scope.set(name, kept);
}

/** A parameter of a method or lambda. */
export interface Parameter {
  readonly node: TreeNode;
  readonly name: TreeNode;
  readonly isRest: boolean;
}

/** The parameters of a method, lambda or record. */
export function parametersOf(node: TreeNode): Parameter[] {
  const list = part(node, 'parameters') ?? part(node, 'parameter');
  const nodes = list?.type === 'identifier' ? [list] : (list?.children ?? []);
  return nodes.flatMap((one): Parameter[] => {
    const isRest = one.type === 'spread_parameter';
    const owner = isRest ? typed(one, 'variable_declarator') : one;
    const name = one.type === 'identifier' ? one : part(owner, 'name');
    return name === null ? [] : [{ node: one, name, isRest }];
  });
}

/** A class, record, enum or interface: its fields and methods; what they do comes later. */
export function declareClass(run: Run, node: TreeNode, name: string): OwnClass {
  const body = part(node, 'body') ?? typed(node, 'class_body');
  const members = (body?.children ?? []).flatMap((child) =>
    child.type === 'enum_body_declarations' ? child.children : [child],
  );
  const fields = new Map<string, TreeNode>();
  const methods = new Map<string, TreeNode>();
  for (const member of members) {
    for (const one of parts(member, 'declarator')) {
      const own = part(one, 'name');
      if (own !== null) fields.set(run.textOf(own), member);
    }
    const own = part(member, 'name');
    if (/^(?:method|constructor|compact_constructor)_declaration$/.test(member.type) && own) {
      const text = member.type === 'method_declaration' ? run.textOf(own) : '<init>';
      const count = parametersOf(member).length;
      if (!methods.has(text)) methods.set(text, member);
      methods.set(`${text}${METHOD}${count}`, member);
    }
  }
  if (node.type === 'record_declaration') {
    for (const { node: field, name: own } of parametersOf(node)) fields.set(run.textOf(own), field);
  }
  const bases = [part(node, 'superclass'), part(node, 'interfaces')].flatMap((list) => {
    const inner = list?.children[0];
    return inner?.type === 'type_list' ? inner.children : (list?.children ?? []);
  });
  const paths = bases.map((base) => basePath(run, base)).filter((path) => path !== null);
  const isEnum = node.type === 'enum_declaration';
  const attributes = new Map<string, Value>();
  const base = paths[0] ?? null;
  const scope = run.branch(run.scope, () => undefined);
  const owner: OwnClass = { name, fields, methods, attributes, base, isEnum, scope };
  run.classes.set(name, owner);
  return owner;
}

function basePath(run: Run, type: TreeNode): string | null {
  const text = run.textOf(type).replace(/<.*$/s, '');
  const [root = '', ...rest] = text.split('.');
  const path = /^[a-z]/.test(root) ? text : classNamed(run, root);
  return path === null ? text : /^[a-z]/.test(root) ? path : [path, ...rest].join('.');
}

/** A value under a type that is written: numbers are harmless, and types say what methods do. */
export function typedAs(known: Value | null, value: Value): Value {
  if (known === null) return value;
  if (known.isTrusted && value.constant === null) return TRUSTED;
  const isOpen = value.origin === null && value.made === null && value.properties === null;
  const isBare =
    isOpen && value.source === null && value.pieces === null && value.elements === null;
  if (isBare && value.constant === null && value.callable === null) return known;
  return value.origin === null && value.made === null && known.origin !== null
    ? { ...value, origin: known.origin }
    : value;
}
