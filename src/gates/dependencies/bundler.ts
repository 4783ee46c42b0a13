import { type Draft, emptyPackage, hashesIn, type LockedPackages } from './locked-package.ts';

const GEM = /^([\w.-]+) \(([^)]+)\)$/;

/** Reads `Gemfile.lock` (bundler.io/guides/gemfile.html), with CHECKSUMS of Bundler 2.6. */
export function readGemfileLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const roots: string[] = [];
  let section: string | null = null;
  let source: string | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    const indent = raw.length - raw.trimStart().length;
    if (content === '') continue;
    if (indent === 0) {
      section = content;
      source = content === 'GIT' ? 'git+' : content === 'PATH' ? 'link:' : null;
    } else if (content.startsWith('remote: ')) {
      const prefix: string = source === 'git+' || source === 'link:' ? source : '';
      source = `${prefix}${content.slice('remote: '.length)}`;
    } else if (section === 'CHECKSUMS' || / sha\d+=/.test(content)) {
      const [gem = '', hash = ''] = content.split(/ (?=sha\d+=)/);
      const [, name, version] = GEM.exec(gem) ?? [];
      if (name !== undefined && version !== undefined && hash !== '') {
        const hashes = hashesIn(hash, line, 'gem', '=');
        packages.push({ ...emptyPackage(line), key: `${name}#`, name, version, hashes });
      }
    } else if (section === 'DEPENDENCIES') roots.push(/^[\w.-]+/.exec(content)?.[0] ?? content);
    else if (indent === 4) {
      const [, name, version] = GEM.exec(content) ?? [];
      if (name !== undefined && version !== undefined) {
        packages.push({ ...emptyPackage(line), key: name, name, version, source });
      }
    } else if (indent > 4) packages.at(-1)?.requires.push(/^[\w.-]+/.exec(content)?.[0] ?? content);
  }
  return { packages, roots: isPart ? null : roots, problem: null };
}
