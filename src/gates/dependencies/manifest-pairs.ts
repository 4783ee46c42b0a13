import type { DiffFile } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import type { Fact } from './compare.ts';
import { lockfileOf } from './lockfiles.ts';

/** Lockfiles that are written for a manifest, by the name of the manifest. */
const LOCKFILES: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml'],
  'pyproject.toml': ['poetry.lock', 'uv.lock', 'pdm.lock'],
  Pipfile: ['Pipfile.lock'],
  'Cargo.toml': ['Cargo.lock'],
  'go.mod': ['go.sum'],
  'composer.json': ['composer.lock'],
  Gemfile: ['Gemfile.lock'],
};

/** A manifest or lockfile that changes alone. */
interface Unpaired {
  path: string;
  fact: Fact;
}

/** Lockfiles that may belong to a manifest: beside it, or of the workspace, at the root. */
export function lockfilesFor(manifest: string): WantedFile[] {
  const folder = folderOf(manifest);
  const names = LOCKFILES[manifest.slice(folder.length)] ?? [];
  return [...new Set([folder, ''])].flatMap((at) =>
    names.map((name) => ({ side: 'head', path: `${at}${name}` }) as const),
  );
}

/** The lockfile of the new tree that a manifest has, and that the change leaves as it was. */
export function staleLockfile(
  manifest: string,
  files: readonly DiffFile[],
  trees: TreeFiles,
): Unpaired[] {
  const locks = lockfilesFor(manifest).map(({ path }) => path);
  if (files.some(({ path }) => locks.includes(path))) return [];
  const stale = locks.find((path) =>
    trees?.some((file) => file.side === 'head' && file.path === path && isThere(file.state)),
  );
  if (stale === undefined) return [];
  const detail = `${manifest} asks for other packages, and ${stale} stays as it was.`;
  return [{ path: manifest, fact: factOf('stale', stale, detail) }];
}

const isThere = (state: string) => state === 'read' || state === 'too-large';

/** A lockfile that changes while no manifest does that it may be written for. */
export function aloneLockfile(lockfile: DiffFile, files: readonly DiffFile[]): Unpaired[] {
  const { path, change } = lockfile;
  const kind = lockfileOf(path);
  if (kind === null || kind.isManifest || change !== 'modified') return [];
  const folder = folderOf(path);
  const isWritten = files.some((file) => {
    const name = file.path.slice(folderOf(file.path).length);
    return file.path.startsWith(folder) && kind.manifest.test(name);
  });
  if (isWritten) return [];
  const detail = `${path} changes, and no manifest below ${folder === '' ? 'the root' : folder} does.`;
  return [{ path, fact: factOf('alone', path, detail) }];
}

const factOf = (kind: Fact['kind'], name: string, detail: string): Fact => {
  return { kind, name, version: '', detail, isLesser: false };
};

/** With the `/` at its end; empty for the root. */
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
