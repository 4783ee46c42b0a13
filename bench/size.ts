import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { deliver } from './daemon/deliver.ts';
import { startHostedDaemon } from './daemon/hosted-daemon.ts';
import { childrenOf } from './daemon/processes.ts';
import { makeTemporary } from './disk.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { waitForVerdict } from './storm/stage.ts';

const KIB = 1024;
/** Sizes of the diffs of pushes, KiB. */
const DIFFS_KIB = [2, 12, 48];
const PUSHES = 60;
/** Pushes before anything is counted, until V8 has compiled what is hot. */
const WARM_UP = 20;
const NAME = 'acme/shop';

/**
 * The coefficients of `cra size`: what a push costs by the size of its diff. Its text is TypeScript
 * of this project, which all three gates that run without a model read.
 */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const count = options.count ?? PUSHES;
  const rows: Cell[][] = [];
  try {
    for (const kib of DIFFS_KIB) {
      rows.push(await measure(join(temporary.path, String(kib)), kib, count));
      options.progress(`size: ${kib} KiB`);
    }
    return {
      title: 'What a push costs, by the size of its diff (SQLite)',
      facts: [
        `${count} pushes to one branch after ${WARM_UP}, one at a time, each with one new file of ` +
          'TypeScript; SERVICE_THREADS=2',
        `load average at the end: ${loadavg()[0]?.toFixed(1)}`,
      ],
      tables: [
        {
          columns: [
            ...['diff, KiB', 'CPU ms', 'store and diffs, bytes', 'mirror, bytes'],
            ...['its pack at the host, bytes', 'RSS of all processes, MiB'],
          ],
          rows,
        },
      ],
      notes: ['CPU: of the daemon, its children and git. RSS counts shared pages in each process'],
      holds: true,
    };
  } finally {
    temporary.remove();
  }
}

async function measure(home: string, kib: number, count: number): Promise<Cell[]> {
  const dir = join(home, 'host', `${NAME}.git`);
  const commits = makeCommits(dir, kib * KIB, WARM_UP + count);
  const secret = randomBytes(24).toString('hex');
  const vcs = join(home, 'vcs.json');
  const host = { id: 'forge', provider: 'github', url: `file://${join(home, 'host')}` };
  writeFileSync(vcs, JSON.stringify({ hosts: [{ ...host, webhook_secrets: [secret] }] }));
  const dataDir = join(home, 'data');
  const settings = { SERVICE_VCS_CONFIG: vcs, SERVICE_THREADS: '2' };
  // An empty store takes room, too.
  await (await startHostedDaemon({ dataDir, settings })).stop();
  const empty = sizesOf(dataDir);
  const daemon = await startHostedDaemon({ dataDir, settings });
  let cells: Cell[] = [];
  try {
    let head: string | null = null;
    const push = async (sha: string) => {
      execFileSync('git', ['--git-dir', dir, 'update-ref', 'refs/heads/main', sha]);
      await waitForVerdict(
        daemon.url,
        await deliver(daemon.url, { name: NAME, secret, before: head, after: sha }),
      );
      head = sha;
    };
    for (const sha of commits.slice(0, WARM_UP)) await push(sha);
    const cpuBefore = daemon.cpuSeconds();
    for (const sha of commits.slice(WARM_UP)) await push(sha);
    const cpuMs = ((daemon.cpuSeconds() - cpuBefore) * 1e3) / count;
    execFileSync('git', ['--git-dir', dir, 'repack', '-adq']);
    const pack = Math.round(bytesBelow(join(dir, 'objects', 'pack')) / commits.length);
    cells = [pack, Math.round(treeRssMib(daemon.pid)), cpuMs];
  } finally {
    await daemon.stop();
  }
  const [pack = 0, rss = 0, cpuMs = 0] = cells;
  // After the stop: the store has no log of writes then.
  const full = sizesOf(dataDir);
  const each = (what: keyof Sizes) => Math.round((full[what] - empty[what]) / commits.length);
  return [kib, cpuMs, each('store'), each('mirrors'), pack, rss];
}

/** Commits of one branch, each with a new file of about `bytes` of TypeScript. */
function makeCommits(dir: string, bytes: number, count: number): string[] {
  mkdirSync(dir, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', dir]);
  const source = ['http', 'store', 'analysis', 'pushes']
    .flatMap((room) =>
      readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' }).map(
        (name) => `src/${room}/${name}`,
      ),
    )
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const lines = source.split('\n');
  let at = 0;
  const parts = Array.from({ length: count }, (_, index) => {
    let text = `// ${index}\n`;
    while (text.length < bytes) {
      text += `${lines[at % lines.length]}\n`;
      at += 1;
    }
    const bodyBytes = Buffer.byteLength(text);
    const from = index === 0 ? '' : `from :${index}\n`;
    const person = `A Person <a.person@example.com> ${1_700_000_000 + index} +0000`;
    return `commit refs/kept/made\nmark :${index + 1}\ncommitter ${person}\ndata 4\nmade\n${from}M 100644 inline src/f${index}.ts\ndata ${bodyBytes}\n${text}\n`;
  });
  const args = ['--git-dir', dir, 'fast-import', '--quiet', `--export-marks=${dir}/marks`];
  execFileSync('git', args, { input: parts.join(''), maxBuffer: 2 ** 28 });
  const marks = readFileSync(`${dir}/marks`, 'utf8').trim().split('\n');
  const byMark = new Map(marks.map((line) => line.split(' ') as [string, string]));
  return parts.map((_, index) => byMark.get(`:${index + 1}`) ?? '');
}

interface Sizes {
  store: number;
  mirrors: number;
}

function sizesOf(dataDir: string): Sizes {
  const mirrors = bytesBelow(join(dataDir, 'mirrors'));
  return { mirrors, store: bytesBelow(dataDir) - mirrors };
}

/** Bytes of the files below a folder, as they are long. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + bytesBelow(path);
    return sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

const PAGE_BYTES = 4_096;

function treeRssMib(pid: number): number {
  const own = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  return own / KIB ** 2 + childrenOf(pid).reduce((sum, child) => sum + treeRssMib(child), 0);
}
