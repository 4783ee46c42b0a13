import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { analyze, request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { blocked } from '../decision-calls.ts';
import { type Envelope, tampered } from '../deploys/tampering.ts';

const VERSION = 'v2.4.3';
/** Where it is installed, and stays for the next run. */
const INSTALLED = fileURLToPath(new URL('../../proof-tools/', import.meta.url));
const TAMPERINGS = 200;

/** Evidence beside cosign, which verifies it as it is and refuses what was changed. */
export async function run({ progress }: RunOptions): Promise<Report> {
  const ends: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown) => void ends.push(end) };
  try {
    const cosign = installed(progress);
    const folder = temporaryDir(t);
    const dataDir = temporaryDir(t);
    const daemon = await startDaemonProcess(t, dataDir);
    const rfcId = (await analyze(daemon.url, blocked(1))).body.data.rfc_id;
    await request(`${daemon.url}/rfc/${rfcId}/override`, {
      method: 'POST',
      body: JSON.stringify({ actor: 'ann', reason: 'an example' }),
    });
    const answer = await fetch(`${daemon.url}/rfc/${rfcId}/evidence`);
    const lines = (await answer.text()).trimEnd().split('\n');
    const key = join(folder, 'key.pem');
    const env = { SERVICE_DATA_DIR: dataDir };
    writeFileSync(key, (await runCommand(['evidence', 'key'], { env })).stdout);
    writeFileSync(join(folder, 'blob'), '');

    const isTaken = (line: string, type: string) => {
      writeFileSync(join(folder, 'envelope'), line);
      const options = ['--key', key, '--insecure-ignore-tlog', '--check-claims=false'];
      const given = ['--type', type, '--signature', 'envelope', 'blob'];
      const args = ['verify-blob-attestation', ...options, ...given];
      return spawnSync(cosign, args, { cwd: folder, env: { HOME: folder } }).status === 0;
    };
    const rows = lines.map((line) => ({ type: typeOf(line), taken: isTaken(line, typeOf(line)) }));
    progress('tamperings');
    const random = createRandom(43);
    let accepted = 0;
    for (let at = 0; at < TAMPERINGS; at += 1) {
      const line = lines[at % lines.length] ?? '';
      if (isTaken(tampered(line, random, false), typeOf(line))) accepted += 1;
    }
    const isRight = rows.length > 1 && rows.every(({ taken }) => taken) && accepted === 0;
    return {
      title: 'Evidence, verified by cosign',
      facts: [`cosign ${VERSION}, \`verify-blob-attestation\`, with the key as PEM alone`],
      tables: [
        {
          columns: ['statement', 'verified as it is'],
          rows: rows.map(({ type, taken }) => [type, taken ? 'yes' : 'no']),
        },
        {
          columns: ['tamperings', 'accepted'],
          rows: [[TAMPERINGS, accepted]],
        },
      ],
      notes: [],
      holds: isRight,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function typeOf(line: string): string {
  const { payload } = JSON.parse(line) as Envelope;
  return JSON.parse(Buffer.from(payload, 'base64').toString()).predicateType;
}

function installed(progress: RunOptions['progress']): string {
  const directory = join(INSTALLED, 'cosign');
  const program = join(directory, 'cosign');
  if (existsSync(program)) return program;
  progress('go install cosign');
  mkdirSync(directory, { recursive: true });
  const env = { ...process.env, GOBIN: directory };
  const source = `github.com/sigstore/cosign/v2/cmd/cosign@${VERSION}`;
  execFileSync('go', ['install', source], { cwd: directory, env, stdio: 'pipe' });
  return program;
}
