import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { listed, shortLines } from './asked-versions.ts';
import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  type Remark,
} from './locked-package.ts';

const ELEMENT = /<(component|artifact|sha1|sha256|sha512|md5|also-trust)\s([^<>]{0,2000})>/g;
/** What is accepted without a checksum. */
const WAIVER =
  /<(trust|trusted-key|trusting|ignored-key)\s([^<>]{0,2000}?)\/?>|<(?:verify-metadata|verify-signatures)\s{0,100}>\s{0,100}false/g;
/** Files that nothing runs, as Gradle's handbook trusts them. */
const READ_ONLY = /^\.\*-(?:javadoc|sources)(?:\[\.\]|\\?\.)jar$/;
/** Of it, in a finding. Characters. */
const WAIVER_CHARS_MAX = 200;
const ATTRIBUTE = /([\w:-]{1,50})\s{0,100}=\s{0,100}(?:"([^"]{0,2000})"|'([^']{0,2000})')/g;

/**
 * Reads `verification-metadata.xml` of Gradle
 * (docs.gradle.org/current/userguide/dependency_verification.html).
 */
export function readGradleVerification(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const starts = lineStarts(text);
  let draft: Draft | null = isPart ? emptyPackage(0) : null;
  const remarks: Remark[] = [];
  let file = '';
  let algorithm = '';
  for (const { 1: element = '', 2: attributes = '', index } of text.matchAll(ELEMENT)) {
    const line = lineIndex(starts, index);
    const all = attributesIn(attributes);
    const value = all.get('value') ?? '';
    if (element === 'component') {
      const name = `${all.get('group') ?? ''}:${all.get('name') ?? ''}`;
      const version = all.get('version') ?? null;
      draft = { ...emptyPackage(line), key: `${name}@${version}`, name, version };
      packages.push(draft);
    } else if (element === 'artifact') file = all.get('name') ?? '';
    else if (draft !== null) {
      if (draft.key === null && draft.hashes.length === 0) packages.push(draft);
      algorithm = element === 'also-trust' ? algorithm : element;
      draft.hashes.push({ file, algorithm, value, line });
    }
  }
  for (const { 0: all, 1: element = '', 2: attributes = '', index } of text.matchAll(WAIVER)) {
    const what = attributes.replace(/\s+/g, ' ').trim();
    if (element === 'trust' && isReadOnly(attributesIn(attributes))) continue;
    const line = lineIndex(starts, index);
    // A key is trusted for each package that is signed with another one.
    const isLesser = element === 'trusted-key' || element === 'trusting';
    const said = (element === '' ? all.slice(1) : `${element} ${what}`).slice(0, WAIVER_CHARS_MAX);
    const detail = `Artifacts are accepted by “${said}”, and not by a checksum.`;
    remarks.push({ kind: 'integrity-removed', text: detail, line: () => line, isLesser });
  }
  return { packages, roots: null, remarks, problem: null };
}

function attributesIn(text: string): Map<string, string> {
  const all = [...text.matchAll(ATTRIBUTE)];
  return new Map(all.map(([, key = '', double, single]) => [key, double ?? single ?? '']));
}

/** Whatever the reason and its other attributes, which only narrow it. */
function isReadOnly(trusted: Map<string, string>): boolean {
  return trusted.get('regex') === 'true' && READ_ONLY.test(trusted.get('file') ?? '');
}

/** What is downloaded, its address and its checksum. */
const WRAPPED = /^(distribution|wrapper)(Url|Sha256Sum) ?[=:] ?(\S+)$/;
/** `gradle-8.9-bin.zip`, `apache-maven-3.9.6-bin.zip`; `-all` is another archive. */
const ARCHIVE = /\/([a-zA-Z][a-zA-Z-]*?)-(\d[^/]*?)\.(?:zip|jar|tar\.gz)$/;

/**
 * Reads `gradle-wrapper.properties` and `maven-wrapper.properties`: the build tool that each build
 * downloads, with its checksum (docs.gradle.org/current/userguide/gradle_wrapper.html). At the
 * server that it comes from `risk-wrapper-source` looks.
 */
export function readWrapper(text: string): LockedPackages {
  const parts = new Map<string, Draft>();
  const { lines, problem } = shortLines(text);
  for (const [line, content] of lines) {
    const [, part, field, value = ''] = WRAPPED.exec(content) ?? [];
    if (part === undefined) continue;
    const draft = parts.get(part) ?? { ...emptyPackage(line), name: part };
    parts.set(part, draft);
    if (field === 'Sha256Sum') draft.hashes.push(...hashesIn(`sha256:${value}`, line, '', ':'));
    else {
      const [, name = part, version = value] = ARCHIVE.exec(value.replaceAll('\\', '')) ?? [];
      Object.assign(draft, { name, version, line });
    }
  }
  return listed([...parts.values()], problem);
}
