import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { entriesOf, type Node, valuesAt, valuesOf } from '../configuration/document.ts';
import { readHcl } from '../configuration/hcl.ts';
import { listed, shortLines } from './asked-versions.ts';
import { type Draft, emptyPackage, hashesIn, type LockedPackages } from './locked-package.ts';

interface Block {
  keyword: string;
  label: string | null;
  draft: Draft;
}

/**
 * Versions of modules and providers in Terraform
 * (developer.hashicorp.com/terraform/language/modules/sources). What is not HCL, and hunks, are
 * read by lines.
 */
export function readTerraform(text: string, isPart: boolean): LockedPackages {
  if (isPart) return readHunk(text);
  const { roots, problem } = readHcl(text);
  // `config-unread` says that it is not HCL.
  if (problem !== null) return readHunk(text);
  const packages: Draft[] = [];
  const starts = lineStarts(text);
  const [root = null] = roots;
  for (const { key, keyStart, value } of entriesOf(
    valuesAt(root, 'terraform', 'required_providers'),
  )) {
    const draft = draftOf(value, lineIndex(starts, keyStart), starts);
    if (draft.source !== null) packages.push({ ...draft, ...providerOf(draft.source) });
    else if (value.kind === 'scalar') packages.push({ ...draft, name: key, version: value.value });
  }
  for (const { key, keyStart, value } of entriesOf(valuesOf(root, 'module'))) {
    const draft = draftOf(value, lineIndex(starts, keyStart), starts);
    if (isFetched(draft)) packages.push({ ...moduleOf(draft), name: `module.${key}` });
  }
  return listed(packages);
}

/** The source and the version that a map says, as far as they are literals. */
function draftOf(node: Node, line: number, starts: readonly number[]): Draft {
  const draft = emptyPackage(line);
  for (const { key, value } of entriesOf([node])) {
    if (value.kind !== 'scalar' || value.computed === true) continue;
    if (key === 'version') draft.version = value.value.trim();
    else if (key === 'source') {
      const sourceLine = lineIndex(starts, value.start);
      Object.assign(draft, { source: value.value.trim(), sourceLine });
    }
  }
  return draft;
}

/** Whether a module comes from outside of the repository. */
const isFetched = ({ source }: Draft) => source !== null && !/^\.{1,2}\//.test(source);

function readHunk(text: string): LockedPackages {
  const packages: Draft[] = [];
  const outer = (line: number): Block => ({ keyword: '', label: null, draft: emptyPackage(line) });
  let around = [outer(0)];
  const { lines, problem } = shortLines(text);
  for (const [line, content] of lines) {
    const [, keyword, label = null] =
      /^([\w-]+)(?: "([^"]*)")?(?: "[^"]*")? ?=? ?\{(?: ?(?:#|\/\/).*)?$/.exec(content) ?? [];
    const [, alias, members = ''] = /^([\w-]+) ?= ?\{(.*)\},?$/.exec(content) ?? [];
    if (keyword !== undefined) around.push({ keyword, label, draft: emptyPackage(line) });
    else if (alias !== undefined) {
      const draft = emptyPackage(line);
      for (const one of members.split(',')) readMember(draft, one.trim(), line);
      finish({ keyword: alias, label: null, draft });
    } else if (content.endsWith('{') && !content.startsWith('}')) {
      // An object within an expression: nothing of it is of the block around it.
      around.push({ keyword: '{', label: null, draft: emptyPackage(line) });
    } else if (/^\}/.test(content)) {
      const closed = around.pop();
      if (closed !== undefined) finish(closed);
      if (around.length === 0) around = [outer(line)];
    } else readMember(around.at(-1)?.draft, content, line);
  }
  for (const block of around) finish(block);
  return listed(packages, problem);

  function finish({ keyword, label, draft }: Block): void {
    const isModule = keyword === 'module' || keyword === '';
    const holder = around.at(-1)?.keyword;
    const isOfPart = holder === '' && keyword !== '' && draft.version !== null;
    const isProvider = holder === 'required_providers' || (isOfPart && keyword !== 'module');
    if (isProvider && draft.source !== null) {
      packages.push({ ...draft, ...providerOf(draft.source) });
    } else if (isModule && isFetched(draft)) {
      packages.push({ ...moduleOf(draft), name: label === null ? null : `module.${label}` });
    }
  }
}

function readMember(draft: Draft | undefined, content: string, line: number): void {
  const [, key, value = ''] = /^(source|version) ?= ?"([^"]*)"/.exec(content) ?? [];
  if (draft === undefined) return;
  if (key === 'version') draft.version = value;
  else if (key === 'source') Object.assign(draft, { source: value, sourceLine: line });
}

/** A provider is known by namespace and type; before them may stand the host of its registry. */
function providerOf(address: string): { name: string; source: string } {
  const parts = address.split('/');
  const host = parts.length > 2 ? parts.shift() : undefined;
  return { name: parts.join('/'), source: `registry+https://${host ?? 'registry.terraform.io'}` };
}

/** Git and archives have their version as `?ref=`; other sources are of a registry. */
function moduleOf(draft: Draft): Draft {
  const [address = '', query = ''] = (draft.source ?? '').split('?');
  const [, ref = null] = /(?:^|&)ref=([^&]+)/.exec(query) ?? [];
  const version = draft.version ?? ref;
  // Behind `//` stands a folder of the module.
  const [module = ''] = address.split('//');
  if (
    /^[\w.-]+(?:\/[\w.-]+){2,3}$/.test(module) &&
    !/^(?:github|bitbucket)\.(?:com|org)\//.test(module)
  ) {
    const host = module.split('/').length === 4 ? '' : 'registry.terraform.io/';
    return { ...draft, version, source: `registry+https://${host}${module}` };
  }
  const plain = address.replace(/^git::/, '').replace(/^git@([^:/]+):/, 'ssh://$1/');
  const isUrl = plain.includes('://');
  const source = `${address.startsWith('git') ? 'git+' : ''}${isUrl ? plain : `https://${plain}`}`;
  return { ...draft, version, source };
}

/** The lines that Terraform writes into `.terraform.lock.hcl`. */
const LOCK_LINES =
  /^(?:provider "([^"\\]+)" \{|(version|constraints) = "([^"\\]*)"|hashes = \[|"((?:h1|zh):[\w+/=-]+)",|\]|\}|#.*)?$/;

/**
 * Reads `.terraform.lock.hcl` (developer.hashicorp.com/terraform/language/files/dependency-lock)
 * by lines, as Terraform writes it.
 */
export function readTerraformLock(text: string): LockedPackages {
  const { lines, problem: tooLong } = shortLines(text);
  const packages: Draft[] = [];
  let problem = tooLong;
  let draft = emptyPackage(0);
  for (const [line, content] of lines) {
    const found = LOCK_LINES.exec(content);
    if (found === null) problem ??= `line ${line + 1} is not as Terraform writes it`;
    const [, address, field, value = '', hash] = found ?? [];
    if (content === '}' || address !== undefined) {
      keep();
      draft = emptyPackage(line);
      if (address !== undefined) Object.assign(draft, providerOf(address));
    }
    if (field === 'version') draft.version = value;
    if (hash !== undefined) draft.hashes.push(...hashesIn(hash, line, '', ':'));
  }
  keep();
  return listed(packages, problem);

  function keep(): void {
    if (draft.hashes.length > 0 || draft.version !== null) packages.push(draft);
  }
}
