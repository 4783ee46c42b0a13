import { execFileSync } from 'node:child_process';
import { openRepository } from '../../bench/corpus/repo-corpus.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import {
  inspectDependencies,
  wantedForDependencies,
} from '../../src/gates/dependencies/inspect.ts';
import { lockfileOf } from '../../src/gates/dependencies/lockfiles.ts';
import type { TreeFile } from '../../src/model/change.ts';

/** Names of lockfiles, and of manifests beside them. */
const LOCKFILES = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'Cargo.lock'],
  ...['poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', '*requirements*.txt', 'go.sum'],
  ...['requirements/*.txt', 'composer.lock', 'Gemfile.lock', 'verification-metadata.xml'],
  ...['.terraform.lock.hcl', 'go.work.sum', 'gems.locked'],
];
const MANIFESTS = [
  ...['package.json', 'pnpm-workspace.yaml', 'pyproject.toml', 'Pipfile', 'setup.py', 'setup.cfg'],
  ...['requirements*.in', 'Cargo.toml', 'go.mod', 'go.work', 'composer.json', 'Gemfile'],
  ...['*.gradle', '*.gradle.kts', '*.gemspec', '*.tf'],
];
const ALONE = { fingerprintKey: new Uint8Array(32), registry: null, nowMs: 0 };
const BUFFER = { maxBuffer: 512 * 1024 * 1024 };

export interface Noise {
  name: string;
  /** Commits that change a lockfile, without merges. */
  commits: number;
  /** By a finding that blocks: the commit and its findings. */
  blocked: string[];
  /** How often each finding comes, by commits. */
  counts: Map<string, number>;
}

/** What gate 1 says of commits of a history that change a lockfile: the newest `count`, or all. */
export async function noiseOf(path: string, count: number | null): Promise<Noise> {
  const { name } = await openRepository(path);
  const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], BUFFER);
  const globs = (names: readonly string[]) => names.map((one) => `:(glob)**/${one}`);
  const newest = count === null ? [] : [`-n${count}`];
  const log = ['log', ...newest, '--no-merges', '--format=%H', '--diff-filter=AMR', 'HEAD', '--'];
  const commits = git(...log, ...globs(LOCKFILES))
    .toString()
    .trim()
    .split('\n')
    .filter(Boolean);
  const noise: Noise = { name, commits: 0, blocked: [], counts: new Map() };
  for (const commit of commits) {
    const options = ['-p', '-M', '--root', '--no-commit-id', '--no-ext-diff', commit, '--'];
    const bytes = git('diff-tree', ...options, ...globs([...LOCKFILES, ...MANIFESTS]));
    const { files } = parseDiff(bytes);
    if (!files.some((file) => lockfileOf(file.path) !== null)) continue;
    noise.commits += 1;
    const trees = wantedForDependencies(files).map(({ side, path: wanted }): TreeFile => {
      const at = side === 'head' ? commit : `${commit}^`;
      try {
        const read = execFileSync('git', ['-C', path, 'show', `${at}:${wanted}`], {
          ...BUFFER,
          stdio: 'pipe',
        });
        return { side, path: wanted, state: 'read', bytes: read };
      } catch {
        return { side, path: wanted, state: 'missing', bytes: null };
      }
    });
    const { findings } = await inspectDependencies({ bytes, files, trees, ...ALONE });
    const grave = findings.filter(({ severity }) => severity === 'high' || severity === 'critical');
    for (const id of new Set(findings.map((one) => `${one.id} ${one.severity}`))) {
      noise.counts.set(id, (noise.counts.get(id) ?? 0) + 1);
    }
    if (grave.length > 0) {
      const said = grave.slice(0, 3).map((one) => `${one.id}: ${one.file}: ${one.message}`);
      noise.blocked.push(`${name} ${commit.slice(0, 12)} (${grave.length}): ${said.join(' | ')}`);
    }
  }
  return noise;
}
