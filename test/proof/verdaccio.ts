import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { inspectDependencies } from '../../src/gates/dependencies/inspect.ts';
import { createRegistry } from '../../src/gates/dependencies/registry.ts';
import { until } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { diffOf } from '../gates/configuration/run.ts';

/** Where Verdaccio is installed, and stays for the next run. */
const INSTALLED = fileURLToPath(new URL('../../proof-managers/verdaccio/', import.meta.url));
const HOUR_MS = 3_600_000;
/** A busy machine answers in it. */
const DEADLINE_MS = 60_000;
const NAME = 'acme-tool';

/** Lockfiles that npm writes against a real registry, and what gate 1 asks that registry. */
export async function run({ progress }: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const registry = await startVerdaccio(temporary.path);
  try {
    const ann = await addUser(registry.url, 'ann');
    const eve = await addUser(registry.url, 'eve');
    const publish = (version: string, token: string, by: string) =>
      publishPackage(temporary.path, registry.url, { version, token, by });
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await publish(version, ann, 'ann');
    await publish('1.3.0', eve, 'eve');
    await deprecate(registry.url, ann, '1.1.0');
    const rows: Cell[][] = [];
    const faults: string[] = [];
    const before = lockfileOf(temporary.path, registry.url, '1.0.0');
    for (const { version, hours, edit, expected } of CASES) {
      progress(`${version}, ${hours} hours later`);
      const written = lockfileOf(temporary.path, registry.url, version);
      const ids = await idsOf(registry.url, before, edit?.(written) ?? written, hours);
      const found = ids.join(', ') || 'nothing';
      rows.push([version, hours, found]);
      if (found !== (expected.join(', ') || 'nothing')) faults.push(`${version}: ${found}`);
    }
    return {
      title: 'Verdaccio as the own registry',
      facts: ['lockfiles of `npm install --package-lock-only` from 1.0.0 to the version'],
      tables: [{ columns: ['version', 'hours after its publication', 'findings'], rows }],
      notes: faults,
      holds: faults.length === 0,
    };
  } finally {
    await registry.stop();
    temporary.remove();
  }
}

interface Case {
  version: string;
  hours: number;
  edit?(lockfile: string): string;
  expected: readonly string[];
}

const CASES: readonly Case[] = [
  { version: '1.2.0', hours: 0, expected: ['risk-registry-published-lately high'] },
  { version: '1.2.0', hours: 25, expected: [] },
  { version: '1.1.0', hours: 25, expected: ['risk-registry-withdrawn medium'] },
  { version: '1.3.0', hours: 25, expected: ['risk-registry-new-publisher medium'] },
  {
    version: '1.2.0',
    hours: 25,
    edit: (lockfile) => lockfile.replaceAll('1.2.0', '1.9.9'),
    expected: ['risk-registry-absent medium'],
  },
];

async function startVerdaccio(folder: string) {
  const program = join(INSTALLED, 'node_modules/verdaccio/bin/verdaccio');
  if (!existsSync(program)) {
    mkdirSync(INSTALLED, { recursive: true });
    // Version 6 asks for a tag of node-fetch, which mirrors do not always have.
    const manifest = { dependencies: { verdaccio: '6.8.0' }, overrides: { 'node-fetch': '2.7.0' } };
    writeFileSync(join(INSTALLED, 'package.json'), JSON.stringify(manifest));
    const quiet = ['install', '--silent', '--no-audit', '--prefix', INSTALLED];
    execFileSync('npm', quiet, { cwd: INSTALLED, stdio: 'pipe' });
  }
  const settings = {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd'), rounds: 4 } },
    packages: { '**': { access: '$all', publish: '$authenticated' } },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
  // YAML reads JSON as well.
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(settings));
  const port = await freePort();
  const args = [program, '--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    const answer = await fetch(`${url}/-/ping`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok === true;
  });
  return {
    url,
    async stop() {
      child.kill();
      await gone;
    },
  };
}

async function put(url: string, token: string | null, body: object): Promise<string> {
  const authorization: Record<string, string> =
    token === null ? {} : { authorization: `Bearer ${token}` };
  // npm runs meanwhile, and Verdaccio closes connections that nobody uses.
  const connection = 'close';
  const headers = { 'content-type': 'application/json', connection, ...authorization };
  const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return text;
}

async function addUser(url: string, name: string): Promise<string> {
  const user = { name, password: `of-${name}-alone` };
  const text = await put(`${url}/-/user/org.couchdb.user:${name}`, null, user);
  return JSON.parse(text).token;
}

/** Publishes with the fields that the public registry adds: Verdaccio keeps and serves them. */
async function publishPackage(
  folder: string,
  url: string,
  { version, token, by }: { version: string; token: string; by: string },
): Promise<void> {
  const from = join(folder, 'package');
  mkdirSync(from, { recursive: true });
  writeFileSync(join(from, 'package.json'), JSON.stringify({ name: NAME, version }));
  execFileSync('npm', ['pack', '--silent', from], { cwd: folder, stdio: 'pipe' });
  const file = `${NAME}-${version}.tgz`;
  const bytes = readFileSync(join(folder, file));
  const sum = (algorithm: string) => createHash(algorithm).update(bytes);
  const dist = {
    integrity: `sha512-${sum('sha512').digest('base64')}`,
    shasum: sum('sha1').digest('hex'),
    tarball: `${url}/${NAME}/-/${file}`,
  };
  const own = { name: NAME, version, dist, _npmUser: { name: by }, maintainers: [{ name: 'ann' }] };
  const attachment = { content_type: 'application/octet-stream', length: bytes.length };
  await put(`${url}/${NAME}`, token, {
    _id: NAME,
    name: NAME,
    'dist-tags': { latest: version },
    versions: { [version]: own },
    _attachments: { [file]: { ...attachment, data: bytes.toString('base64') } },
  });
}

async function deprecate(url: string, token: string, version: string): Promise<void> {
  const headers = { connection: 'close' };
  const answer = await fetch(`${url}/${NAME}?write=true`, { headers });
  const document = (await answer.json()) as { versions: Record<string, object> };
  document.versions[version] = { ...document.versions[version], deprecated: 'use another' };
  await put(`${url}/${NAME}`, token, document);
}

function lockfileOf(folder: string, url: string, version: string): string {
  const project = join(folder, `with-${version}`);
  mkdirSync(project, { recursive: true });
  const manifest = { name: 'shop', version: '1.0.0', dependencies: { [NAME]: version } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const quiet = ['install', '--package-lock-only', '--no-audit', '--silent', '--registry', url];
  execFileSync('npm', quiet, { cwd: project, stdio: 'pipe' });
  return readFileSync(join(project, 'package-lock.json'), 'utf8');
}

/** What gate 1 says by the registry, so many hours from now. */
async function idsOf(url: string, before: string, after: string, hours: number): Promise<string[]> {
  const path = 'package-lock.json';
  const bytes = Buffer.from(diffOf(path, before, after, 3));
  const { files } = parseDiff(bytes);
  const side = (name: 'base' | 'head', text: string) =>
    ({ side: name, path, state: 'read', bytes: Buffer.from(text) }) as const;
  const { findings } = await inspectDependencies({
    bytes,
    files,
    trees: [side('base', before), side('head', after)],
    fingerprintKey: new Uint8Array(32),
    registry: createRegistry(
      { npm: { url, token: '' }, pypi: null, hoursMin: 24, holds: true },
      DEADLINE_MS,
    ),
    nowMs: Date.now() + hours * HOUR_MS,
  });
  return findings
    .filter(({ id }) => id.includes('registry'))
    .map(({ id, severity }) => `${id} ${severity}`);
}
