import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { Fact } from './compare.ts';

/** A fact that lines of a hunk show, and the line of the new file where it stands. */
export interface LineFact {
  fact: Fact;
  /** From 1. */
  line: number;
  text: string;
}

const raw = String.raw;

/** Where actions and images are named. */
const FILES = /\.ya?ml$|(?:^|\/)(?:[^/]*\.)?(?:Dockerfile|Containerfile)(?:[.-][^/]*)?$/;
/** Keys and instructions before a name; `repo` is of pre-commit, `repository` of values of Helm. */
const BEFORE_NAME = [
  raw`["']?(?:uses|image|container|repository)["']?\s*:\s*`,
  raw`["']?repo["']?\s*:\s*["']?https:\/\/`,
  raw`FROM\s+(?:--platform=\S+\s+)?`,
  raw`COPY\s+(?:--\S+\s+)*?--from=`,
  raw`RUN\s+--mount=\S*\bfrom=`,
  raw`ARG\s+\w*(?:IMAGE|BASE)\w*=`,
  raw`(?:#|\/\/)\s*syntax\s*=\s*`,
].join('|');
/**
 * `uses: owner/action@ref`, `image: name:tag@sha256:...`, `FROM name:tag@sha256:...`,
 * `COPY --from=name@sha256:...`; a variable stands for any name.
 */
const NAMED = new RegExp(
  raw`^\s*(?:-\s+)?(?:\{\s*)?(?:${BEFORE_NAME})["']?(?:docker:\/\/)?(\$\{?\w+\}?|[\w./-]+(?::\d+\/[\w./-]+)?)(?::([\w.-]+))?(?:@([\w.:/-]+))?`,
  'i',
);
/** Names a repository, whose version stands in another line. */
const REPOSITORY = /^\s*(?:-\s+)?["']?repo/;
const DIGEST = /^(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})$/;
/** What a hunk with a digest holds. */
const MAY_PIN = /@(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})/;
/** The version that a commit has by the comment behind it. */
const RELEASE = /@[0-9a-f]{40}["']?\s+#\s?(v?\d+\.\d+\.\d[\w.-]*)/;
/** A longer line names nothing. Bytes. */
const LINE_BYTES_MAX = 500;

interface Loose {
  name: string;
  /** As it is written. */
  label: string;
  now: string;
  line: number;
  text: string;
  hunk: number;
}

/** A new line with the commit of a version. */
interface Pinned {
  /** The action and its version. */
  release: string;
  label: string;
  version: string;
  ref: string;
  line: number;
  text: string;
}

/**
 * Actions and images of a file that lose their digest, also to another name in the same hunk, and
 * actions of which another commit has the same version. Another digest is a pin as well.
 */
export function pinFacts(bytes: Uint8Array, file: DiffFile): LineFact[] {
  const path = file.path.trimEnd();
  if (file.change === 'deleted' || file.deletions === 0 || !FILES.test(path)) return [];
  return [...pinsGone(bytes, file), ...imagesMoved(bytes, file)];
}

function pinsGone(bytes: Uint8Array, file: DiffFile): LineFact[] {
  const text = asBuffer(bytes);
  const hunks = file.hunks.filter(({ start, end }) =>
    MAY_PIN.test(text.toString('latin1', start, end)),
  );
  /** How many more lines with a digest go than come, by name; and the hunks where they go. */
  const lost = new Map<string, { count: number; hunks: Set<number> }>();
  const loose: Loose[] = [];
  /** Commits that go, by action and version. */
  const released = new Map<string, Set<string>>();
  const pinned: Pinned[] = [];
  const cursor = new LineCursor(bytes);
  for (const [index, hunk] of hunks.entries()) {
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine: line } = cursor;
      if (kind === LINE.CONTEXT || end - start > LINE_BYTES_MAX) continue;
      const content = text.toString('utf8', start, end);
      const [, label, tag = '', ref = ''] = NAMED.exec(content) ?? [];
      if (label === undefined || REPOSITORY.test(content)) continue;
      const name = label.toLowerCase();
      const isRemoved = kind === LINE.REMOVED;
      if (!DIGEST.test(ref)) {
        const now = ref || tag;
        if (!isRemoved) loose.push({ name, label, now, line, text: content, hunk: index });
        continue;
      }
      const of = lost.get(name) ?? { count: 0, hunks: new Set() };
      of.count += isRemoved ? 1 : -1;
      if (isRemoved) of.hunks.add(index);
      lost.set(name, of);
      const version = RELEASE.exec(content)?.[1];
      if (version === undefined) continue;
      const release = `${name} ${version}`;
      if (isRemoved) released.set(release, (released.get(release) ?? new Set()).add(ref));
      else pinned.push({ release, label, version, ref, line, text: content });
    }
  }
  // The line that goes may stand behind the new line.
  const facts = pinned.flatMap(
    ({ release, label, version, ref, line, text: content }): LineFact[] => {
      const were = released.get(release);
      if (were === undefined || were.has(ref)) return [];
      const detail = `${label} ${version} was commit ${[...were].join(', ')}, and is ${ref} now.`;
      const more = { detail, origin: ref, isLesser: false };
      const fact: Fact = { kind: 'pin-moved', name: label, version, ...more };
      return [{ fact, line, text: content }];
    },
  );
  const stillNamed = new Set(loose.map(({ name }) => name));
  /** The first name of each hunk that goes for good. */
  const gone = new Map<number, string>();
  for (const [name, { count, hunks: places }] of lost) {
    if (count <= 0 || stillNamed.has(name)) continue;
    for (const place of places) if (!gone.has(place)) gone.set(place, name);
  }
  for (const { name, label, now, line, text: content, hunk } of loose) {
    const isSame = (lost.get(name)?.count ?? 0) > 0;
    const other = gone.get(hunk);
    if (!isSame && other === undefined) continue;
    const ref = now === '' ? 'no tag' : now;
    const detail = isSame
      ? `${label} is named by ${ref} now.`
      : `${other} gives way to ${label}, which is named by ${ref}.`;
    const fact: Fact = { kind: 'pin-removed', name: label, version: now, detail, isLesser: false };
    facts.push({ fact, line, text: content });
  }
  return facts;
}

/** What a hunk with an image or action holds. */
const MAY_NAME_IMAGE =
  /^[-+].*(?:\bFROM\s|\b(?:image|uses|container|repo|repository)["']?\s*:|from=|\bARG\s|syntax\s*=)/im;
/** An action of a workflow, and not an image; a repository of pre-commit. */
const OF_OWNER = /^\s*(?:-\s+)?["']?(?:uses["']?\s*:\s*["']?(?!docker:)|repo["']?\s*:)/;

/**
 * Images that the same hunk takes from another registry than before, and actions from another
 * owner. One digest is one content, wherever it comes from.
 */
function imagesMoved(bytes: Uint8Array, file: DiffFile): LineFact[] {
  const text = asBuffer(bytes);
  const facts: LineFact[] = [];
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    if (!MAY_NAME_IMAGE.test(text.toString('latin1', hunk.start, hunk.end))) continue;
    /** Registries and digests of the images that go, by the last part of their names. */
    const gone = new Map<string, Set<string>>();
    const come: { image: Image; line: number; content: string }[] = [];
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine: line } = cursor;
      if (kind === LINE.CONTEXT || end - start > LINE_BYTES_MAX) continue;
      const content = text.toString('utf8', start, end);
      const image = imageIn(content);
      if (image === null) continue;
      if (kind === LINE.ADDED) come.push({ image, line, content });
      else {
        const of = gone.get(image.base) ?? new Set();
        gone.set(image.base, of.add(image.registry).add(image.digest));
      }
    }
    for (const { image, line, content } of come) {
      const { label, base, registry, digest, tag } = image;
      const of = gone.get(base);
      if (of === undefined || of.has(registry) || (digest !== '' && of.has(digest))) continue;
      const detail = `${label} came from elsewhere before, and comes from ${registry}.`;
      const fact: Fact = {
        kind: 'source-changed',
        name: label,
        version: tag,
        detail,
        isLesser: true,
      };
      facts.push({ fact, line, text: content });
    }
  }
  return facts;
}

interface Image {
  label: string;
  /** The last part of its name; of an action, its name without its owner. */
  base: string;
  /** Or the owner of the repository. */
  registry: string;
  tag: string;
  /** Empty: it has none. */
  digest: string;
}

function imageIn(content: string): Image | null {
  const [, label = '', tag = '', ref = ''] = NAMED.exec(content) ?? [];
  if (label === '' || label.startsWith('$')) return null;
  const digest = DIGEST.test(ref) ? ref : '';
  const parts = label
    .toLowerCase()
    .replace(/\.git$/, '')
    .split('/');
  if (OF_OWNER.test(content)) {
    if (label.startsWith('.')) return null;
    const ofOwner = parts[0]?.includes('.') ? 2 : 1;
    const base = parts.slice(ofOwner).join('/');
    return { label, base, registry: parts.slice(0, ofOwner).join('/'), tag, digest };
  }
  const [first = '', ...rest] = parts;
  const isRegistry = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const named = isRegistry ? first : 'docker.io';
  const registry = DOCKER_HUB.test(named) ? 'docker.io' : named;
  return { label, base: rest.at(-1) ?? first, registry, tag, digest };
}

const DOCKER_HUB = /^(?:index\.|registry-1\.|registry\.hub\.)?docker\.(?:io|com)$/;
