import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { provenance } from './provenance.mjs';
import { billOfMaterials } from './sbom.mjs';

/** For whom `ssh-keygen -Y sign` signs: a signature for another purpose is none of a release. */
const NAMESPACE = 'cra-release';
/** The program of the tarball finds its parts from wherever it was unpacked to. */
const CRA = `#!/bin/sh
lib=$(dirname "$(readlink -f "$0")")/../lib/cra
exec "$lib/node/node" "$lib/app/dist/bundle/cra.js" "$@"
`;

/**
 * Writes a release into `folder`: the package, a tarball of the same files, the bill of materials,
 * notices, the statement of its provenance, their checksums, and the signature of these by the
 * SSH key in the file `key` (null: unsigned).
 */
export function writeRelease({ folder, deb, tree, notices, key, facts }) {
  const { version, architecture, epoch } = facts;
  const prefix = `cra-${version}-linux-${architecture}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (name, text) => writeFileSync(join(folder, name), text);
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

  cpSync(deb, join(folder, basename(deb)));
  writeTarball({ path: join(folder, `${prefix}.tar.gz`), prefix, tree, epoch });
  write(`${prefix}.THIRD-PARTY-NOTICES.txt`, notices);
  write(`${prefix}.cdx.json`, json(billOfMaterials(facts)));
  const files = sums(folder);
  write(`${prefix}.provenance.json`, json(provenance({ ...facts, files })));
  const lines = sums(folder).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  const list = `${prefix}.sha256`;
  write(list, lines.join(''));
  if (key !== null) {
    const args = ['-Y', 'sign', '-q', '-n', NAMESPACE, '-f', key, join(folder, list)];
    execFileSync('ssh-keygen', args, { stdio: 'inherit' });
  }
}

/**
 * The files of the package below one folder: `bin/cra`, which runs where it lies, the program,
 * documents, units and example settings. Packed twice it has the same bytes.
 */
function writeTarball({ path, prefix, tree, epoch }) {
  const start = join(tree, '../start');
  rmSync(start, { recursive: true, force: true });
  mkdirSync(join(start, 'bin'), { recursive: true, mode: 0o755 });
  writeFileSync(join(start, 'bin/cra'), CRA, { mode: 0o755 });
  const moved = [
    ['^usr/lib/\\(sysusers\\|tmpfiles\\).d', 'share/doc/cra/systemd/\\1.d'],
    ['^lib/systemd/system', 'share/doc/cra/systemd'],
    ['^usr/', ''],
    ['^', `${prefix}/`],
  ];
  execFileSync('tar', [
    ...['--create', `--file=${path}`, '--use-compress-program=gzip -n', '--format=gnu'],
    ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epoch}`],
    ...['--mode=u=rwX,go=rX', '--exclude=usr/share/lintian'],
    ...moved.map(([from, to]) => `--transform=s,${from},${to},`),
    ...[`--directory=${tree}`, 'lib/systemd/system', 'usr/lib', 'usr/share'],
    ...[`--directory=${start}`, 'bin'],
  ]);
  rmSync(start, { recursive: true });
}

function sums(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, sha256: sha256(readFileSync(join(folder, name))) }));
}

/** SHA-256 in hex. */
export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
