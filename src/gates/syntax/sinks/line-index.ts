import type { CatalogueLine } from '../../../rules/catalogue/line.ts';
import type { CallSite } from './sink.ts';

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
