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
 * Makes the three releases in `folder`, each from a clone and `npm ci` of its own. The second one
 * of HEAD has another path, umask, time zone and language. `release.pub` is the key of all.
 */
export function makeReleases(folder: string, progress: (text: string) => void): void {
  makeKey(folder, 'release');
  makeKey(folder, 'other');
  const key = join(folder, 'release');
  const make = (name: ReleaseName, path: string, umask: string, env: NodeJS.ProcessEnv) => {
    progress(`release: making ${name}`);
    const clone = join(folder, path);
    mkdirSync(dirname(clone), { recursive: true });
    const script = [
      `umask ${umask}; git clone -q "$1" "$2"; cd "$2"`,
      name === 'before' ? `git checkout -q ${BEFORE.commit}; git tag ${BEFORE.tag}` : ':',
      'npm ci --no-audit --no-fund; npm run release -- --key "$3"',
    ].join('\n');
    execFileSync('bash', ['-euc', script, 'bash', process.cwd(), clone, key], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    cpSync(join(clone, 'dist/release'), join(folder, name), { recursive: true });
    rmSync(clone, { recursive: true, force: true });
  };
  make('before', 'before-clone', '022', {});
  make('one', 'one-clone', '022', { TZ: 'UTC' });
  make('two', 'another folder/two-clone', '077', { TZ: 'Asia/Tokyo', LC_ALL: 'C', LANG: 'C' });
}

function makeKey(folder: string, name: string): void {
  const args = ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)];
  execFileSync('ssh-keygen', args, { stdio: 'ignore' });
}
