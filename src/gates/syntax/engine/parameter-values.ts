import type { ConsumerLine } from '../../../rules/catalogue/line.ts';
import type { FunctionDeclaration, Parameter } from '../il/il.ts';
import { siteOf } from './check-sinks.ts';
import { catalogued, givenBy, isHostData, parametersOf, registeredBy } from './handlers.ts';
import { memberOfData } from './partial-data.ts';
import { basePath } from './roles.ts';
import type { Call, Run } from './run.ts';
import { at, changed, outside, type Place, type Shape, TRUSTED, textOf, UNKNOWN } from './value.ts';

const NOTHING: readonly Shape[] = [];
const NO_PLACE: Place = { line: 0, offset: 0 };

function role(name: string): Shape {
  return changed(UNKNOWN, { role: name });
}

/** Data that something gives which no line of this file holds. */
function data(text: string): Shape {
  return outside('strong', text, NO_PLACE, { mayBeObject: true });
}

/**
 * What a function's parameters are by the call that it is given to, as far as that tells. `call`
 * holds the arguments before it; `declared` null: it is written elsewhere.
 */
export function callbackParameters(
  run: Run,
  call: Call,
  index: number,
  declared: FunctionDeclaration | null,
): readonly Shape[] {
  const { knowledge } = run;
  const { name, receiver, receiverPath, args, called } = call;
  if (called.path === RESOLVING) return NOTHING;
  if (knowledge.has('server-call', name) && declared !== null) {
    return serverHandler(run, declared, receiverPath);
  }
  const [first] = args;
  const event = first === undefined ? '' : (textOf(first) ?? '');
  const isWindow = knowledge.is('window', receiverPath ?? 'self');
  if (isWindow && knowledge.has('window-event', `${name}:${event}`)) return [role('event')];
  const message = messageTo(run, call, event, index) ?? catalogued(run, call, event);
  if (message !== null) return message;
  const registered = registeredBy(run, call);
  if (registered !== null) return [at(`${registered}()`)];
  const handed = knowledge.catalogue.propagatorAt(siteOf(run, call));
  if (handed?.callback !== undefined) {
    const element = elementFor(run, args[handed.from?.[0] ?? 0] ?? UNKNOWN);
    return [...new Array<Shape>(handed.callback).fill(UNKNOWN), element];
  }
  if (receiver === null) return NOTHING;
  if (knowledge.has('procedure', name) && declared !== null) {
    const procedure = procedureValues(run, declared);
    if (procedure.length > 0) return procedure;
  }
  const foreign = foreignValues(run, name, receiverPath ?? '', event);
  if (foreign.length > 0) return foreign;
  const operation = knowledge.methods.get(`any ${name}`);
  if (operation === 'then' && index === 0) return [receiver];
  if (declared === null && index === 1 && operation?.startsWith('replace')) return [receiver];
  const own = knowledge.functions.get(`${receiverPath}.${name}`);
  if (declared === null && index === 1 && own === 'list-of') {
    return [elementFor(run, first ?? UNKNOWN)];
  }
  if (knowledge.has('listens', name)) return eventValues(run, receiver, receiverPath ?? '', event);
  const isRouter = receiverPath === null || knowledge.is('router', receiverPath);
  // `router.route('/path').get(handler).post(handler)`
  const isOfRoute =
    knowledge.is('route-of', receiver.path ?? '') && knowledge.has('route-call', name);
  if (declared !== null && (isOfRoute || (isRouter && isRoute(run, name, first)))) {
    return handlerValues(run, declared);
  }
  if (!knowledge.has('element-call', name)) return NOTHING;
  const element = elementFor(run, receiver);
  if (element === UNKNOWN) return NOTHING;
  return operation === 'reduce' ? [args[1] ?? UNKNOWN, element] : [element];
}

/** Path of the function that a promise's own function is given: its argument is the result. */
export const RESOLVING = 'Promise.resolver';

/** In a line: the function stands under any option, as the methods of a service of gRPC do. */
const ANY_OPTION = '*';

/** The parameters of a function that an option of that name gives data to. */
export function optionParameters(run: Run, option: string, taker: Call | null): readonly Shape[] {
  const { catalogue } = run.knowledge;
  const [line] = catalogue.consumersAt(`option ${option}`);
  if (line !== undefined) return messageOf(line);
  if (taker === null) return NOTHING;
  const lines = catalogue.callbacksAt(siteOf(run, taker));
  const isOf = (known: string | undefined) => known === option || known === ANY_OPTION;
  return parametersOf(lines.filter(({ line }) => isOf(line.callback?.option)));
}

function messageTo(
  run: Run,
  { name, path, receiver, receiverPath }: Call,
  event: string,
  index: number,
): readonly Shape[] | null {
  const last = receiverPath?.split('.').at(-1)?.toLowerCase() ?? '';
  const own = path?.slice(path.lastIndexOf('.') + 1) ?? name;
  const lines = run.knowledge.catalogue.consumersAt(/^[A-Z]/.test(own) ? own : name);
  const line = lines.find((item) => {
    // A class: its second argument takes the messages.
    if (/^[A-Z]/.test(item.exports)) {
      return index === 1 && (path === null || path === `${item.package}.${item.exports}`);
    }
    if (receiver === null) return false;
    if (item.event !== undefined && (item.event !== event || index !== 1)) return false;
    if (item.receivers === undefined) return index > 0;
    return item.receivers.split(' ').some((known) => last.endsWith(known.toLowerCase()));
  });
  return line === undefined ? null : messageOf(line);
}

function messageOf({ package: name, parameter }: ConsumerLine): readonly Shape[] {
  return [...new Array<Shape>(parameter).fill(UNKNOWN), data(`message of ${name}`)];
}

/** `({ input }) => ...` of a procedure, whose builder is another module's. */
function procedureValues(run: Run, { parameters }: FunctionDeclaration): readonly Shape[] {
  const keys =
    parameters[0]?.keys?.filter((key) => run.knowledge.has('procedure-input', key)) ?? [];
  if (keys.length === 0) return NOTHING;
  const cells = new Map<string, Shape>();
  for (const key of keys) cells.set(key, data(key));
  return [run.table(cells, null)];
}

/** Tools that a model calls, messages between processes of a desktop program, chats and queues. */
function foreignValues(run: Run, name: string, path: string, event: string): readonly Shape[] {
  const { knowledge } = run;
  if (knowledge.is('tool-call', name) && knowledge.is('server', path)) {
    return [data('arguments of the tool')];
  }
  if (knowledge.is('desktop', path) && knowledge.is('desktop-call', name)) {
    return [UNKNOWN, data(`${event} message`), data(`${event} message`)];
  }
  const isChat = knowledge.is('chat', path) && knowledge.is('chat-event', event);
  return isChat && /^(?:on|once)$/.test(name)
    ? [data(`${event} event`), data(`${event} event`)]
    : NOTHING;
}

function eventValues(run: Run, receiver: Shape, path: string, event: string): readonly Shape[] {
  const { knowledge } = run;
  // Between processes: of another part of the program as a rule.
  if (receiver.role === 'process' && event === 'message') {
    return [outside('weak', `${event} event`, NO_PLACE, { mayBeObject: true })];
  }
  if (receiver.role === 'request' && knowledge.has('data-event', event)) {
    return [data(`${event} event`)];
  }
  // A stream into which data flowed.
  if (receiver.origins.length > 0 && event === 'data') {
    return [changed(UNKNOWN, { origins: receiver.origins })];
  }
  if (event === 'request' && knowledge.is('server', path)) return [role('request')];
  if (event === 'connection' && knowledge.is('server', path)) return [role('socket')];
  if (event === 'entry') return [role('archive')];
  const isData = receiver.role === 'socket' && event !== '' && !knowledge.has('state-event', event);
  return isData ? [data(`${event} event`), data(`${event} event`)] : NOTHING;
}

/** `app.get('/path', handler)`, `app.use(handler)`. */
/** Whether a call registers a function for requests of one path. */
export function registersHandler(run: Run, { name, receiver, receiverPath, args }: Call): boolean {
  const isRouter = receiverPath === null || run.knowledge.is('router', receiverPath);
  return receiver !== null && name !== 'use' && isRouter && isRoute(run, name, args[0]);
}

function isRoute(run: Run, name: string, path: Shape | undefined): boolean {
  if (!run.knowledge.has('route-call', name)) return false;
  if (path === undefined) return name === 'use';
  return path.pattern !== null || run.knowledge.is('route-path', textOf(path) ?? 'none');
}

/** `(req, res)` under any name; a single parameter is a context. Names that tell are let be. */
function handlerValues(run: Run, { parameters, given }: FunctionDeclaration): readonly Shape[] {
  const { knowledge } = run;
  const [first, second] = parameters;
  // `arguments[0]`, `(...all) =>`
  if (first === undefined) return given === undefined ? NOTHING : [role('request')];
  if (first.isRest) return [role('request')];
  // `(err, { body }, res, next)`
  if (parameters.length === 4 && second?.keys !== undefined) return [UNKNOWN, role('request')];
  if (first.keys !== undefined) {
    const isRequest = first.keys.some((key) => knowledge.has('data:request', key));
    return isRequest ? [role('request')] : NOTHING;
  }
  if (knowledge.roles.has(first.name)) return NOTHING;
  // `(err, req, res, next)`
  if (parameters.length > 3 || knowledge.is('error-name', first.name)) return NOTHING;
  return [role(parameters.length === 1 ? 'context' : 'request')];
}

function serverHandler(
  run: Run,
  { parameters }: FunctionDeclaration,
  receiverPath: string | null,
): readonly Shape[] {
  if (run.knowledge.is('socket-module', receiverPath ?? '')) return [role('socket')];
  return parameters.length === 2 ? [role('request')] : NOTHING;
}

/** An element of what a function is called for with each of them. */
function elementFor(run: Run, value: Shape): Shape {
  if (value.role === 'archive') return value;
  if (value.objects.length > 0) return run.elementOf(value);
  if (value.origins.length > 0) return memberOfData(run, value, null);
  return value.isTrusted ? TRUSTED : UNKNOWN;
}

/** What a parameter holds of which no call tells anything, in a language without types. */
export function entryParameter(run: Run, declared: FunctionDeclaration, index: number): Shape {
  const { knowledge } = run;
  const { parameters, name } = declared;
  const isPrivate = !run.isExported(declared.id);
  const parameter = parameters[index];
  if (parameter === undefined) return UNKNOWN;
  const decorated = decoratedValue(run, parameter);
  if (decorated !== null) return decorated;
  const { owner } = declared;
  const hasBases = owner !== null && knowledge.rows('serves').length > 0;
  const base = hasBases ? basePath(run, owner) : null;
  const given = givenBy(run, declared, base, index);
  if (given !== null) return at(`${given}()`);
  if (isRequestPlace(run, parameters, index)) return role('request');
  if (parameter.keys !== undefined && index === 0) {
    const destructured = destructuredRole(run, parameter.keys, parameters[1], name, isPrivate);
    if (destructured !== null) return role(destructured);
  }
  if (index === 1 && !isPrivate && knowledge.has('verb', name)) return role('context');
  const written = parameter.keys === undefined ? parameter.name : 'parameter';
  const place = run.placeOf(parameter.start);
  const strong = () => outside('strong', written, place, { mayBeObject: true });
  if (index === 1 && isResolver(run, parameters)) return strong();
  if (isServed(run, declared, isPrivate) || isHostData(run, parameters, index)) return strong();
  if (isPrivate) return UNKNOWN;
  return outside('weak', written, place, {
    mayBeObject: true,
    parameter: parameter.variable,
    isOfReturned: run.howExported(declared.id) === 'returned',
  });
}

/** A function that browsers call over the network: `'use server'` in it or atop its module. */
function isServed(run: Run, { body }: FunctionDeclaration, isPrivate: boolean): boolean {
  return begins(run, body) || (!isPrivate && begins(run, run.module.body));
}

function begins(run: Run, body: FunctionDeclaration['body']): boolean {
  const first = body?.find(({ form }) => form !== 'function' && form !== 'declare');
  if (first?.form !== 'evaluate' || first.value.form !== 'constant') return false;
  return run.knowledge.has('served', String(first.value.value).replaceAll(' ', '-'));
}

/** A parameter is what its type or else its name says, if no call tells more. */
export function typedParameter(run: Run, { name, type, keys }: Parameter, value: Shape): Shape {
  const { knowledge } = run;
  const last = type === null ? '' : type.name.slice(type.name.lastIndexOf('.') + 1);
  if (type !== null && isHarmless(run, type)) {
    const { constants, origins } = value;
    return constants === null || origins.length > 0 ? TRUSTED : changed(TRUSTED, { constants });
  }
  // What is taken apart is known by its keys.
  const isTaken = keys !== undefined;
  const known = isTaken ? null : (knowledge.roleOfType(last) ?? knowledge.roles.get(name));
  const isOpen = value.origins.every(({ strength }) => strength === 'weak');
  const path = pathOfType(run, type);
  if (known != null && isOpen && value.role === null) {
    return changed(UNKNOWN, { role: known, path: path ?? value.path });
  }
  const isUnmade = value.path === null && value.closures.length === 0 && !value.isTrusted;
  // What is made by a package is not what a caller writes.
  if (isOpen && isUnmade && path !== null && value.role === null) return at(path);
  if (type?.name !== 'string') return value;
  const origins = value.origins.map((origin) => ({
    ...origin,
    isWhole: false,
    mayBeObject: false,
  }));
  return changed(value, { origins });
}

type WrittenType = NonNullable<Parameter['type']>;

function isHarmless(run: Run, { name, isList, arguments: inner }: WrittenType): boolean {
  if (isList || name === '|') return inner.length > 0 && inner.every((one) => isHarmless(run, one));
  return run.knowledge.has('harmless', name);
}

/** The path of what a type of a package stands for; null: another type. */
export function pathOfType(run: Run, type: Parameter['type']): string | null {
  if (type === null || type.own !== null) return null;
  const path = type.path ?? run.knowledge.types.get(type.name) ?? null;
  return path !== null && run.knowledge.isKnown(path) ? `${path}()` : null;
}

function isRequestPlace(run: Run, parameters: readonly Parameter[], index: number): boolean {
  const { knowledge } = run;
  const parameter = parameters[index];
  const next = parameters[index + 1];
  if (parameter === undefined || parameter.keys !== undefined || next === undefined) return false;
  if (!knowledge.is('answer', next.name) || next.name === 'h') return false;
  if (!knowledge.is('asks', parameter.name)) return false;
  return index === 0 || (index === 1 && knowledge.is('error-name', parameters[0]?.name ?? ''));
}

/** `@Body() dto`, `@Param('id', ParseIntPipe) id`, `@Req() r`. */
function decoratedValue(run: Run, parameter: Parameter): Shape | null {
  const { knowledge } = run;
  const place = run.placeOf(parameter.start);
  const isText = parameter.type?.name === 'string';
  for (const { name: last, text, arguments: list } of parameter.annotations) {
    const name = /^@([\w$.]+)/.exec(text)?.[1] ?? last;
    if (knowledge.has('request-decorator', name)) return role('request');
    const written = `@${name}() ${parameter.keys === undefined ? parameter.name : ''}`.trim();
    if (!knowledge.has('data-decorator', name)) {
      const line = knowledge.catalogue.decoratorAt(name);
      if (line === null) continue;
      const isWhole = line.whole === true;
      const mayBeObject = isWhole || line.object === true;
      return outside('strong', written, place, {
        isWhole,
        mayBeObject,
        safeFor: line.safeFor ?? [],
      });
    }
    if (list.some((one) => knowledge.is('strict-pipe', nameIn(one)))) return TRUSTED;
    const mayBeObject = knowledge.has('object-decorator', name) && !isText;
    const isWhole = mayBeObject && list.every(({ form }) => form !== 'constant');
    return outside('strong', written, place, { isWhole, mayBeObject });
  }
  return null;
}

function nameIn(expression: Parameter['annotations'][number]['arguments'][number]): string {
  switch (expression.form) {
    case 'name':
      return expression.name;
    case 'new':
      return expression.type.name;
    case 'apply':
      return expression.name;
    default:
      return '';
  }
}

/** `({ body }, res)`, `({ request })`, `export function loader({ params })`. */
function destructuredRole(
  run: Run,
  keys: readonly string[],
  second: Parameter | undefined,
  name: string,
  isPrivate: boolean,
): string | null {
  const { knowledge } = run;
  if (keys.includes('request') || keys.includes('req')) return 'context';
  if (keys.some((key) => knowledge.has('event-keys', key))) return 'event';
  const isAnswered = second !== undefined && knowledge.is('answer', second.name);
  if (isAnswered && keys.some((key) => knowledge.has('data:request', key))) return 'request';
  const isEntry = !isPrivate && (knowledge.has('entry', name) || knowledge.is('page', name));
  return isEntry && keys.some((key) => knowledge.has('entry-data', key)) ? 'context' : null;
}

/** A resolver of GraphQL: `(parent, args, context)`, `(_, { id })`. */
function isResolver(run: Run, parameters: readonly Parameter[]): boolean {
  const [first, second] = parameters;
  if (first === undefined || second === undefined || parameters.length > 4) return false;
  if (first.keys !== undefined || !run.knowledge.is('parent', first.name)) return false;
  return second.name === 'args' || second.keys !== undefined;
}
