import { namedPart, originOf } from './origins.ts';

/** What ends an address in manifests of any notation. */
const END = '\\s"\'`,;<>()\\[\\]{}';
/** An address with a scheme, and for git `git@host:owner/name`. */
const ADDRESS = new RegExp(
  String.raw`\b(?:(?:[a-z]{1,10}\+)?[a-z]{1,10}:\/\/|git@)[^${END}]+`,
  'g',
);
/** `github:owner/name` of npm, and `github: "owner/name"` of Bundler. */
const SHORT = /\b(github|gitlab|bitbucket)(?::| ?=> ?)(?: ?["'])?([\w.-]+\/[\w.-]+)/g;
/** `"name": "owner/name#branch"` of npm, which only asks for this package. */
const BARE = /"(@?[\w./-]{1,214})": ?"([\w.-]+\/[\w.-]+)(?:#[^"]*)?"/g;
/** `source = "registry.acme.io/acme/core"` of a provider of Terraform. */
const PROVIDER = /\bsource\s{0,20}=\s{0,20}"([\w-]+(?:\.[\w-]+)+(?::\d+)?)\/[\w-]+\/[\w-]+"/g;
/** `file:../a.tgz`, `path = "../a"`. */
const PATH = new RegExp(
  String.raw`(?<![\w.-])(?:(?:file|link|portal):|path["']? ?(?:[:=]|=>)? ?["'])(?:\.\/)?([^${END}]+)`,
  'g',
);

/**
 * Whether manifests ask for what comes from a server, repository or path: `part` is the origin
 * without its site (`namedPart`), or the path, of a package. Whole addresses are compared, so that
 * `@types/node` does not name github.com/types/node. Linear in the texts, which are read once.
 */
export function sourcesNamedIn(texts: readonly string[]): (part: string, name: string) => boolean {
  let named: ReadonlySet<string> | null = null;
  return (part, name) => {
    if (part === '') return false;
    named ??= namedSources(texts);
    const plain = plainPart(part);
    return named.has(plain) || named.has(asksFor(name, plain));
  };
}

function namedSources(texts: readonly string[]): ReadonlySet<string> {
  const named = new Set<string>();
  const add = (address: string) => {
    const origin = originOf(address);
    if (origin !== null) named.add(plainPart(namedPart(origin)));
  };
  for (const text of texts) {
    // JSON may escape slashes.
    const lowered = text.toLowerCase().replaceAll('\\/', '/');
    for (const [address] of lowered.matchAll(ADDRESS)) {
      for (const one of [address, withoutBranch(address)]) {
        add(one);
        add(`git+${one}`);
        add(`registry+${one}`);
      }
    }
    for (const [, site, repository] of lowered.matchAll(SHORT)) add(`${site}:${repository}`);
    for (const [, name = '', repository = ''] of lowered.matchAll(BARE)) {
      named.add(asksFor(name, plainPart(repository.replace(/\.git$/, ''))));
    }
    for (const [, host = ''] of lowered.matchAll(PROVIDER)) named.add(host);
    for (const [, path = ''] of lowered.matchAll(PATH)) named.add(plainPart(path));
  }
  return named;
}

/** pip has the branch or commit behind the address: `git+https://github.com/acme/core@v1`. */
function withoutBranch(address: string): string {
  const path = address.indexOf('/', address.indexOf('://') + '://'.length);
  const at = path === -1 ? -1 : address.indexOf('@', path);
  return at === -1 ? address : address.slice(0, at);
}

const plainPart = (part: string) => part.toLowerCase().replace(/\/$/, '');
const asksFor = (name: string, repository: string) => `${name.toLowerCase()} ${repository}`;
