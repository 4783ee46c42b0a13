import { consumers } from '../../../rules/catalogue/javascript.ts';
import { type ConsumerLine, words } from '../../../rules/catalogue/line.ts';
import { nameOf, patternKeys, patternOf } from './bindings.ts';
import { bare, isFunction, list, type SyntaxNode } from './node.ts';
import { type Named, parametersFor, parametersUnder, propagatorOf } from './packages.ts';
import { isRequestData, memberOfSource, roleOf } from './sources.ts';
import { fromSource, outside, UNKNOWN, type Value, withRole } from './value.ts';

/** Methods that call back with an element of what they are called on. */
const ELEMENT_CALLBACKS = words(`
  map forEach filter flatMap find some every reduce findIndex sort findLast each
`);
/** `.on(name, callback)` of a request: these bring data. */
const DATA_EVENTS = words('data message readable field file');
/** Events of a socket that bring none. */
const STATE_EVENTS = words(`
  connect connection disconnect disconnecting error close end drain timeout open pong ping
  listening ready lookup upgrade reconnect secureConnect
`);
/** Methods of a router that register a handler for a path. */
const ROUTE_CALLS = words(`
  get post put patch delete del all use options head route any handle addRoute
`);
/** Names of routers; a client's `get` has callbacks too. */
const ROUTERS =
  /(?:^|\.)(?:\w*[aA]pp|\w*[rR]oute(?:r|s)?|\w*[sS]erver|fastify|instance|hono|express|koa|f)$/;
/** Where a server of the Model Context Protocol gets a tool. */
const TOOL_CALLS = /^(?:tool|registerTool|addTool)$/;
/** Events by which chats and message brokers bring text. */
const CHAT_EVENTS = /^(?:message|messageCreate|message_create|text|interactionCreate)$/;
/** Where a server gets its only handler. */
const SERVER_CALLS = words('createServer createSecureServer serve');
/** What any page may send messages to; sockets and workers are the program's own. */
const WINDOWS = /^(?:window|self|globalThis|parent|top)$/;
const SERVERS =
  /(?:^|\.)(?:io|wss?|server|httpServer|nsp|namespace|net|wsServer|socketServer|mcp|mcpServer)$/;

/** What registers a procedure that clients call: tRPC, oRPC, next-safe-action. */
const PROCEDURES = words('query mutation subscription action handler');
/** What such a procedure calls the client's data. */
const INPUTS = words('input rawInput parsedInput clientInput');

/** Consumers of messages by the method that takes their function, and by its option's name. */
const BY_METHOD = new Map<string, ConsumerLine[]>();
const BY_OPTION = new Map<string, ConsumerLine>();
for (const line of consumers) {
  if (line.option !== undefined) BY_OPTION.set(line.option, line);
  else {
    for (const name of line.exports.split(' '))
      BY_METHOD.set(name, [...(BY_METHOD.get(name) ?? []), line]);
  }
}

/** What holds a function that is written elsewhere. */
const NAMED = /^(?:Identifier|MemberExpression)$/;

/** What a callback's parameters are by the call that it is given to, as far as that tells. */
export function callbackValues(
  callee: Named,
  argument: SyntaxNode | null,
  before: readonly Value[],
  index: number,
): readonly Value[] {
  const inner = bare(argument);
  if (inner === null || !(isFunction(inner) || NAMED.test(inner.type ?? ''))) return [];
  const { receiver, receiverPath, name } = callee;
  if (SERVER_CALLS.has(name) && isFunction(inner)) return serverHandler(inner, receiverPath);
  const event = before[0]?.constant ?? '';
  if (name === 'addEventListener' && event === 'message' && WINDOWS.test(receiverPath ?? 'self'))
    return [withRole('event')];
  const message = messageTo(callee, event, index) ?? parametersFor(callee, event);
  if (message !== null) return message;
  const handed = propagatorOf(callee);
  if (handed?.callback !== undefined) {
    const element = elementOf(before[handed.from?.[0] ?? 0] ?? UNKNOWN);
    return [...new Array<Value>(handed.callback).fill(UNKNOWN), element];
  }
  if (receiver === null) return [];
  if (PROCEDURES.has(name) && isFunction(inner)) {
    const procedure = procedureValues(inner);
    if (procedure.length > 0) return procedure;
  }
  const foreign = foreignValues(name, receiverPath ?? '', event);
  if (foreign.length > 0) return foreign;
  if (name === 'then' && index === 0) return [receiver];
  const isNamed = !isFunction(inner);
  // `text.replace(/.+/, eval)`: the match is part of the text.
  if (isNamed && index === 1 && /^replace(?:All)?$/.test(name)) return [receiver];
  if (isNamed && index === 1 && name === 'from' && receiverPath === 'Array') {
    return [elementOf(before[0] ?? UNKNOWN)];
  }
  if (name === 'on' || name === 'once' || name === 'addListener') {
    return eventValues(receiver, receiverPath ?? '', event);
  }
  const isRouter = receiverPath === null || ROUTERS.test(receiverPath);
  if (isRouter && isRoute(name, before) && isFunction(inner)) return handlerValues(inner);
  if (!ELEMENT_CALLBACKS.has(name)) return [];
  const element = elementOf(receiver);
  if (element === UNKNOWN) return [];
  return name === 'reduce' ? [UNKNOWN, element] : [element];
}

/** `({ input }) => ...` of a procedure, whose builder is another module's. */
function procedureValues(node: SyntaxNode): readonly Value[] {
  const [first = null] = list(node, 'params').map(patternOf);
  if (first?.type !== 'ObjectPattern') return [];
  const keys = patternKeys(first).filter((key) => INPUTS.has(key));
  if (keys.length === 0) return [];
  const properties = new Map(keys.map((key) => [key, outside('strong', key, 0)] as const));
  return [{ ...UNKNOWN, properties }];
}

/** The parameters of a function that an option of that name, of what is called, gives data to. */
export function optionValues(option: string, taker: Named | null): readonly Value[] {
  const line = BY_OPTION.get(option);
  if (line !== undefined) return parametersOf(line);
  return taker === null ? [] : parametersUnder(taker, option);
}

/** The parameters of a function that a queue or broker gives messages to; null for others. */
function messageTo(
  { name, origin, receiver, receiverPath }: Parameters<typeof callbackValues>[0],
  event: string,
  index: number,
): readonly Value[] | null {
  const lines = BY_METHOD.get(origin === 'bullmq.Worker' ? 'Worker' : name);
  if (lines === undefined) return null;
  const last = receiverPath?.split('.').at(-1) ?? '';
  const line = lines.find((item) => {
    if (item.exports === 'Worker')
      return index === 1 && (origin === null || origin === 'bullmq.Worker');
    if (receiver === null) return false;
    if (item.event !== undefined && (item.event !== event || index !== 1)) return false;
    return item.receivers === undefined
      ? index > 0
      : item.receivers.split(' ').some((known) => last.toLowerCase().endsWith(known.toLowerCase()));
  });
  return line === undefined ? null : parametersOf(line);
}

function parametersOf({ package: name, parameter }: ConsumerLine): readonly Value[] {
  const message = outside('strong', `message of ${name}`, 0, { mayBeObject: true });
  return [...new Array<Value>(parameter).fill(UNKNOWN), message];
}

/** Tools that a model calls, messages between processes of a desktop program, chats and queues. */
function foreignValues(name: string, path: string, event: string): readonly Value[] {
  const data = (text: string) => outside('strong', text, 0, { mayBeObject: true });
  if (TOOL_CALLS.test(name) && SERVERS.test(path)) return [data('arguments of the tool')];
  if (/(?:^|\.)ipcMain$/.test(path) && /^(?:on|once|handle|handleOnce)$/.test(name)) {
    return [UNKNOWN, data(`${event} message`), data(`${event} message`)];
  }
  const isChat = /(?:^|\.)(?:\w*[bB]ot|\w*[cC]lient)$/.test(path) && CHAT_EVENTS.test(event);
  return isChat && /^(?:on|once)$/.test(name)
    ? [data(`${event} event`), data(`${event} event`)]
    : [];
}

function eventValues(receiver: Value, path: string, event: string): readonly Value[] {
  const data = outside('strong', `${event} event`, 0, { mayBeObject: true });
  if (receiver.role === 'request' && DATA_EVENTS.has(event)) return [data];
  if (event === 'request' && SERVERS.test(path)) return [withRole('request')];
  if (event === 'connection' && SERVERS.test(path)) return [withRole('socket')];
  if (event === 'entry') return [withRole('archive')];
  const isSocket = receiver.role === 'socket' && event !== '' && !STATE_EVENTS.has(event);
  return isSocket ? [data, data] : [];
}

/** `app.get('/path', handler)`, `app.use(handler)`. */
function isRoute(name: string, before: readonly Value[]): boolean {
  if (!ROUTE_CALLS.has(name)) return false;
  const [path] = before;
  if (path === undefined) return name === 'use';
  return path.role === 'regex' || /^(?:\/|\*|$)/.test(path.constant ?? 'none');
}

/** `(req, res)` under any name; a single parameter is a context. Names that tell are let be. */
function handlerValues(node: SyntaxNode): readonly Value[] {
  const params = list(node, 'params').map(patternOf);
  const [first] = params;
  if (first?.type === 'ObjectPattern' && params.length === 1) {
    return patternKeys(first).some(isRequestData) ? [withRole('request')] : [];
  }
  if (first?.type !== 'Identifier' || roleOf(nameOf(first)) !== null) return [];
  // `(err, req, res, next)`
  if (params.length > 3 || /^_?e(?:rr(?:or)?)?$/.test(nameOf(first))) return [];
  return [withRole(params.length === 1 ? 'context' : 'request')];
}

function serverHandler(node: SyntaxNode, receiverPath: string | null): readonly Value[] {
  if (receiverPath === 'net' || receiverPath === 'tls') return [withRole('socket')];
  return list(node, 'params').length === 2 ? [withRole('request')] : [];
}

function elementOf(value: Value): Value {
  if (value.role === 'archive') return value;
  if (value.source !== null) return fromSource(memberOfSource(value.source, null));
  return value.isTrusted ? { ...UNKNOWN, isTrusted: true } : UNKNOWN;
}
