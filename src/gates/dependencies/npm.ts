import { readJsonLines } from './json-lines.ts';
import { type Draft, emptyPackage, hashesIn, type LockedPackages } from './locked-package.ts';

/** Maps within a package, by which a hunk tells them from packages. */
const PARTS: ReadonlySet<string> = new Set([
  'bin',
  'dependencies',
  'devDependencies',
  'engines',
  'optionalDependencies',
  'packages',
  'peerDependencies',
  'peerDependenciesMeta',
  'requires',
]);
const DEPENDENCIES: ReadonlySet<string> = new Set([
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'requires',
]);

/** A map that is open. `package` null: a part of the package around it. */
interface Level {
  key: string | null;
  package: Draft | null;
}

/**
 * Reads `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3
 * (docs.npmjs.com/cli/v11/configuring-npm/package-lock-json).
 */
export function readNpmLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const roots: string[] = [];
  let isRootListed = false;
  const top = (): Level => ({ key: null, package: isPart ? emptyPackage(0) : null });
  let levels: Level[] = [top()];
  const problem = readJsonLines(text, isPart, ({ key, value, event, line }) => {
    const level = levels.at(-1);
    if (event === 'close') {
      keep(levels.pop());
      if (levels.length === 0) levels = [top()];
    } else if (event === 'open') {
      levels.push({ key, package: opened(key, line) });
    } else if (level !== undefined && key !== null) {
      if (level.package !== null) readField(level.package, key, value ?? '', line);
      else if (level.key !== null && DEPENDENCIES.has(level.key)) asks(key, value ?? '');
    }
  });
  for (const level of levels) keep(level);
  return { packages, roots: isRootListed ? roots : null, problem };

  function opened(key: string | null, line: number): Draft | null {
    const parent = levels.at(-1)?.key ?? null;
    const isUnknown = isPart && levels.length === 1 && !PARTS.has(key ?? 'packages');
    if (key === null || !(parent === 'packages' || parent === 'dependencies' || isUnknown)) {
      return null;
    }
    isRootListed ||= key === '' && !isPart;
    const draft = emptyPackage(line);
    const around = levels.findLast((level) => level.package !== null)?.package?.key ?? null;
    draft.key = around === null || key.includes('node_modules/') ? key : `${around}>${key}`;
    draft.name = nameOf(key);
    return draft;
  }

  function asks(name: string, spec: string): void {
    const by = levels.findLast((level) => level.package !== null)?.package ?? null;
    const names = [name, ...aliased(spec)];
    if (by?.key === '' || (by === null && isPart)) roots.push(...names);
    by?.requires.push(...names);
  }

  function keep(level: Level | undefined): void {
    const draft = level?.package ?? null;
    if (draft === null || draft.key === '') return;
    const isFolder = draft.key?.includes('node_modules/') === true;
    const saysMore = draft.source !== null || draft.hashes.length > 0 || draft.requires.length > 0;
    if (!isPart || isFolder || saysMore) packages.push(draft);
  }
}

function readField(draft: Draft, key: string, value: string, line: number): void {
  if (key === 'version') {
    // Version 1 has an alias as `npm:name@1.0.0`.
    const [real] = aliased(value);
    draft.name = real ?? draft.name;
    draft.version = real === undefined ? value : value.slice(`npm:${real}@`.length);
  } else if (key === 'resolved') {
    draft.source = draft.source === LINK ? draft.source : value;
    draft.sourceLine = line;
  } else if (key === 'integrity') draft.hashes.push(...hashesIn(value, line));
  else if (key === 'hasInstallScript') draft.hasScript = value === 'true';
  else if (key === 'link' && value === 'true') draft.source = LINK;
  else if (key === 'name') draft.name = value;
  // The end of a list of dependencies, as a hunk may begin in the middle of one.
  else if (draft.key === null) draft.requires.push(key, ...aliased(value));
}

/** A folder of the repository itself. */
const LINK = 'link:';

function nameOf(key: string): string {
  const at = key.lastIndexOf('node_modules/');
  return at === -1 ? key : key.slice(at + 'node_modules/'.length);
}

/** The package that `npm:name@range` stands for. */
export function aliased(spec: string): string[] {
  const match = /^npm:(@?[^@]+)@/.exec(spec);
  return match?.[1] === undefined ? [] : [match[1]];
}
