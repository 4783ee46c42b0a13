#!/usr/bin/env node
/**
 * Builds dist/package/cra_VERSION_ARCH.deb for Debian 12 from a build of this tree: its own Node
 * (the one that runs this script, with its licence), production dependencies only, units, example
 * settings, manual page. ARCH is that of this machine, amd64 or arm64: native modules are compiled
 * where npm ci ran, and nothing is cross-compiled. No arm64 machine has been tried.
 * Needs dpkg-deb and binutils. The same build gives the same bytes.
 * `--release` writes dist/release beside it: see tools/package/release.mjs. The tree has to be
 * that of a commit, and the owner of the SSH key `--key` signs it.
 * Usage: package.mjs [--version VERSION] [--node-licence FILE]
 *          [--release (--key FILE | --unsigned)]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkElf } from './package/elf.mjs';
import { manPage } from './package/man-page.mjs';
import { copyModules, pagePackages } from './package/modules.mjs';
import { thirdPartyNotices } from './package/notices.mjs';
import { sha256, writeRelease } from './package/release.mjs';

const root = resolve(import.meta.dirname, '..');
const own = (...path) => join(root, ...path);
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).trim();
const { values: options } = parseArgs({
  options: {
    version: { type: 'string' },
    'node-licence': { type: 'string' },
    release: { type: 'boolean', default: false },
    key: { type: 'string' },
    unsigned: { type: 'boolean', default: false },
  },
});
if (options.release) requireReleasable();

const LIB = 'usr/lib/cra';
const UNITS = ['cra.service', 'cra@.service', 'cra-audit-verify.service', 'cra-audit-verify.timer'];
const RULES = ['default.json', 'active.json', 'keywords.json', 'keywords.bin'].map(
  (name) => `dist/src/rules/${name}`,
);
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const PROGRAMS = [
  'usr/bin/cra',
  `${LIB}/node/node`,
  ...SCRIPTS.map((script) => `DEBIAN/${script}`),
];

const manifest = JSON.parse(fs.readFileSync(own('package.json'), 'utf8'));
const commitTime = new Date(run('git', 'log', '-1', '--format=%cI'));
/** Of every file in the package, as dpkg-deb reads it; in seconds. */
process.env.SOURCE_DATE_EPOCH ??= String(commitTime.getTime() / 1000);
const epoch = process.env.SOURCE_DATE_EPOCH;
const builtAt = new Date(Number(epoch) * 1000);
const version = options.version ?? ownVersion();
const architecture = run('dpkg', '--print-architecture');
const maintainer = `${process.env.DEBFULLNAME ?? 'cra'} <${process.env.DEBEMAIL ?? 'root@localhost'}>`;
const tree = own('dist/package/tree');
const deb = own(`dist/package/cra_${version}_${architecture}.deb`);

fs.rmSync(tree, { recursive: true, force: true });
placeNode();
placeProgram();
const modules = copyModules(root, join(tree, LIB, 'app'));
const pages = pagePackages(root);
const node = {
  version: process.version.slice(1),
  sha256: sha256(fs.readFileSync(process.execPath)),
  licence: join(tree, LIB, 'node/LICENSE'),
};
const notices = `${thirdPartyNotices(root, [...modules, ...pages], node)}\n`;
placeSystemd();
placeDocuments();
const binaries = findElf(tree);
binaries.forEach(checkElf);
// What was compiled here still has its symbols; what a vendor sends stays as it is.
binaries.filter((path) => path.includes('/build/Release/')).forEach(strip);
writeControl();
setModes(tree);
// xz takes minutes for a tenth less.
run('dpkg-deb', '--root-owner-group', '-Zgzip', '--build', tree, deb);
if (options.release) {
  const lock = {
    name: 'package-lock.json',
    sha256: sha256(fs.readFileSync(own('package-lock.json'))),
  };
  const commit = run('git', 'rev-parse', 'HEAD');
  const facts = { version, architecture, epoch, date: builtAt, commit, lock, node, modules, pages };
  const folder = own('dist/release');
  writeRelease({ folder, deb, tree, notices, key: options.key ?? null, facts });
  console.log(
    fs
      .readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
      .join('\n'),
  );
} else console.log(deb);

/** What is not in a commit nobody can build again; what is not signed nobody can verify. */
function requireReleasable() {
  if ((options.key === undefined) !== options.unsigned) {
    throw new Error('a release is signed (--key FILE of an SSH key) or said to be --unsigned');
  }
  const changed = run('git', 'status', '--porcelain');
  if (changed !== '') throw new Error(`a release is built from a commit; changed are:\n${changed}`);
}

/** A commit after a release sorts behind it, and before the next one. */
function ownVersion() {
  const isRelease = run('git', 'tag', '--points-at', 'HEAD')
    .split('\n')
    .includes(`v${manifest.version}`);
  if (isRelease) return manifest.version;
  const stamp = commitTime.toISOString().replace(/\D/g, '').slice(0, 14);
  return `${manifest.version}+git${stamp}.${run('git', 'rev-parse', '--short', 'HEAD')}`;
}

function place(path, content, mode = 0o644) {
  const target = join(tree, path);
  fs.mkdirSync(dirname(target), { recursive: true });
  fs.writeFileSync(target, content, { mode });
}

function copy(from, to) {
  place(to, fs.readFileSync(own(from)));
}

function placeNode() {
  const prefix = dirname(dirname(process.execPath));
  const places = [
    options['node-licence'],
    join(prefix, 'LICENSE'),
    join(prefix, 'share/doc/nodejs/LICENSE'),
    join(prefix, 'share/doc/node/LICENSE'),
  ];
  const licence = places.find((path) => path !== undefined && fs.existsSync(path));
  if (licence === undefined) throw new Error('no licence of Node found: give --node-licence FILE');
  place(`${LIB}/node/node`, fs.readFileSync(process.execPath), 0o755);
  place(`${LIB}/node/LICENSE`, fs.readFileSync(licence));
}

/** The bundle, and what it reads at run time. */
function placeProgram() {
  const { name, type, engines } = manifest;
  const app = `${LIB}/app`;
  place(
    `${app}/package.json`,
    `${JSON.stringify({ name, version: manifest.version, type, engines }, null, 2)}\n`,
  );
  for (const name of ['docs/reference/openapi.json', ...RULES]) {
    copy(name, `${app}/${name}`);
  }
  for (const folder of ['dist/bundle', 'dist/dashboard', 'dist/docs']) {
    for (const path of fs.readdirSync(own(folder), { recursive: true })) {
      const from = join(folder, path);
      if (path.endsWith('.map') || !fs.statSync(own(from)).isFile()) continue;
      copy(from, `${app}/${from}`);
    }
  }
  const cra = `#!/bin/sh\nexec /${LIB}/node/node /${app}/dist/bundle/cra.js "$@"\n`;
  place('usr/bin/cra', cra, 0o755);
}

function placeSystemd() {
  for (const unit of UNITS) copy(`systemd/${unit}`, `lib/systemd/system/${unit}`);
  copy('systemd/cra.sysusers', 'usr/lib/sysusers.d/cra.conf');
  copy('systemd/cra.tmpfiles', 'usr/lib/tmpfiles.d/cra.conf');
  // Copied by postinst: dpkg asks about a conffile that both sides changed, amid an upgrade.
  copy('systemd/etc/cra.env', `${LIB}/cra.env`);
}

function placeDocuments() {
  const cra = [process.execPath, own('dist/bundle/cra.js')];
  const date = builtAt.toISOString().slice(0, 10);
  place('usr/share/man/man1/cra.1.gz', packed(manPage({ cra, version, date })));
  const doc = 'usr/share/doc/cra';
  for (const name of fs.readdirSync(own('docs'), { recursive: true })) {
    if (name.endsWith('.md')) copy(`docs/${name}`, `${doc}/${name}`);
  }
  for (const name of fs.readdirSync(own('systemd/examples'))) {
    copy(`systemd/examples/${name}`, `${doc}/examples/${name}`);
  }
  place(`${doc}/changelog.gz`, packed(debianChangelog()));
  place(`${doc}/NEWS.gz`, packed(fs.readFileSync(own('CHANGELOG.md'))));
  place(`${doc}/copyright`, copyright());
  place(`${doc}/THIRD-PARTY-NOTICES.gz`, packed(notices));
  place('usr/share/lintian/overrides/cra', fs.readFileSync(own('tools/package/lintian-overrides')));
}

/** Without a time in it: the same tree gives the same package. */
function packed(content) {
  return gzipSync(content, { level: 9 });
}

function debianChangelog() {
  const at = builtAt.toUTCString().replace('GMT', '+0000');
  return `cra (${version}) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n -- ${maintainer}  ${at}\n`;
}

function copyright() {
  return `cra ${version}

All rights are reserved.

/${LIB}/node/node is Node.js ${process.version}. Packages of npm are in /${LIB}/app/node_modules,
and copies of code of theirs in /${LIB}/app/dist. THIRD-PARTY-NOTICES.gz beside this file has the
name, version and licence of each, and the licence of Node.js.

The text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
`;
}

/** dpkg-deb takes modes from the tree; the umask of the builder must not show. */
function setModes(path) {
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
    const at = join(path, entry.name);
    if (entry.isDirectory()) setModes(at);
    else fs.chmodSync(at, PROGRAMS.includes(relative(tree, at)) ? 0o755 : 0o644);
  }
  fs.chmodSync(path, 0o755);
}

/** The number of a build is a hash of its debugging symbols, too, which name the folder of it. */
function strip(path) {
  run('strip', '--strip-unneeded', '--remove-section=.note.gnu.build-id', path);
}

function findElf(path) {
  return fs
    .readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((at) => /\/node$|\.node$|\.so(?:\.\d+)*$/.test(at) && fs.statSync(at).isFile());
}

function writeControl() {
  const files = fs
    .readdirSync(tree, { recursive: true })
    .filter((name) => fs.statSync(join(tree, name)).isFile())
    .sort();
  const bytes = files.reduce((sum, name) => sum + fs.statSync(join(tree, name)).size, 0);
  const sums = files.map((name) => {
    const md5 = createHash('md5')
      .update(fs.readFileSync(join(tree, name)))
      .digest('hex');
    return `${md5}  ${name}\n`;
  });
  const control = fs
    .readFileSync(own('tools/package/control'), 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@MAINTAINER@', maintainer)
    .replace('@INSTALLED_SIZE@', String(Math.ceil(bytes / 1024)));
  place('DEBIAN/control', control);
  place('DEBIAN/md5sums', sums.join(''));
  for (const script of SCRIPTS) {
    place(`DEBIAN/${script}`, fs.readFileSync(own('tools/package', script)));
  }
}
