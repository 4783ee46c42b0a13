import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { readConfig } from '../../src/daemon/config/config.ts';
import { newFile, type Teardown, temporaryDir } from '../daemon.ts';

const UNITS = new URL('../../../systemd/', import.meta.url).pathname;
const PACKAGER = new URL('../../../tools/package.mjs', import.meta.url).pathname;
const read = (name: string) => readFileSync(join(UNITS, name), 'utf8');

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The lines of a unit without comments, blank lines and those that `differ` between instances. */
function common(unit: string, differ: RegExp): string[] {
  const lines = read(unit).split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#') && !differ.test(line));
}

for (const unit of ['cra.service', 'cra@.service', 'cra-audit-verify.service']) {
  test(`${unit}: systemd-analyze gives an exposure of at most 1.5`, (t) => {
    const args = ['security', '--offline=yes', '--no-pager', '--threshold=15', join(UNITS, unit)];
    t.regex(run('systemd-analyze', ...args), /Overall exposure level for \S+: [01]\.\d OK/);
  });

  test(`${unit} runs without executable memory being denied, which V8 needs`, (t) => {
    t.notRegex(read(unit), /^MemoryDenyWriteExecute=(?!no)/m);
  });
}

test('the unit for one of several daemons is that of the single one, but for its names', (t) => {
  const differ =
    /^(?:Description|Environment|EnvironmentFile|(?:State|Runtime)Directory|SyslogIdentifier|NoExecPaths)=/;
  t.deepEqual(common('cra@.service', differ), common('cra.service', differ));
});

test('every secret that the settings know is a credential of the units, without a path', (t) => {
  const { secretVariables } = readConfig({});
  t.true(secretVariables.includes('CRA_API_TOKEN'));
  for (const unit of ['cra.service', 'cra@.service']) {
    const loaded = [...read(unit).matchAll(/^LoadCredential=(.*)$/gm)].map(([, name]) => name);
    const names = secretVariables.map((name) => name.toLowerCase());
    t.deepEqual(loaded.toSorted(), names.toSorted(), unit);
  }
});

test('the service knows the example settings, with authentication on', (t) => {
  const text = read('etc/cra.env');
  const settings = [...text.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  const asked = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get(_env, name) {
        asked.add(String(name));
        return settings.find((setting) => setting.name === name)?.value;
      },
    },
  );
  // Files and secrets that they go with are not there: that is all that is wrong.
  t.throws(() => readConfig(env), { message: /SERVICE_VCS_CONFIG|SERVICE_OIDC_CLIENT_SECRET/ });
  t.deepEqual(
    settings.map(({ name }) => name).filter((name) => !asked.has(name)),
    [],
  );
  t.regex(text, /^SERVICE_AUTH_ENABLED=true$/m);
});

/** Builds the package and unpacks it: tree and control files. */
function unpack(t: Teardown) {
  const deb = run(process.execPath, PACKAGER).trim().split('\n').at(-1) ?? '';
  const folder = temporaryDir(t);
  run('dpkg-deb', '--raw-extract', deb, folder);
  return { deb, folder, file: (path: string) => readFileSync(join(folder, path), 'utf8') };
}

test('the package holds what runs, and nothing that only builds or tests', (t) => {
  t.timeout(300_000);
  const { deb, folder, file } = unpack(t);
  const app = join(folder, 'usr/lib/cra/app');
  const node = join(folder, 'usr/lib/cra/node/node');
  t.true(readFileSync(node).equals(readFileSync(process.execPath)));
  t.regex(file('usr/lib/cra/node/LICENSE'), /Node\.js is licensed for use as follows/);

  const modules = readdirSync(join(app, 'node_modules'));
  for (const name of ['ava', 'typescript', 'node-gyp', 'prebuild-install', 'esbuild', 'nan']) {
    t.false(modules.includes(name), name);
  }
  const notices = gunzipSync(
    readFileSync(join(folder, 'usr/share/doc/cra/THIRD-PARTY-NOTICES.gz')),
  ).toString();
  for (const name of ['re2', 'jose', 'preact', 'minisearch', 'Node.js']) {
    t.regex(notices, new RegExp(`^${name} [\\d.]+[:,]`, 'm'));
  }
  const native = readdirSync(app, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.node') && path.includes('uWebSockets.js'));
  const { platform, arch, versions } = process;
  const [own] = native;
  t.is(native.length, 1);
  t.true(own?.endsWith(`uws_${platform}_${arch}_${versions.modules}.node`), own);
  t.false(existsSync(join(app, 'dist/test')));
  t.false(existsSync(join(folder, 'etc')), 'dpkg asks about nothing at an upgrade');
  t.is(file('usr/lib/cra/cra.env'), read('etc/cra.env'));

  const control = run('dpkg-deb', '--field', deb);
  const [, depends = ''] = /^Depends: (.*)$/m.exec(control) ?? [];
  const names = depends.split(', ').map((item) => item.split(' ')[0]);
  t.deepEqual(names.toSorted(), [
    ...['ca-certificates', 'git', 'init-system-helpers', 'libc6', 'libgcc-s1', 'libstdc++6'],
    'systemd',
  ]);
  const packed = Number(/^Installed-Size: (\d+)$/m.exec(control)?.[1]) * 1024;
  const bytes = readdirSync(folder, { recursive: true })
    .map((path) => statSync(join(folder, String(path))))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
  t.true(Math.abs(packed - bytes) < 1024 * 1024, `${packed} ${bytes}`);

  // The program by itself: gates 1 and 2 with every module and grammar that they load.
  const main = join(app, 'dist/bundle/cra.js');
  const diff = Object.entries({
    'a.js': "module.exports = (req) => require('child_process').exec('tar ' + req.query.name);",
    'a.py': 'import os, flask; os.system(flask.request.args["name"])',
    'a.go':
      'func x(w http.ResponseWriter, r *http.Request) { os.ReadFile(r.URL.Query().Get("n")) }',
    'A.java': 'void x(HttpServletRequest req) { new FileReader(req.getParameter("name")); }',
  })
    .map(([path, text]) => newFile(path, text))
    .join('');
  const options = { input: diff, encoding: 'utf8', env: { PATH: process.env['PATH'] } } as const;
  const shell = `"$0" "$1" analyze --json; [ $? = 1 ]`;
  const answer = execFileSync('/bin/sh', ['-c', shell, node, main], options);
  const { gates } = JSON.parse(answer);
  const found = gates.ast.findings.map(({ file, id }: { file: string; id: string }) => file + id);
  t.deepEqual(found.toSorted(), ['A.javavuln-05', 'a.govuln-05', 'a.jsvuln-01', 'a.pyvuln-01']);
  const help = run(node, main, 'audit', '--help');
  t.regex(help, /usage: cra audit verify/);
  const page = execFileSync(
    'man',
    ['--warnings', '-l', join(folder, 'usr/share/man/man1/cra.1.gz')],
    {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '200', LC_ALL: 'C.UTF-8' },
    },
  );
  for (const line of help.trimEnd().split('\n')) t.true(page.includes(line.trim()), line);
});
