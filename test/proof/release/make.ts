import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The commit that made version 1.0.0, which has no tag, and the version that followed it. */
const BEFORE = { commit: '421afb57', tag: 'v1.0.0' };

/** The folders of the releases: the one before, and that of HEAD, made twice. */
type ReleaseName = 'before' | 'one' | 'two';

/** The file of a release in `folder` whose name ends so. */
export function fileOf(folder: string, end: string): string {
  const found = readdirSync(folder).find((file) => file.endsWith(end));
  if (found === undefined) throw new Error(`${folder} has no file ${end}`);
  return found;
}

/**
 * Installs as `npm ci` does, but takes what it compiles from the clone $4 where that has the same
 * version: that the releases of HEAD have equal bytes proves that a second compilation makes no
 * difference, and it takes as long as everything else together.
 */
const INSTALL_BESIDE = `npm ci --no-audit --no-fund --ignore-scripts
for module in better-sqlite3 re2; do
  if cmp -s "$4/node_modules/$module/package.json" "node_modules/$module/package.json"
  then cp -r "$4/node_modules/$module/build" "node_modules/$module/"
  else npm rebuild "$module"
  fi
done`;

/**
 * Makes the three releases in `folder`, each from a clone and an installation of its own. The
 * second one of HEAD has another path, umask, time zone and language. `release.pub` is the key of
 * all.
 */
export function makeReleases(folder: string, progress: (text: string) => void): void {
  makeKey(folder, 'release');
  makeKey(folder, 'other');
  const first = join(folder, 'one-clone');
  const make = (name: ReleaseName, clone: string, umask: string, env: NodeJS.ProcessEnv) => {
    progress(`release: making ${name}`);
    mkdirSync(dirname(clone), { recursive: true });
    const isBefore = name === 'before';
    const script = [
      `umask ${umask}; git clone -q "$1" "$2"; cd "$2"`,
      isBefore ? `git checkout -q ${BEFORE.commit}; git tag ${BEFORE.tag}` : ':',
      isBefore ? INSTALL_BESIDE : 'npm ci --no-audit --no-fund',
      'npm run release -- --key "$3"',
    ].join('\n');
    const key = join(folder, 'release');
    execFileSync('bash', ['-euc', script, 'bash', process.cwd(), clone, key, first], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    cpSync(join(clone, 'dist/release'), join(folder, name), { recursive: true });
  };
  const others = [join(folder, 'another folder/two-clone'), join(folder, 'before-clone')] as const;
  make('one', first, '022', { TZ: 'UTC' });
  make('two', others[0], '077', { TZ: 'Asia/Tokyo', LC_ALL: 'C', LANG: 'C' });
  make('before', others[1], '022', {});
  for (const clone of [first, ...others]) rmSync(clone, { recursive: true, force: true });
}

function makeKey(folder: string, name: string): void {
  const args = ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)];
  execFileSync('ssh-keygen', args, { stdio: 'ignore' });
}
