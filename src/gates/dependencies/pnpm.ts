import { posix } from 'node:path';
import { flowMembers, readIndentedLines } from './indented-lines.ts';
import {
  addressIn,
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  type Remark,
  withCommit,
} from './locked-package.ts';
import { aliased } from './npm.ts';

const DEPENDENCIES: ReadonlySet<string> = new Set([
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'transitivePeerDependencies',
]);
/** Maps at the top of the file that hold packages. */
const HOLDERS: ReadonlySet<string> = new Set(['packages', 'snapshots']);

/**
 * Reads `pnpm-lock.yaml`, versions 5 to 9 (github.com/pnpm/spec). The packages of `packages` have
 * their checksums, and `snapshots` what they depend on: both make one package here.
 */
export function readPnpmLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  /** By their keys, without the versions of peers; and what only `snapshots` has. */
  const known = new Map<string, Draft>();
  const bare: Draft[] = [];
  const roots: string[] = [];
  const remarks: Remark[] = [];
  /** The package that an importer asks for, and how. */
  let asked = { name: '', specifier: '' };
  /** Folder of the importer that is read. */
  let importer = '.';
  let section: string | null = null;
  let draft = isPart ? emptyPackage(0) : null;
  let part: string | null = null;
  /** A resolution whose members have a line each. */
  let block: Member[] = [];
  const problem = readIndentedLines(
    text,
    { isYarn: false, isPart },
    ({ indent, key, value, line }) => {
      // Variants of a runtime, with the machines that they are for, are lists of a resolution.
      if (key === null) return part !== 'resolution' || OF_VARIANT.test(value ?? '');
      const isName = NAME.test(key);
      const isFlow = value?.startsWith('{') === true && value !== '{}';
      if (indent === 0) {
        finish();
        if (isFlow && HOLDERS.has(key)) return false;
        [section, draft, part] = [key, null, null];
      } else if (section !== null && !HOLDERS.has(section)) {
        if (section === 'importers' || DEPENDENCIES.has(section)) {
          roots.push(key, ...aliased(value ?? ''));
          if (section === 'importers' && indent === 2) importer = key;
          if (key === 'specifier') asked.specifier = value ?? '';
          else if (value === null) asked = { name: key, specifier: '' };
          const name = key === 'version' ? asked.name : key;
          if (key !== 'specifier') remark(name, value ?? '', line);
        }
      } else if (indent === 2 && (section !== null || isName)) {
        finish();
        if (isFlow) return false;
        draft = { ...emptyPackage(line), ...placeOf(key), key };
        part = null;
      } else if (draft === null) {
        return true;
      } else if (indent === 4) {
        part = value === null ? key : null;
        readField(draft, key, value ?? '', line);
      } else if (part === 'resolution') {
        if (value?.startsWith('{') === true) return false;
        if (value !== null) block.push({ name: key, text: value, line });
      } else if (part === null || DEPENDENCIES.has(part)) {
        draft.requires.push(key);
      }
      return true;
    },
  );
  finish();
  finishBare();
  return { packages, roots: isPart ? null : roots, remarks, problem };

  /** An importer asks for a package, and gets one of another name. */
  function remark(name: string, version: string, line: number): void {
    const { specifier } = asked;
    const address = addressIn(version.replace(/^\w[^@]*@(?=\w+:)/, ''));
    const isAsked = addressIn(specifier) !== null || ASKED_ELSEWHERE.test(specifier);
    if (address !== null && specifier !== '' && !isAsked && !isWithin(address)) {
      const text = `${name} is asked for as ${specifier}, and comes from ${address}.`;
      remarks.push({ kind: 'source-changed', text, line: () => line, isLesser: false });
    }
    const [, real] = RESOLVED.exec(version) ?? [];
    if (real === undefined || real === name || aliased(asked.specifier).includes(real)) return;
    const text = `${name} resolves to the package ${real}, for which no manifest asks.`;
    remarks.push({ kind: 'name-mismatch', text, line: () => line, isLesser: false, real });
  }

  /** Whether an address is a folder of the repository. */
  function isWithin(address: string): boolean {
    if (!address.startsWith('link:')) return false;
    const path = address.slice('link:'.length);
    const isAbsolute = /^(?:[/~\\]|[a-zA-Z]:)/.test(path);
    return !isAbsolute && !/^\.\.(?:\/|$)/.test(posix.join(importer, path));
  }

  function finish(): void {
    if (draft === null) return;
    readResolution(draft, block);
    block = [];
    const saysMore = draft.source !== null || draft.hashes.length > 0 || draft.requires.length > 0;
    if (draft.key === null && !saysMore) return;
    draft.version = withCommit(draft.version, draft.source);
    const isPlain = draft.source === null && draft.hashes.length === 0 && !draft.hasScript;
    // What a snapshot says besides, pnpm may use.
    if (section === 'snapshots' && isPlain) bare.push(draft);
    else {
      packages.push(draft);
      known.set(plainKey(draft), draft);
    }
  }

  /** pnpm 9 and 10 end with an error at a package of which `packages` says nothing. */
  function finishBare(): void {
    for (const one of bare) {
      const same = known.get(plainKey(one));
      if (same !== undefined) same.requires.push(...one.requires);
      else if (isPart) packages.push(one);
      else {
        const text = `${plainKey(one)} has no resolution, so that pnpm installs nothing.`;
        remarks.push({ kind: 'integrity-removed', text, line: () => one.line, isLesser: true });
      }
    }
  }
}

const plainKey = ({ key }: Draft) => (key ?? '').replace(/\(.*$/, '');

/** What a manifest asks for in words that stand for something else, and as `owner/name`. */
const ASKED_ELSEWHERE = /^(?:workspace:|catalog:|portal:)|^[^@][^:]*\//;

/** `name@1.0.0`, `/name/1.0.0`: an importer has the version alone, unless the name is another. */
const RESOLVED = /^\/?((?:@[^/@\s]+\/)?[^/@\s:(]+)[@/]\d/;
/** `name@1.0.0`, `/name@1.0.0(peer@2.0.0)`, and `/name/1.0.0_peer@2.0.0` of version 5. */
const OF_VARIANT = /^(?:\w+:|(?:cpu|os|libc): [\w-]+)$/;
const NAME = /^\/?((?:@[^/@\s]+\/)?[^/@\s]+)(?:@|\/)([^(\s]+)/;

function placeOf(key: string): { name: string | null; version: string | null } {
  const match = NAME.exec(key);
  if (match?.[1] === undefined || match[2] === undefined) return { name: null, version: null };
  return { name: match[1], version: match[2].split('_')[0] ?? match[2] };
}

/** Members of a resolution that say where it comes from. */
const ADDRESSES: ReadonlySet<string> = new Set(['tarball', 'url', 'repo', 'directory']);

/** Of a resolution. */
interface Member {
  name: string;
  text: string;
  line: number;
}

function readField(draft: Draft, key: string, value: string, line: number): void {
  if (key === 'resolution') {
    const members = [...(flowMembers(value) ?? [])].map(([name, text]) => ({ name, text, line }));
    readResolution(draft, members);
  } else if (key === 'requiresBuild') draft.hasScript = value === 'true';
  else if (key === 'name') draft.name = value;
  else if (key === 'version') draft.version = value;
}

function readResolution(draft: Draft, members: readonly Member[]): void {
  const commit = members.find(({ name }) => name === 'commit')?.text ?? '';
  for (const { name, text, line } of members) {
    if (name === 'integrity') draft.hashes.push(...hashesIn(text, line));
    else if (ADDRESSES.has(name)) {
      const isFolder = name === 'directory';
      const address = isFolder ? `link:${text}` : name === 'repo' ? `git+${text}#${commit}` : text;
      // The variants of a runtime have an address each.
      if (draft.source === null) draft.source = address;
      else {
        draft.alsoFrom ??= [];
        draft.alsoFrom.push(address);
      }
      draft.sourceLine = line;
    }
  }
}
