/** A package as a lockfile has it. What a hunk does not show is null. */
export interface LockedPackage {
  name: string | null;
  version: string | null;
  /** Where it comes from: a URL, `git+...`, `file:...`, `link:`; null when it is not said. */
  source: string | null;
  /** The name under which others import it, if that is another one. */
  alias?: string | null;
  /** Further addresses: of its archives, or of its repository. */
  alsoFrom?: readonly string[];
  hashes: readonly PackageHash[];
  /** All of them as one text, where a reader has that; equal texts are equal checksums. */
  hashText?: string;
  /** It runs a script when it is installed. */
  hasScript: boolean;
  /** It is installed for development alone; absent: it is not, or the lockfile does not say. */
  isDev?: boolean;
  /** Names of packages that it depends on. */
  requires: readonly string[];
  /** The place in the lockfile by which it is known: `node_modules/a`, or name and version. */
  key: string | null;
  /** Number of the hunk that shows it; 0 in a whole file. */
  hunk: number;
  /** Index of its first line in the text that was read, and of the line that names its source. */
  line: number;
  sourceLine: number;
  /** Of its checksums, where these have no lines of their own. */
  hashLine?: number;
}

/** A checksum of what is downloaded. */
export interface PackageHash {
  /** The file that it is of; '' where a package is one file. */
  file: string;
  /** `sha512`, or the like; checksums of different algorithms say nothing of each other. */
  algorithm: string;
  value: string;
  /** -1: the package says (`hashLine`). */
  line: number;
}

/** What a reader makes of a lockfile, or of the part of it that a hunk shows. */
export interface LockedPackages {
  packages: readonly LockedPackage[];
  /** Names that the root of the lockfile asks for; null: it does not list them. */
  roots: readonly string[] | null;
  /**
   * Under which version of its cache yarn made the checksums, which are of the archives in the
   * cache; null: the text does not say, or is of another tool.
   */
  cache?: string | null;
  /** False: it never says which packages have an install script. */
  saysScripts?: boolean;
  /** What it says besides of packages; an addition is a finding. */
  remarks?: readonly Remark[];
  /** The first thing that no tool writes in this place, and so could be read in two ways. */
  problem: string | null;
}

export interface Remark {
  kind: 'integrity-removed' | 'name-mismatch' | 'source-changed';
  /** A sentence, by which it is known. */
  text: string;
  /** Looks up its line, from 0. */
  line: () => number;
  isLesser: boolean;
  /** The package that is there in place of another one; a manifest may ask for that. */
  real?: string;
}

/**
 * Reads a lockfile. `isPart`: the text is one side of a hunk, which may begin and end anywhere.
 * Linear in the text.
 */
export type ReadLockfile = (text: string, isPart: boolean) => LockedPackages;

/** Collects the fields of a package while its lines are read. */
export function emptyPackage(line: number): Draft {
  return {
    name: null,
    version: null,
    source: null,
    hashes: [],
    hasScript: false,
    requires: [],
    key: null,
    hunk: 0,
    line,
    sourceLine: line,
  };
}

/** A package whose lines are still being read. */
export interface Draft extends LockedPackage {
  hashes: PackageHash[];
  requires: string[];
  alsoFrom?: string[];
}

/**
 * An address that stands in the place of a version, as npm 6 and pnpm write it; null: it is a
 * version.
 */
export function addressIn(version: string): string | null {
  return /^(?:git[+@:]|ssh:|https?:|file:|link:|github:|gitlab:|bitbucket:|gist:)/i.test(version)
    ? version
    : null;
}

/** A version of git, with its commit: another commit is another version. */
export function withCommit(version: string | null, source: string | null): string | null {
  const [, ref] =
    /^(?:git|ssh:|github:|gitlab:|bitbucket:)[^#]*#(?:commit=)?(\w{1,64})/.exec(source ?? '') ?? [];
  return ref === undefined || version?.includes('#') ? version : `${version ?? ''}#${ref}`;
}

/** What programs take of Subresource Integrity; they skip others, as if none was there. */
const SRI_ALGORITHMS: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha384', 'sha512']);

/**
 * Checksums in the notation of Subresource Integrity (`sha512-...`, w3.org/TR/sri-2), several with
 * blanks between, or with another sign between algorithm and value.
 */
export function hashesIn(text: string, line: number, file = '', sign = '-'): PackageHash[] {
  const hashes: PackageHash[] = [];
  for (const one of text.includes(' ') ? text.split(' ') : [text]) {
    const at = one.indexOf(sign);
    const algorithm = at === -1 ? '' : one.slice(0, at);
    const isRead = one !== '' && (sign !== '-' || SRI_ALGORITHMS.has(algorithm));
    if (isRead) hashes.push({ file, algorithm, value: one.slice(at + 1), line });
  }
  return hashes;
}

/** The text of a line without quotes around it. */
export function unquoted(text: string): string {
  const quote = text[0];
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}
