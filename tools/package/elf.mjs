import { execFileSync } from 'node:child_process';

/** Libraries of Debian 12 that the package depends on, and the newest symbols that they have. */
const LIBRARIES = /^(?:lib(?:c|m|dl|pthread|rt|util|resolv|gcc_s|stdc\+\+)\.so\.\d+|ld-linux.*)$/;
const NEWEST = { GLIBC: [2, 36], GLIBCXX: [3, 4, 30], CXXABI: [1, 3, 13], GCC: [12, 0, 0] };
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Throws when a program or library needs what Debian 12 lacks, as a binary from a newer system
 * does. `path` is an ELF file.
 */
export function checkElf(path) {
  const options = { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX };
  const read = (flag) => execFileSync('readelf', [flag, '-W', path], options);
  for (const [, name] of read('-d').matchAll(/\(NEEDED\).*\[(.+)\]/g)) {
    if (!LIBRARIES.test(name)) throw new Error(`${path} needs ${name}, outside libc and libstdc++`);
  }
  for (const [, kind, version] of read('-V').matchAll(/Name: ([A-Z]+)_([\d.]+)\b/g)) {
    const newest = NEWEST[kind];
    if (newest !== undefined && isNewer(version.split('.').map(Number), newest)) {
      throw new Error(`${path} needs ${kind}_${version}, Debian 12 has ${newest.join('.')}`);
    }
  }
}

function isNewer(version, newest) {
  for (const [index, part] of newest.entries()) {
    const own = version[index] ?? 0;
    if (own !== part) return own > part;
  }
  return false;
}
