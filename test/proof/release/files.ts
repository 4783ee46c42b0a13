import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Steps } from '../systemd/steps.ts';
import { VERIFY } from './instructions.ts';
import { fileOf } from './make.ts';

/** Equal bytes, what each file says of the others, and what becomes of tampered ones. */
export async function proveFiles({ step }: Steps, folder: string): Promise<void> {
  const one = join(folder, 'one');
  const names = readdirSync(one).sort();
  const read = (name: string) => readFileSync(join(one, name));
  const readJson = (end: string) => JSON.parse(read(fileOf(one, end)).toString());
  await step('made twice: equal bytes', async () => {
    assert.deepEqual(readdirSync(join(folder, 'two')).sort(), names);
    const different = names.filter(
      (name) => !read(name).equals(readFileSync(join(folder, 'two', name))),
    );
    assert.deepEqual(different, []);
    return `${names.length} files, the signature included`;
  });
  await step('the provenance names commit, lock file, Node and each file', async () => {
    const statement = readJson('.provenance.json');
    for (const { name, digest } of statement.subject)
      assert.equal(digest.sha256, sha256(read(name)));
    const names = statement.subject.map(({ name }: { name: string }) =>
      name.replace(/^.*amd64\./, ''),
    );
    const [source, lock] = statement.predicate.buildDefinition.resolvedDependencies;
    assert.match(source.digest.gitCommit, /^[0-9a-f]{40}$/);
    const at = `${source.digest.gitCommit}:package-lock.json`;
    const locked = execFileSync('git', ['show', at], { maxBuffer: 1 << 26 });
    assert.equal(lock.digest.sha256, sha256(locked));
    return names.join(', ');
  });
  await step('the bill of materials has each package of the tarball, with licence', async () => {
    const { components } = readJson('.cdx.json');
    const listed = new Set(components.map(({ name }: { name: string }) => name));
    const tarball = join(one, fileOf(one, '.tar.gz'));
    const inside = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8', maxBuffer: 1 << 26 });
    const packages = new Set(
      [...inside.matchAll(/node_modules\/((?:@[^/\n]+\/)?[^/@\n][^/\n]*)\/package\.json$/gm)].map(
        ([, name]) => name,
      ),
    );
    // uws-pack lies there under the name of what it packs.
    packages.delete('uWebSockets.js');
    assert.deepEqual(
      [...packages].filter((name) => !listed.has(name)),
      [],
    );
    const bare = components.filter(
      ({ licenses }: { licenses?: unknown }) => licenses === undefined,
    );
    return `${components.length} components, ${packages.size} folders of packages; ${bare.length} without a declared licence`;
  });
  await step('the instructions accept it as it is', async () => {
    const { status, output } = verified(folder, () => undefined);
    assert.equal(status, 0, output);
    assert.match(output, /Good "cra-release" signature/);
    return `good signature, ${output.match(/: OK$/gm)?.length} files OK`;
  });
  for (const [title, tamper, refusal] of TAMPERINGS) {
    await step(`refused: ${title}`, async () => {
      const { status, output } = verified(folder, tamper);
      assert.notEqual(status, 0, output);
      assert.match(output, refusal);
      return output.match(refusal)?.[0] ?? '';
    });
  }
  await step('a file beside it that no list names is not what is installed', async () => {
    const { status, output } = verified(
      folder,
      (at) => writeFileSync(join(at, 'cra_99.0.0_amd64.deb'), 'bad'),
      'grep -o "cra_.*\\.deb$" "$list"',
    );
    assert.equal(status, 0, output);
    assert.equal(output.trim().split('\n').at(-1), fileOf(one, '.deb'));
    return 'the name comes from the signed list';
  });
}

type Tamper = (at: string, folder: string) => void;

const TAMPERINGS: readonly (readonly [title: string, tamper: Tamper, refusal: RegExp])[] = [
  [
    'a package with one byte more',
    (at) => appendFileSync(join(at, fileOf(at, '.deb')), '\n'),
    /\.deb: FAILED/,
  ],
  [
    'a tarball cut short',
    (at) => truncateSync(join(at, fileOf(at, '.tar.gz')), 1_000_000),
    /\.tar\.gz: FAILED/,
  ],
  [
    'a file that is missing',
    (at) => rmSync(join(at, fileOf(at, '.cdx.json'))),
    /FAILED open or read/,
  ],
  [
    'a tampered package with checksums that fit it',
    (at) => {
      appendFileSync(join(at, fileOf(at, '.deb')), '\n');
      writeFileSync(join(at, fileOf(at, '.sha256')), sumsOf(at));
    },
    /incorrect signature|Could not verify signature/i,
  ],
  [
    'the same signed by another key',
    (at, folder) => sign(at, folder, 'other', 'cra-release'),
    /Could not verify signature|NONE_ACCEPTED|no principal/i,
  ],
  [
    'the right key, for another purpose',
    (at, folder) => sign(at, folder, 'release', 'git'),
    /namespace|Could not verify signature/i,
  ],
  ['no signature', (at) => rmSync(join(at, fileOf(at, '.sha256.sig'))), /No such file/],
  [
    'an earlier release under the names of this one',
    (at, folder) => {
      for (const end of ['.sha256', '.sha256.sig']) {
        const before = join(folder, 'before');
        cpSync(join(before, fileOf(before, end)), join(at, fileOf(at, end)));
      }
    },
    /FAILED open or read/,
  ],
];

/** Runs the instructions on a copy of the release that `tamper` has changed. */
function verified(folder: string, tamper: Tamper, more = '') {
  const at = mkdtempSync(join(tmpdir(), 'cra-release-'));
  try {
    cpSync(join(folder, 'one'), at, { recursive: true });
    cpSync(join(folder, 'release.pub'), join(at, 'release.pub'));
    tamper(at, folder);
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-euo', 'pipefail', '-c', `${VERIFY}${more}`],
      {
        cwd: at,
        encoding: 'utf8',
      },
    );
    return { status, output: `${stderr}${stdout}` };
  } finally {
    rmSync(at, { recursive: true });
  }
}

function sign(at: string, folder: string, key: string, namespace: string): void {
  rmSync(join(at, fileOf(at, '.sha256.sig')));
  const args = ['-Y', 'sign', '-q', '-n', namespace, '-f', join(folder, key)];
  execFileSync('ssh-keygen', [...args, join(at, fileOf(at, '.sha256'))], { stdio: 'ignore' });
}

/** As `sha256sum` prints them. */
function sumsOf(at: string): string {
  const files = readdirSync(at).filter((name) => /^cra.*(?<!\.sha256|\.sig)$/.test(name));
  return files.map((name) => `${sha256(readFileSync(join(at, name)))}  ${name}\n`).join('');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
