import {
  type CatalogueLine,
  type SanitizerLine,
  USES,
  type Use,
} from '../../../rules/catalogue/line.ts';
import { sanitizers } from '../../../rules/catalogue/sanitizers.ts';
import type { CallSite } from '../sinks/sink.ts';
import { charactersOf } from './constants.ts';
import { claimedSafe, madeSafe, partOf, RESULT, TRUSTED, UNKNOWN, type Value } from './value.ts';

/** What resolving a call to a line of the catalogue needs of it. */
type Named = Pick<
  CallSite,
  'name' | 'origin' | 'isDeclared' | 'isPatched' | 'callable' | 'receiver' | 'receiverPath'
>;

/** `lodash/escape`, `validator/lib/escape.js`: a package's export by the file that holds it. */
const EXPORT_FILE = /^((?:@[^/]+\/)?[^/.]+)\/(?:(?:lib|es|esm|dist|fp)\/)?([\w-]+)(?:\.js)?$/;
/** Namespaces that hold the same functions once more. */
const NAMESPACES = /\.(?:default|posix|win32|strict)(?=\.|$)/g;

/**
 * Lines of the catalogue by the functions they name. A call resolves by what it was imported as;
 * where nothing in view declares its first name, by the names that everybody imports the package
 * as. What is declared in view is that and nothing else, whatever it is called.
 */
export class Catalogue<L extends CatalogueLine> {
  readonly #byOrigin = new Map<string, L>();
  readonly #byAlias = new Map<string, L>();
  readonly #names = new Set<string>();
  /** Last names of all exports: most calls have another one. */
  readonly #lastNames = new Set<string>();

  constructor(lines: readonly L[]) {
    for (const line of lines) {
      for (const name of line.exports.split(' ')) {
        const isGlobal = line.package === 'global';
        this.#lastNames.add(name.split('.').at(-1) ?? '');
        if (isGlobal) this.#byAlias.set(name, line);
        else
          this.#byOrigin.set(name === 'default' ? line.package : `${line.package}.${name}`, line);
        for (const alias of line.aliases?.split(' ') ?? []) {
          if (name !== 'default') this.#byAlias.set(`${alias}.${name}`, line);
        }
      }
    }
    for (const path of this.#byAlias.keys()) this.#names.add(path.split('.', 1)[0] ?? '');
  }

  /** The line for the function that is called; null for another one, or an unknown one. */
  find(site: Named): L | null {
    const { name, origin, receiver, receiverPath } = site;
    if (site.callable !== null || site.isPatched) return null;
    if (origin !== null) return this.findOrigin(origin);
    if (site.isDeclared || !this.#lastNames.has(name)) return null;
    if (receiver === null) return this.#byAlias.get(name) ?? null;
    const path = receiverPath?.replace(/^(?:window|globalThis|this)\./, '') ?? '';
    return this.#byAlias.get(`${path}.${name}`.replace(NAMESPACES, '')) ?? null;
  }

  /** Whether a name means something of the catalogue where nothing declares it. */
  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** The line for something imported: `lodash.escape`. */
  findOrigin(origin: string): L | null {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined || !/[/]|\.(?:default|posix|win32|strict)/.test(origin))
      return known ?? null;
    const plain = origin.replace(NAMESPACES, '');
    return (
      this.#byOrigin.get(plain) ?? this.#byOrigin.get(plain.replace(EXPORT_FILE, '$1.$2')) ?? null
    );
  }
}

const KNOWN = new Catalogue<SanitizerLine>(sanitizers);

/** Whether a name means a function or package of the catalogue where nothing declares it. */
export function isKnownName(name: string): boolean {
  return KNOWN.hasName(name);
}

/** Names of functions that promise to make a text harmless, and those for HTML alone. */
const PROMISING =
  /^(?!un|de)\w*(?:escape|saniti[sz]e|quote|slugify|clean|purify)|^(?:parameterize|encodeSQL|slug|kebabCase|basename|validated?)$/i;
const PROMISING_HTML =
  /^(?:encode|escape|saniti[sz]e|clean|strip|purify|filter)\w*(?:html|xml|markup|tags|entities|xss)\w*$|^(?:xss|filterXSS|striptags|htmlEncode|htmlspecialchars|purify|escapeHTML)$/i;

/** What a cleaning function makes of its first argument; null for another function. */
export function sanitized(site: CallSite): Value | null {
  const [first] = site.args;
  if (first === undefined) return null;
  const known = KNOWN.find(site);
  if (known !== null) return clean(first, known.safeFor);
  const uses = PROMISING_HTML.test(site.name) ? HTML : PROMISING.test(site.name) ? USES : null;
  return uses === null ? null : claimed(first, uses);
}

const HTML: readonly Use[] = ['html'];

/** The data after a function of which only the name is known. */
export function claimed(value: Value, uses: readonly Use[]): Value {
  const { source } = value;
  if (source === null) return RESULT;
  return claimedSafe({ ...UNKNOWN, source: partOf(source) }, uses);
}

/** The same data in another spelling. */
function clean(value: Value, uses: readonly Use[]): Value {
  const { source } = value;
  // What can be guessed stays so as another number.
  if (uses.length === USES.length) {
    return value.role === 'random' ? { ...TRUSTED, role: 'random' } : TRUSTED;
  }
  if (source === null) return value.isTrusted ? TRUSTED : { ...UNKNOWN, safeFor: uses };
  return madeSafe({ ...UNKNOWN, source: partOf(source) }, uses);
}

/** What is left of a text after `replace(pattern, by)`; null when that makes nothing safe. */
export function replacedSafely(
  receiver: Value,
  pattern: Value | undefined,
  by: Value | undefined,
): Value | null {
  const text = pattern?.constant ?? null;
  if (text === null || pattern?.role !== 'regex') return null;
  const isGlobal = pattern.properties?.get('flags')?.constant?.includes('g') === true;
  // `replace(/[&<>"']/g, (c) => ENTITIES[c])`
  if (by?.callable != null && isGlobal && /^\[[^\]]*<[^\]]*\]$/.test(text) && givesOther(by))
    return madeSafe(receiver, HTML);
  if (by?.constant == null) return null;
  const kept = isGlobal ? keptBy(text) : null;
  if (kept !== null && charactersOf(`^[${by.constant}]*$`) !== null) return clean(receiver, kept);
  // `normalize(p).replace(/^(\.\.(\/|\\|$))+/, '')` takes away every step up.
  const isStart = text.startsWith('^') && text.includes('\\.\\.');
  if (isStart && receiver.source?.isResolved === true) return madeSafe(receiver, ['path']);
  if (isGlobal && by.constant.includes('\\$&')) return madeSafe(receiver, ['regex']);
  const isEscaped = by.constant.startsWith('&') && by.constant.endsWith(';');
  return isGlobal && isEscaped && /[<&]/.test(text) ? madeSafe(receiver, HTML) : null;
}

/** `[^\w.-]` with or without a `+`: the characters of the class stay, as those of `[\w.-]*`. */
function keptBy(pattern: string): readonly Use[] | null {
  const kept = /^\[\^((?:[^\]\\]|\\.)*)\][+*]?$/.exec(pattern)?.[1];
  return kept === undefined ? null : charactersOf(`^[${kept}]*$`);
}

/** A function that gives a character back as it came escapes nothing. */
function givesOther({ isTrusted, source, callable }: Value): boolean {
  if (callable === null) return false;
  return isTrusted || source === null;
}
