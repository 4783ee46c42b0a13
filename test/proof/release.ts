import { cpSync } from 'node:fs';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { buildGitea } from './gitea-host.ts';
import { proveFiles } from './release/files.ts';
import { proveLife } from './release/life.ts';
import { versionOf } from './release/machine.ts';
import { makeReleases } from './release/make.ts';
import { proveTwoVersions } from './release/two-versions.ts';
import { createSteps, type Steps } from './systemd/steps.ts';

const PARTS: readonly (readonly [
  name: string,
  title: string,
  prove: (steps: Steps, folder: string) => Promise<void>,
])[] = [
  ['files', 'the files of the release', proveFiles],
  ['life', 'one machine, from the instructions alone', proveLife],
  ['rolling', 'two versions on one MongoDB', proveTwoVersions],
];

/**
 * Makes the release of HEAD twice, and the one before, and takes them through installation,
 * upgrade and removal in `systemd-nspawn` (`--only files`, `--only life`, `--only rolling`). Needs
 * root, systemd-container, Go, and the first time debootstrap. `--data`: a folder with releases
 * that `--out` has kept.
 */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const folder = options.data ?? temporary.path;
  const tables: Table[] = [];
  const facts: string[] = [];
  let failed = 0;
  try {
    if (options.data === null) makeReleases(folder, options.progress);
    if (options.out !== null) cpSync(folder, options.out, { recursive: true });
    facts.push(
      'Debian 12 with systemd 252 as its first process, in systemd-nspawn with the network of the ' +
        'host; a Gitea 1.24.6 beside it',
      `${versionOf(folder, 'before')}, then ${versionOf(folder, 'one')}; each from a clone and an installation of its own`,
    );
    if (options.only.length === 0 || options.only.includes('life')) buildGitea(options.progress);
    for (const [name, title, prove] of PARTS) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const steps = createSteps((text) => options.progress(`release: ${text}`));
      await prove(steps, folder);
      failed += steps.failed;
      tables.push({ columns: [title, 'result'], rows: steps.rows });
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'A release, from its build to its removal',
    facts,
    tables,
    notes: [],
    holds: failed === 0,
  };
}
