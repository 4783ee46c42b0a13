import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readMirrorSettings } from '../daemon/config/config.ts';
import { requireWritable } from '../daemon/data-dir.ts';
import { addressOf } from '../git/environment.ts';
import { importBundle } from '../git/import-bundle.ts';
import { CraError } from '../model/errors.ts';
import { lockDataDir } from '../store/sqlite/database.ts';
import { CLI, onInterrupt } from './terminal.ts';

/** `cra mirror import`: resolves with 0 when the mirror is made. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [action, host, repo_full_name, bundle, ...more] = positionals;
  const isWhole = action === 'import' && host && repo_full_name && bundle && more.length === 0;
  if (!isWhole) {
    throw new CraError('INVALID_ARGUMENT', `give import, HOST, REPOSITORY and FILE\n\n${HELP}`);
  }
  const { dataDir, vcs } = readMirrorSettings();
  if (!vcs.hosts.some(({ id }) => id === host)) {
    const known = vcs.hosts.map(({ id }) => id).join(', ');
    throw new CraError('NOT_FOUND', `SERVICE_VCS_CONFIG has no host "${host}": it has ${known}`);
  }
  const address = addressOf(vcs.hosts, { host, repo_full_name });
  // The service could not open what root makes in a directory of another user.
  if (existsSync(dataDir)) requireWritable(dataDir);
  const { signal, release } = onInterrupt();
  let shownAt = performance.now();
  const { dir, bytes, refs } = await importBundle({
    directory: join(dataDir, 'mirrors'),
    address,
    bundle: resolve(bundle),
    lock: lockDataDir,
    bytesMax: vcs.mirrorBytesMax,
    onProgress(received) {
      if (performance.now() - shownAt > CLI.PROGRESS_INTERVAL_MS) {
        shownAt = performance.now();
        process.stderr.write(`${mib(received)} MiB received\n`);
      }
      return signal.aborted ? new CraError('CANCELLED', 'interrupted: nothing was imported') : null;
    },
  }).finally(release);
  process.stdout.write(
    `${repo_full_name}: ${refs.toLocaleString('en-US')} branches and tags, ${mib(bytes)} MiB in ${dir}\n`,
  );
  return 0;
}

function mib(bytes: number): string {
  return Math.ceil(bytes / 2 ** 20).toLocaleString('en-US');
}

const OPTIONS = { help: { type: 'boolean', short: 'h' } } as const;

const HELP = `usage: cra mirror import HOST REPOSITORY FILE

Makes the mirror of a repository from a bundle of git, so that the first push of a large one needs
no clone over the network. The service fetches from the host what is newer.

  HOST        id of the host in SERVICE_VCS_CONFIG
  REPOSITORY  its full name at the host, as acme/mono
  FILE        made by git bundle create FILE --all in a clone with all branches

It writes into SERVICE_DATA_DIR, so run it as the user of the service; a daemon may run on it. A
repository that has a mirror keeps it. See docs/how-to/large-repositories.md.

Exit code: 0 done, 2 it failed and nothing was changed.

  cra mirror import github acme/mono mono.bundle
`;
