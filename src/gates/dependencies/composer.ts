import { readJsonLines } from './json-lines.ts';
import { type Draft, emptyPackage, type LockedPackages } from './locked-package.ts';

/** Lists of packages. */
const HOLDERS: ReadonlySet<string> = new Set(['packages', 'packages-dev']);
/** Maps with a commit. */
const COMMITS: ReadonlySet<string> = new Set(['dist', 'source']);
/** Packages whose code runs when packages are installed. */
const PLUGIN = /^composer-(?:plugin|installer)$/;
/** A map that is a package, among the keys of the maps and lists around a line. */
const PACKAGE = ' package';

/** Reads `composer.lock` (getcomposer.org/doc/01-basic-usage.md#composer-lock-the-lock-file). */
export function readComposerLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let draft: Draft = emptyPackage(0);
  const around: string[] = [];
  const finish = (line: number) => {
    const { name, source, version, alsoFrom } = draft;
    // A branch moves, and of what has no name here nobody knows whether it is one.
    const isBranch = version === null || /^dev-|-dev$/.test(version);
    const hashes = isBranch ? draft.hashes.filter(({ file }) => file === '') : draft.hashes;
    const hasAddress = source !== null || alsoFrom !== undefined;
    if (name !== null || hasAddress || hashes.length > 0) {
      packages.push({ ...draft, hashes, key: name });
    }
    draft = emptyPackage(line);
  };
  const problem = readJsonLines(text, isPart, ({ key, value, event, line }) => {
    if (event === 'open') {
      const holder = around.at(-1);
      const isPackage = key === null && (holder === undefined ? isPart : HOLDERS.has(holder));
      if (isPackage) finish(line);
      around.push(isPackage ? PACKAGE : (key ?? ''));
    } else if (event === 'close') {
      const closed = around.pop();
      if (closed === PACKAGE || (closed === undefined && isPart)) finish(line);
    } else if (key !== null && value !== null) {
      const map = around.at(-1) ?? PACKAGE;
      if (map === 'require' || map === 'require-dev') draft.requires.push(key);
      else if (key === 'name' && map === PACKAGE && value.includes('/')) draft.name = value;
      else if (key === 'version' && map === PACKAGE) draft.version = value;
      else if (key === 'type' && map === PACKAGE) draft.hasScript = PLUGIN.test(value);
      else if (key === 'url' && map === 'source') draft.alsoFrom = [value];
      else if (key === 'url' && map === 'dist') {
        draft.source = value;
        draft.sourceLine = line;
      } else if (key === 'reference' && COMMITS.has(map) && value !== '') {
        // The commit: what `dist` downloads, and `source` clones.
        draft.hashes.push({ file: `${map}.reference`, algorithm: 'git', value, line });
      } else if (key === 'shasum' && value !== '') {
        draft.hashes.push({ file: '', algorithm: 'sha1', value, line });
      }
    }
  });
  finish(0);
  return { packages, roots: null, problem };
}
