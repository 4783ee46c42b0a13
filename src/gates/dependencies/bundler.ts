import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  type PackageHash,
  withCommit,
} from './locked-package.ts';

/** Servers of one section. */
const REMOTES_MAX = 20;
/** Checksums of one gem, which has one for each algorithm. */
const CHECKSUMS_MAX = 10;
/** Of a server or repository, which all gems of a section share. Characters. */
const ADDRESS_CHARS_MAX = 500;
const GEM = /^([\w.-]+) \(([^)]+)\)$/;

/** Reads `Gemfile.lock` (bundler.io/guides/gemfile.html), with CHECKSUMS of Bundler 2.6. */
export function readGemfileLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const roots: string[] = [];
  let section: string | null = null;
  let source: string | null = null;
  /** Of a GIT section, without its revision. */
  let repository: string | null = null;
  let remotes = 0;
  let problem: string | null = null;
  /** Of gems by name and version. */
  const sums = new Map<string, PackageHash[]>();
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    const indent = raw.length - raw.trimStart().length;
    if (content === '') continue;
    if (/^(?:remote|revision): /.test(content) && content.length > ADDRESS_CHARS_MAX) {
      problem ??= `line ${line + 1} has an address of more than ${ADDRESS_CHARS_MAX} characters`;
    } else if (indent === 0) {
      section = content;
      source = content === 'GIT' ? 'git+' : content === 'PATH' ? 'link:' : null;
      repository = null;
    } else if (content.startsWith('remote: ')) {
      // Bundler asks all servers of a section.
      const address = content.slice('remote: '.length);
      const isFurther: boolean = source !== null && source !== 'git+' && source !== 'link:';
      remotes = isFurther ? remotes + 1 : 1;
      if (remotes > REMOTES_MAX) problem ??= `a section has more than ${REMOTES_MAX} remotes`;
      else if (remotes === 2) source = `registry+${source},${address}`;
      else source = `${source ?? ''}${isFurther ? ',' : ''}${address}`;
    } else if (section === 'GIT' && content.startsWith('revision: ')) {
      repository ??= source;
      source = `${repository}#${content.slice('revision: '.length)}`;
    } else if (section === 'CHECKSUMS' || / sha\d+=/.test(content)) {
      const [gem = '', hash = ''] = content.split(/ (?=sha\d+=)/);
      const [, name, version] = GEM.exec(gem) ?? [];
      if (name !== undefined && version !== undefined && hash !== '') {
        const hashes = hashesIn(hash, line, 'gem', '=');
        if (isPart)
          packages.push({ ...emptyPackage(line), key: `${name}#`, name, version, hashes });
        else {
          const key = `${name} ${version}`;
          const all = [...(sums.get(key) ?? []), ...hashes];
          if (all.length > CHECKSUMS_MAX)
            problem ??= `a gem has more than ${CHECKSUMS_MAX} checksums`;
          else sums.set(key, all);
        }
      }
    } else if (section === 'DEPENDENCIES') roots.push(/^[\w.-]+/.exec(content)?.[0] ?? content);
    else if (indent === 4) {
      const [, name, version] = GEM.exec(content) ?? [];
      if (name !== undefined && version !== undefined) {
        const found = withCommit(version, source);
        packages.push({ ...emptyPackage(line), key: name, name, version: found, source });
      }
    } else if (indent > 4) packages.at(-1)?.requires.push(/^[\w.-]+/.exec(content)?.[0] ?? content);
  }
  for (const one of packages) one.hashes.push(...(sums.get(`${one.name} ${one.version}`) ?? []));
  return { packages, roots: isPart ? null : roots, problem };
}
