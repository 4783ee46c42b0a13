import {
  emptyPackage,
  hashesIn,
  type LockedPackage,
  type LockedPackages,
} from './locked-package.ts';

/** Reads `go.sum` (go.dev/ref/mod#go-sum-files): module, version, `h1:` and the checksum. */
export function readGoSum(text: string): LockedPackages {
  const packages: LockedPackage[] = [];
  let problem: string | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '') continue;
    const [name, version, hash, ...more] = content.split(' ');
    // Go reads no other checksum.
    const isKnown = hash?.startsWith('h1:') === true && more.length === 0;
    if (name === undefined || version === undefined || hash === undefined || !isKnown) {
      problem ??= `line ${line + 1} is not "module version h1:checksum"`;
      continue;
    }
    const hashes = hashesIn(hash, line, '', ':');
    packages.push({ ...emptyPackage(line), key: `${name}@${version}`, name, version, hashes });
  }
  return { packages, roots: null, problem };
}
