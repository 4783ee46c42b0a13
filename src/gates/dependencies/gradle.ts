import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { type Draft, emptyPackage, type LockedPackages } from './locked-package.ts';

const ELEMENT = /<(component|artifact|sha1|sha256|sha512|md5|also-trust)\s([^<>]{0,2000})>/g;
const ATTRIBUTE = /\b(group|name|version|value)="([^"]{0,500})"/g;

/**
 * Reads `verification-metadata.xml` of Gradle
 * (docs.gradle.org/current/userguide/dependency_verification.html).
 */
export function readGradleVerification(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const starts = lineStarts(text);
  let draft: Draft | null = isPart ? emptyPackage(0) : null;
  let file = '';
  let algorithm = '';
  for (const { 1: element = '', 2: attributes = '', index } of text.matchAll(ELEMENT)) {
    const line = lineIndex(starts, index);
    const all = new Map([...attributes.matchAll(ATTRIBUTE)].map(([, key, value]) => [key, value]));
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
  return { packages, roots: null, problem: null };
}
