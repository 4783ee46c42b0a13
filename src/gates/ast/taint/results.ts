import type { CallSite } from '../sinks/sink.ts';
import { words } from '../words.ts';
import { sourceCall } from './sources.ts';
import {
  build,
  checked,
  derive,
  stronger,
  TRUSTED,
  UNKNOWN,
  type Value,
  withOrigin,
} from './value.ts';

/** Give a number, a boolean, a random or a local value, whatever they are given. */
const HARMLESS = words(`
  Number parseInt parseFloat BigInt Boolean isNaN isFinite isInteger Date now random floor ceil
  round abs min max randomUUID randomBytes uuid uuidv4 v4 nanoid cuid tmpdir cwd homedir
  platform arch hrtime uptime hash hashSync digest md5 sha1 sha256 sha512 checksum
`);
/** Methods whose result says little of the text they are called on. */
const HARMLESS_METHODS = words(`
  test includes startsWith endsWith indexOf lastIndexOf search localeCompare charCodeAt
  codePointAt has some every findIndex getTime
`);
/** Hand on what they are given. */
const PASSING = words(`
  String Buffer.from JSON.parse decodeURIComponent decodeURI unescape encodeURIComponent
  encodeURI atob btoa structuredClone Object.assign Object.values Object.keys Object.entries
  Object.fromEntries Object.freeze Array.from Array.of Promise.resolve Promise.all path.join
  path.resolve path.normalize path.relative path.dirname path.basename path.extname
  path.posix.join join resolve normalize dirname basename url.parse qs.parse qs.stringify
  querystring.parse querystring.stringify querystring.unescape util.format util.inspect format
  URL URLSearchParams Buffer fileURLToPath pathToFileURL url.fileURLToPath
  _.merge _.pick _.omit _.get _.cloneDeep _.trim _.defaults Set Array Promise.allSettled
`);
/** Methods of an array or text that give back a part of it, in other order or letters. */
const KEEPING = words('toString trim trimStart trimEnd toLowerCase toUpperCase valueOf');
/** Names of functions that make a text harmless where it goes. */
const SANITIZER =
  /^(?!un|de)\w*(?:escape|saniti[sz]e|purify|quote|slugify)|^(?:parameterize|encodeSQL)$/i;
/** Schema libraries: the value is what the schema lets through. */
const SCHEMA_CALLS = words(`
  parse parseAsync safeParse safeParseAsync validate validateAsync validateSync cast attempt
`);
const PARSERS = /^(?:JSON|qs|querystring|url|URL|path|Date|yaml|YAML|ini|toml|csv)$/;

/** What the result of a call is known to be; UNKNOWN for functions that nothing is known of. */
export function resultOf(site: CallSite, lines: readonly [number, number]): Value {
  const { name, receiver, args } = site;
  // A method of something that has no name is none of those known by their full name.
  const path = site.receiverPath === null ? '' : `${site.receiverPath}.${name}`;
  const full = receiver === null ? name : path;
  const special = moduleCall(site);
  if (special !== null) return special;
  if (args.length > 0 && SANITIZER.test(name)) return TRUSTED;
  if (name === 'stringify' && site.receiverPath === 'JSON')
    return { ...derive(args), isJson: true };
  if (isSchema(site)) return checked(derive(args));
  if (receiver === null || PASSING.has(full)) return plainCall(site, full);
  return methodCall(site, receiver, lines);
}

function plainCall(site: CallSite, full: string): Value {
  if (PASSING.has(full) && !site.isDeclared) {
    const isText = full === 'String' && site.args.length === 1;
    return isText && site.args[0]?.pieces != null ? site.args[0] : derive(site.args);
  }
  if (HARMLESS.has(site.name)) return TRUSTED;
  return sourceCall(site.name, 0) ?? UNKNOWN;
}

/** `require`, `promisify`, `bind`: what comes out is still that module's function. */
function moduleCall(site: CallSite): Value | null {
  const [first] = site.args;
  const { name } = site;
  if ((name === 'require' || name === 'import') && site.receiver === null) {
    const module = first?.constant;
    return module == null ? UNKNOWN : withOrigin(module.replace(/^node:/, ''));
  }
  if (/^promisify(?:All)?$/.test(name))
    return first?.origin != null ? withOrigin(first.origin) : UNKNOWN;
  if (name === 'bind' && site.receiver?.origin != null) return withOrigin(site.receiver.origin);
  return null;
}

function isSchema(site: CallSite): boolean {
  if (!SCHEMA_CALLS.has(site.name) || site.receiver === null) return false;
  return site.receiver.source === null && !PARSERS.test(site.receiverPath ?? '');
}

function methodCall(site: CallSite, receiver: Value, lines: readonly [number, number]): Value {
  const { name, args } = site;
  if (HARMLESS_METHODS.has(name) || HARMLESS.has(name)) return TRUSTED;
  if (KEEPING.has(name) && (receiver.constant !== null || receiver.pieces !== null))
    return receiver;
  if (name === 'concat' && receiver.elements === null) return build([receiver, ...args], lines);
  if (name === 'join') return joinElements(receiver, args[0], lines);
  if (name === 'concat') return derive([receiver, ...args]);
  // The callback's result says what the new elements are.
  if (name === 'map' || name === 'flatMap') return { ...derive(args.slice(0, 1)), role: null };
  if (name === 'fill') return derive(args.slice(0, 1));
  if (/^replace(?:All)?$/.test(name)) return replaced(receiver, args[1], lines);
  if (receiver.source !== null) return { ...UNKNOWN, source: receiver.source };
  return receiver.isTrusted && args.every((arg) => arg.isTrusted) ? TRUSTED : UNKNOWN;
}

/** `['a', b].join(' ')`. */
function joinElements(
  receiver: Value,
  separator: Value | undefined,
  lines: readonly [number, number],
): Value {
  if (receiver.elements === null) return derive([receiver]);
  const parts: Value[] = [];
  for (const [index, element] of receiver.elements.entries()) {
    if (index > 0) parts.push(separator ?? { ...TRUSTED, constant: ',' });
    parts.push(element);
  }
  return build(parts, lines);
}

/** The old text with something of the new one in it. */
function replaced(receiver: Value, by: Value | undefined, lines: readonly [number, number]): Value {
  const source = stronger(receiver.source, by?.source ?? null);
  if (receiver.constant === null && receiver.pieces === null) {
    return source === null && receiver.isTrusted ? TRUSTED : { ...UNKNOWN, source };
  }
  return by === undefined || by.isTrusted ? receiver : build([receiver, by], lines);
}
