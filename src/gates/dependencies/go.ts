import { listed, shortLines } from './asked-versions.ts';
import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackage,
  type LockedPackages,
} from './locked-package.ts';

/** Reads `go.sum` (go.dev/ref/mod#go-sum-files): module, version, `h1:` and the checksum. */
export function readGoSum(text: string): LockedPackages {
  const packages: LockedPackage[] = [];
  let problem: string | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '') continue;
    const [name, version, hash, ...more] = content.split(' ');
    // Go reads no other checksum.
    const isKnown = hash?.startsWith('h1:') === true && more.length === 0;
    if (name === undefined || version === undefined || hash === undefined || !isKnown) {
      problem ??= `line ${line + 1} is not "module version h1:checksum"`;
      continue;
    }
    const hashes = hashesIn(hash, line, '', ':');
    packages.push({ ...emptyPackage(line), key: `${name}@${version}`, name, version, hashes });
  }
  return { packages, roots: null, problem };
}

/** Directives that name modules or versions; others, such as `module` and `retract`, do not. */
const DIRECTIVES = /^(require|replace|exclude|retract|toolchain|tool|ignore|godebug|use)\b ?(.*)$/;
/** `module => module version`, `module version => path`. */
const REPLACED = /^(\S+)(?: (\S+))? => (\S+)(?: (\S+))?$/;
/** `module version`. */
const REQUIRED = /^([^\s()]+) (v\d\S*)$/;

/**
 * Reads the versions of `go.mod` and `go.work` (go.dev/ref/mod#go-mod-file): what they require, the
 * toolchain, and what they take in place of a module. A module that is replaced comes from there.
 */
export function readGoMod(text: string, isPart: boolean): LockedPackages {
  const required = new Map<string, Draft>();
  const replaced: Draft[] = [];
  const { lines, problem } = shortLines(text);
  let block: string | null = null;
  for (const [line, raw] of lines) {
    const [code = ''] = raw.split(/ ?\/\//, 1);
    const content = code.replace(/["`]/g, '');
    const found: RegExpExecArray | null = block === null ? DIRECTIVES.exec(content) : null;
    const directive: string | undefined = found?.[1];
    const rest = found?.[2] ?? '';
    if (directive !== undefined && rest === '(') block = directive;
    else if (content === ')') block = null;
    else read(directive ?? block, directive === undefined ? content : rest, line);
  }
  for (const one of replaced) {
    const name = one.name ?? '';
    one.version ??= required.get(name)?.version ?? 'any version';
    required.delete(name);
  }
  return listed([...required.values(), ...replaced], problem);

  function read(directive: string | null, content: string, line: number): void {
    const draft = emptyPackage(line);
    const [, name, , to, version = null] = REPLACED.exec(content) ?? [];
    if (name !== undefined && to !== undefined) {
      const isPath = /^(?:\.{0,2}\/|[a-zA-Z]:)/.test(to);
      const source = isPath ? `link:${to}` : `git+https://${to}`;
      replaced.push({ ...draft, name, version, source });
      return;
    }
    // A hunk may begin within a block: `exclude` looks like `require` then.
    const isRequired = directive === 'require' || (directive === null && isPart);
    const [, module, asked] = isRequired ? (REQUIRED.exec(content) ?? []) : [];
    if (module !== undefined)
      required.set(module, { ...draft, name: module, version: asked ?? null });
    else if (directive === 'toolchain') {
      required.set('toolchain', {
        ...draft,
        name: 'toolchain',
        version: content.replace(/^go/, ''),
      });
    } else if (directive === 'use' && /^(?:\.\.\/|\/)/.test(content)) {
      const source = `link:${content}`;
      required.set(content, { ...draft, name: content, version: 'folder', source });
    }
  }
}
