import { type PropagatorLine, USES, words } from '../../../rules/catalogue/line.ts';
import type { CallSite } from '../sinks/sink.ts';
import { memberOf } from './bindings.ts';
import { claimed, replacedSafely, sanitized } from './callee.ts';
import { charactersOf, foldCall, splitText, wholePattern } from './constants.ts';
import { propagatorOf } from './packages.ts';
import { prototypeValue, sourceCall } from './sources.ts';
import {
  build,
  checked,
  constant,
  derive,
  fromSource,
  madeSafe,
  partOf,
  type Source,
  stronger,
  TRUSTED,
  UNKNOWN,
  type Value,
  withOrigin,
  withRole,
} from './value.ts';

/** Give a number, a boolean, a random or a local value, whatever they are given. */
const HARMLESS = words(`
  Number parseInt parseFloat BigInt Boolean isNaN isFinite isInteger toInt toFloat toBoolean
  toDate Date now random floor ceil round abs min max randomUUID randomBytes uuid uuidv4 v4
  nanoid cuid tmpdir cwd homedir platform arch hrtime uptime hash hashSync digest md5 sha1
  sha256 sha512 checksum
`);
/** Methods whose result says little of the text they are called on. */
const HARMLESS_METHODS = words(`
  test includes startsWith endsWith indexOf lastIndexOf search localeCompare charCodeAt
  codePointAt has some every findIndex getTime
`);
/** A number that can be guessed, and text made of it. */
const RANDOM: Value = { ...TRUSTED, role: 'random' };
/** Hand on what they are given. */
const PASSING = words(`
  String Buffer.from JSON.parse decodeURIComponent decodeURI unescape atob btoa structuredClone
  Object.assign Object.values Object.keys Object.entries Object.freeze Array.from
  Array.of Promise.resolve Promise.all path.join path.resolve path.normalize path.relative
  path.dirname path.posix.join join resolve normalize dirname url.parse qs.parse qs.stringify
  querystring.parse querystring.stringify querystring.unescape util.format util.inspect format
  URL URLSearchParams Buffer fileURLToPath pathToFileURL url.fileURLToPath
  Map _.merge _.pick _.omit _.get _.cloneDeep _.trim _.defaults Set Array Promise.allSettled
`);
/** The first argument's text with the others put into it. */
const FORMATS = words('util.format format');
const WHOLE = words('String URL Buffer.from url.parse');
/** Of these, what gives an address whose members tell its host. */
const ADDRESSES = words('URL url.URL url.parse');
/** What gives a path without steps up that are not resolved. */
const RESOLVED = words(`
  path.join path.resolve path.normalize path.relative path.posix.join join resolve normalize
  fileURLToPath url.fileURLToPath
`);
/** What undoes an encoding: what was checked before may hold other characters now. */
const DECODERS = words(
  'decodeURIComponent decodeURI unescape atob querystring.unescape JSON.parse',
);
/** What holds the same elements, or the keys, of the list that it is made of. */
const LISTS = words('Set Map Array.from Object.freeze Object.keys');
const PARSERS_OF_OBJECTS = words('JSON.parse qs.parse Object.assign structuredClone');
/** Methods of an array or text that give back a part of it, in other order or letters. */
const KEEPING = words('toString trim trimStart trimEnd toLowerCase toUpperCase valueOf');
/** Methods that cut a text: what no longer begins as it did may name another place. */
const CUTS = words('slice substring substr split match exec at');
/** Methods that give an element as it is. */
const ITEMS = words('pop shift find get entries values keys filter reverse sort');
/** Names of functions that hand on text in another form. */
const DECODING = /^(?:decode|unescape|unquote)/;
const CONVERTER = /^(?:decode|normali[sz]e|unescape|trim|convert|lower|upper|unquote)/;
/** Name servers: the address is the name's. */
const RESOLVERS = words('lookup resolve4 resolve6');
/** Schema libraries: the value is what the schema lets through. */
const SCHEMA_CALLS = words(`
  parse parseAsync safeParse safeParseAsync validate validateAsync validateSync cast attempt
`);
const PARSERS = /^(?:JSON|qs|querystring|url|URL|path|Date|yaml|YAML|ini|toml|csv)$/;

/** What the result of a call is known to be; UNKNOWN for functions that nothing is known of. */
export function resultOf(site: CallSite, lines: readonly [number, number]): Value {
  const { name, receiver, args } = site;
  // A method of something that has no name is not known by a full name.
  const path = site.receiverPath === null ? '' : `${site.receiverPath}.${name}`;
  const written = receiver === null ? name : path;
  const full = site.origin !== null && PASSING.has(site.origin) ? site.origin : written;
  const special = moduleCall(site) ?? foldCall(site) ?? splitText(site);
  if (special !== null) return special;
  const clean = sanitized(site);
  if (clean !== null) return clean;
  const handed = propagatorOf(site);
  if (handed !== null && handed.callback === undefined) return handedOn(site, handed);
  if (name === 'stringify' && site.receiverPath === 'JSON')
    return { ...derive(args), isJson: true };
  if (isSchema(site)) return checked(derive(args));
  if (receiver === null || PASSING.has(full)) return plainCall(site, full, lines);
  return methodCall(site, receiver, lines);
}

function plainCall(site: CallSite, full: string, lines: readonly [number, number]): Value {
  const { args, name } = site;
  const [first, second] = args;
  if (PASSING.has(full) && !site.isDeclared) {
    const isKnown = site.origin === null || /^(?:path|url)\b/.test(site.origin);
    if (LISTS.has(full) && isKnown && first !== undefined) return listOf(full, first, args);
    if (FORMATS.has(full)) return formatted(args, lines);
    if (WHOLE.has(full)) return parsed(isKnown ? full : '', address(first, second));
    // What is joined to other text does not begin as the sender likes; `resolve` takes whole paths.
    const isBehind = args.length > 1 && first?.source == null && !full.endsWith('resolve');
    const passed = { ...derive(args), isResult: isBehind };
    const source = decoded(full, passed.source);
    if (source === null) return passed;
    if (RESOLVED.has(full) && isKnown)
      return { ...passed, source: { ...source, isResolved: true } };
    if (!PARSERS_OF_OBJECTS.has(full)) return { ...passed, source };
    return { ...passed, source: { ...source, mayBeObject: true, isWhole: full === 'JSON.parse' } };
  }
  if (HARMLESS.has(name)) return args.some(isRandom) ? RANDOM : harmless(site);
  const isConverted =
    (CONVERTER.test(name) || RESOLVERS.has(name)) && !site.isDeclared && args.length > 0;
  const converted = isConverted ? decodedBy(site, derive(args)) : UNKNOWN;
  const known = sourceCall(name, first, 0) ?? converted;
  return known === UNKNOWN && site.isNew ? instanceOf(site) : known;
}

/** What a function of the catalogue makes of its arguments. */
function handedOn({ args, receiver, name }: CallSite, line: PropagatorLine): Value {
  const inputs = line.from?.map((at) => (at < 0 ? receiver : args[at]) ?? TRUSTED) ?? args;
  const value = { ...derive(inputs), isResult: inputs.length > 1 };
  const { source } = value;
  const isWhole = line.whole === true;
  if (source === null || !(isWhole || line.decodes === true)) return value;
  // No check from before holds for what the text says once it is read.
  const text = isWhole ? source.text : `${name}(${source.text})`;
  const plain = { ...source, safeFor: [], claimedFor: [], text };
  return { ...value, source: { ...plain, mayBeObject: isWhole, isWhole } };
}

/** What a list, a set or a map of literals holds; of other data only where it comes from. */
function listOf(full: string, first: Value, args: readonly Value[]): Value {
  if (full === 'Object.freeze') return first;
  const derived = derive(args);
  if (full === 'Object.keys') {
    const names = first.source === null ? first.properties?.keys() : undefined;
    return names === undefined ? derived : { ...derived, elements: [...names].map(constant) };
  }
  const { elements } = first;
  if (full !== 'Map' || elements === null) return { ...derived, elements };
  return { ...derived, elements: elements.map((entry) => entry.elements?.[0] ?? UNKNOWN) };
}

function parsed(full: string, value: Value): Value {
  const { source } = value;
  return source === null ? value : { ...value, source: { ...source, isUrl: ADDRESSES.has(full) } };
}

/** Data after its encoding was undone: no check from before holds for it. */
function decoded(full: string, source: Source | null): Source | null {
  if (source === null || !DECODERS.has(full)) return source;
  const isJson = full === 'JSON.parse';
  return {
    ...source,
    safeFor: [],
    claimedFor: [],
    text: isJson ? source.text : `${full}(${source.text})`,
  };
}

/** What a name server answers for a host: its addresses are those of the host's address. */
function resolvedHost(args: readonly Value[]): Value {
  const value = derive(args);
  const { source } = value;
  if (source === null || source.hostOf === null) return value;
  return { ...value, source: { ...source, text: source.hostOf, isUrl: true } };
}

/** What a function of another package gives back that undoes an encoding. */
function decodedBy({ name }: CallSite, value: Value): Value {
  const { source } = value;
  if (source === null || !DECODING.test(name)) return value;
  return {
    ...value,
    source: { ...source, safeFor: [], claimedFor: [], text: `${name}(${source.text})` },
  };
}

/** By its name a number, a digest or the like: of data from outside nothing shows it. */
function harmless({ args, receiver }: CallSite): Value {
  const isOpen = args.some((arg) => arg.source !== null) && receiver?.role !== 'hash';
  return isOpen ? claimed(derive(args), USES) : TRUSTED;
}

/** An object of an imported class: its methods are that class's. */
function instanceOf({ origin }: CallSite): Value {
  return origin === null ? UNKNOWN : withOrigin(`new ${origin}`);
}

function isRandom(value: Value): boolean {
  return value.role === 'random';
}

/** pg-format quotes what it puts for `%L` and `%I`. */
function formatted(args: readonly Value[], lines: readonly [number, number]): Value {
  const text = args[0]?.constant ?? '';
  return /%[LI]/.test(text) && !text.includes('%s') ? TRUSTED : build(args, lines);
}

/** `String(x)`, `new URL(x)`: the text itself; with a base, `x` may still be a whole address. */
function address(first: Value | undefined, base: Value | undefined): Value {
  if (first === undefined) return UNKNOWN;
  const text = { ...first, source: partOf(first.source), properties: null };
  const start = first.pieces?.[0];
  if (base === undefined || base.source !== null) return text;
  const isPath = typeof start === 'string' && /^(?:\/(?!\/)|\.|\?)/.test(start);
  return isPath ? madeSafe(text, ['url', 'redirect']) : text;
}

/** `require`, `promisify`, `bind`: what comes out is still that module's function. */
export function moduleCall(site: CallSite): Value | null {
  const [first] = site.args;
  const { name } = site;
  if ((name === 'require' || name === 'import') && site.receiver === null) {
    const module = first?.constant;
    return module == null ? UNKNOWN : withOrigin(module.replace(/^node:/, ''));
  }
  if (name === 'createRequire') return withOrigin('global.require');
  if (name === 'getPrototypeOf' && first?.callable != null) return prototypeValue();
  if (name === 'get' && site.receiverPath === 'Reflect' && first?.origin != null)
    return memberOf(first, site.args[1]?.constant ?? null, '', 0);
  if (/^promisify(?:All)?$/.test(name))
    return first?.origin != null ? withOrigin(first.origin) : UNKNOWN;
  // `$({ shell: true })` is a tag with options.
  if (name === '$' && first?.properties != null)
    return { ...withOrigin(site.origin ?? 'zx.$'), properties: first.properties };
  if (name === 'createHash') return { ...withRole('hash'), constant: first?.constant ?? null };
  if (name === 'update' && site.receiver?.role === 'hash') return site.receiver;
  if (/^readFile(?:Sync)?$/.test(name) && first?.source != null) return uploaded(first.source);
  if (name === 'random' && /^(?:Math|_|lodash)$/.test(site.receiverPath ?? '')) return RANDOM;
  if (name === 'RegExp' && site.receiver === null && !site.isDeclared && first?.constant != null)
    return regexOf(first, site.args[1]);
  if (/^(?:\$|jQuery)$/.test(name) && site.receiver === null) return withRole('elements');
  if (/^(?:create|extend|instance|defaults)$/.test(name)) {
    const client = site.receiver?.origin ?? site.receiverPath ?? '';
    if (/^(?:axios|got|ky|request)$/.test(client)) return withOrigin(client);
  }
  if (name === 'getEntries' && site.receiver !== null) return withRole('archive');
  if (name === 'collection' && site.receiver !== null) return withRole('collection');
  if (name === 'bind' && site.receiver?.origin != null) return withOrigin(site.receiver.origin);
  return null;
}

/** What the file holds that a form brought: `readFileSync(req.file.path)`. */
function uploaded(source: Source): Value | null {
  const isStored = source.strength === 'strong' && /\bfiles?\b.*\.\w*[pP]ath$/.test(source.text);
  return isStored
    ? fromSource({ ...source, safeFor: [], mayBeObject: false, isWhole: false })
    : null;
}

/** `new RegExp('^[a-z]+$', 'm')` */
function regexOf(pattern: Value, flags: Value | undefined): Value {
  if (pattern.role === 'regex') return pattern;
  const properties = new Map([['flags', flags ?? constant('')]]);
  // Flags that are not known may hold any.
  if (flags !== undefined && flags.constant === null) properties.set('flags', constant('m'));
  return { ...withRole('regex'), constant: pattern.constant, properties, isTrusted: true };
}

function isSchema(site: CallSite): boolean {
  if (!SCHEMA_CALLS.has(site.name) || site.receiver === null) return false;
  return site.receiver.source === null && !PARSERS.test(site.receiverPath ?? '');
}

function methodCall(site: CallSite, receiver: Value, lines: readonly [number, number]): Value {
  const { name, args } = site;
  if (isRandom(receiver) || args.some(isRandom)) return RANDOM;
  if (DECODING.test(name) && args.length > 0 && receiver.source === null) {
    return decodedBy(site, derive(args));
  }
  if (HARMLESS_METHODS.has(name)) return receiver.origin === null ? TRUSTED : UNKNOWN;
  if (HARMLESS.has(name)) return harmless(site);
  if (RESOLVERS.has(name)) return resolvedHost(args);
  // Text as bytes is the same text: `Buffer.from(key)`, `encoder.encode(key)`.
  if (name === 'encode' && args[0]?.constant != null) return args[0];
  if (KEEPING.has(name) && (receiver.constant !== null || receiver.pieces !== null))
    return receiver;
  if (name === 'concat' && receiver.elements === null) return build([receiver, ...args], lines);
  if (name === 'join') return joinElements(receiver, args[0], lines);
  if (name === 'concat') return derive([receiver, ...args]);
  // The callback's result says what the new elements are.
  if (name === 'map' && HARMLESS.has(site.argumentName(0))) return TRUSTED;
  if (name === 'map' || name === 'flatMap') return derive(args.slice(0, 1));
  if (name === 'reduce' && args[0]?.source != null) return derive(args.slice(0, 2));
  if (name === 'fill') return derive(args.slice(0, 1));
  if (/^replace(?:All)?$/.test(name)) {
    return replacedSafely(receiver, args[0], args[1]) ?? replaced(receiver, args[1], lines);
  }
  const matched = matchOf(site, receiver);
  if (matched !== null) return matched;
  if (CUTS.has(name)) return cut(receiver);
  if (site.isNew) return instanceOf(site);
  if (receiver.role === 'elements') return receiver;
  if (receiver.source !== null) {
    return { ...UNKNOWN, source: ITEMS.has(name) ? receiver.source : partOf(receiver.source) };
  }
  return receiver.isTrusted && args.every((arg) => arg.isTrusted) ? TRUSTED : UNKNOWN;
}

/** `regex.exec(text)`, `text.match(regex)`: parts of the text, harmless if the regex is strict. */
function matchOf({ name, args }: CallSite, receiver: Value): Value | null {
  const [first] = args;
  if (first === undefined) return null;
  const isExec = name === 'exec' && receiver.role === 'regex';
  const isMatch = /^match(?:All)?$/.test(name) && first.role === 'regex';
  if (!isExec && !isMatch) return null;
  const [regex, text] = isExec ? [receiver, first] : [first, receiver];
  const uses = charactersOf(wholePattern(regex) ?? '');
  if (uses === null) return cut(text);
  return uses.length === USES.length ? TRUSTED : madeSafe(cut(text), uses);
}

/** A part of a text may mean something else than the whole: `req.url.slice(1)`. */
function cut(receiver: Value): Value {
  const source = partOf(receiver.source);
  if (source === null) return receiver.isTrusted ? TRUSTED : UNKNOWN;
  const safeFor = source.safeFor.filter((use) => use !== 'url' && use !== 'redirect');
  return { ...UNKNOWN, source: { ...source, safeFor, hostOf: null, isUrl: false } };
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
