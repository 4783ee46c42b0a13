import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '../daemon.ts';
import { freePort } from '../free-port.ts';

/** The newest version that the Go module proxy has with a checksum, for Go 1.24 and later. */
const MODULE = 'code.gitea.io/gitea@v1.24.6';
const CACHE = resolve('.cache/gitea');
const BINARY = join(CACHE, 'gitea');

/** A real Gitea, its API called as its administrator. */
export interface Gitea {
  url: string;
  token: string;
  user: string;
  /** Where its bare repositories are: `OWNER/NAME.git`. */
  repositories: string;
  /** A call of its API (`/api/v1/` and `path`); rejects with what it refused. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The same as another user. */
  callAs<T>(token: string, method: string, path: string, body?: unknown): Promise<T>;
  /** Makes a user and a token of theirs with these scopes (`write:repository,read:user`). */
  addUser(name: string, scopes: string): string;
  stop(): Promise<void>;
}

/**
 * Builds Gitea from its Go module, without its front end, unless it was built before: about five
 * minutes of two cores. Its templates are kept beside it.
 */
export function buildGitea(progress: (text: string) => void): void {
  if (existsSync(BINARY)) return;
  progress(`building ${MODULE}`);
  const info = JSON.parse(run('go', ['mod', 'download', '-json', MODULE], process.cwd()));
  const source = join(CACHE, 'source');
  rmSync(source, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  cpSync(info.Dir, source, { recursive: true });
  run('chmod', ['-R', 'u+w', source], CACHE);
  run('go', ['build', '-tags', 'sqlite sqlite_unlock_notify', '-o', `${BINARY}.new`, '.'], source);
  cpSync(`${BINARY}.new`, BINARY);
  chmodSync(BINARY, 0o755);
}

function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const result = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, HOME: homedir(), ...env },
  });
  if (result.status === 0) return result.stdout;
  throw new Error(`${command} ${args.join(' ')}: ${result.error ?? result.stderr}`);
}

/** Starts it with an empty SQLite database in a folder of its own, and makes its administrator. */
export async function startGitea(): Promise<Gitea> {
  const folder = mkdtempSync(join(tmpdir(), 'cra-gitea-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'app.ini');
  writeFileSync(config, iniOf(folder, port));
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? asNobody(folder) : {};
  const gitea = (...args: string[]) => [...args, '--config', config];
  const env = { HOME: folder, GITEA_WORK_DIR: folder, PATH: process.env['PATH'] };
  const admin = (...args: string[]) => {
    const result = spawnSync(BINARY, gitea('admin', 'user', ...args), {
      ...owner,
      env,
      cwd: folder,
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(`${args.join(' ')}: ${result.stderr}`);
    return result.stdout.trim();
  };
  const migrated = spawnSync(BINARY, gitea('migrate'), { ...owner, env, cwd: folder });
  if (migrated.status !== 0) throw new Error(`${migrated.stdout}${migrated.stderr}`);
  const addUser = (name: string, scopes: string, ...more: string[]) => {
    const password = randomBytes(12).toString('hex');
    const mail = ['--email', `${name}@example.com`, '--must-change-password=false'];
    admin('create', '--username', name, '--password', password, ...mail, ...more);
    const made = admin('generate-access-token', '--username', name, '--scopes', scopes, '--raw');
    const last = made.split('\n').at(-1) ?? '';
    if (last === '') throw new Error('Gitea made no token');
    return last;
  };
  const user = 'ann';
  const token = addUser(user, 'all', '--admin');

  const child = spawn(BINARY, gitea('web'), { ...owner, env, cwd: folder, stdio: 'ignore' });
  const isUp = () => fetch(`${url}/api/v1/version`).then((answer) => answer.ok, hasEnded(child));
  await until(isUp);
  const callAs: Gitea['callAs'] = async (own, method, path, body) => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { Authorization: `token ${own}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text === '' ? null : JSON.parse(text);
  };
  return {
    url,
    token,
    user,
    repositories: join(folder, 'repositories'),
    call: (method, path, body) => callAs(token, method, path, body),
    callAs,
    addUser,
    async stop() {
      const ended = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** While it starts nobody answers; once it has ended nobody will. */
function hasEnded(child: ChildProcess): () => boolean {
  return () => {
    if (child.exitCode !== null) throw new Error(`Gitea ended with ${child.exitCode}`);
    return false;
  };
}

const NOBODY = 65_534;

function asNobody(folder: string): { uid: number; gid: number } {
  run('chown', ['-R', `${NOBODY}:${NOBODY}`, folder], folder);
  return { uid: NOBODY, gid: NOBODY };
}

function iniOf(folder: string, port: number): string {
  return `
RUN_MODE = prod
WORK_PATH = ${folder}
[server]
STATIC_ROOT_PATH = ${join(CACHE, 'source')}
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[repository]
ROOT = ${join(folder, 'repositories')}
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
SECRET_KEY = ${randomBytes(32).toString('hex')}
[webhook]
ALLOWED_HOST_LIST = loopback
[log]
MODE = console
LEVEL = Warn
[service]
DISABLE_REGISTRATION = true
[indexer]
ISSUE_INDEXER_TYPE = db
[actions]
ENABLED = false
[cron.update_checker]
ENABLED = false
`;
}
