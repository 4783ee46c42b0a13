import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';

/** An action or image that a change no longer names by its digest. */
interface RemovedPin {
  name: string;
  /** The tag or branch that it is named by now; empty: neither. */
  now: string;
  /** In the new file, from 1. */
  line: number;
  text: string;
}

/** Where actions and images are named. */
const FILES = /\.ya?ml$|(?:^|\/)(?:[^/]*\.)?(?:Dockerfile|Containerfile)(?:[.-][^/]*)?$/;
/** `uses: owner/action@ref`, `image: name:tag@sha256:...`, `FROM name:tag@sha256:...`. */
const NAMED =
  /^\s*(?:-\s+)?(?:(?:uses|image):\s*|FROM\s+(?:--platform=\S+\s+)?)["']?([\w./-]+(?::\d+\/[\w./-]+)?)(?::([\w.-]+))?(?:@([\w.:/-]+))?/i;
const DIGEST = /^(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})$/;
/** What a hunk with a digest holds. */
const MAY_PIN = /@(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})/;
/** A longer line names nothing. Bytes. */
const LINE_BYTES_MAX = 500;

/** Actions and images of a file that lose their digest; another digest is a pin as well. */
export function removedPins(bytes: Uint8Array, file: DiffFile): RemovedPin[] {
  const path = file.path.trimEnd();
  if (file.change === 'deleted' || file.deletions === 0 || !FILES.test(path)) return [];
  const text = asBuffer(bytes);
  const hunks = file.hunks.filter(({ start, end }) =>
    MAY_PIN.test(text.toString('latin1', start, end)),
  );
  /** How many more lines with a digest go than come, by name. */
  const lost = new Map<string, number>();
  const loose: RemovedPin[] = [];
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine: line } = cursor;
      if (end - start > LINE_BYTES_MAX) continue;
      const content = text.toString('utf8', start, end);
      const [, name, tag = '', ref = ''] = NAMED.exec(content) ?? [];
      if (name === undefined) continue;
      const isPinned = DIGEST.test(ref);
      if (isPinned && kind === LINE.REMOVED) lost.set(name, (lost.get(name) ?? 0) + 1);
      else if (isPinned && kind === LINE.ADDED) lost.set(name, (lost.get(name) ?? 0) - 1);
      else if (kind === LINE.ADDED) loose.push({ name, now: ref || tag, line, text: content });
    }
  }
  return loose.filter(({ name }) => (lost.get(name) ?? 0) > 0);
}
