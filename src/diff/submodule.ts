import { startsAt } from './bytes.ts';
import type { DiffFile } from './diff.ts';
import { setNames, startFile } from './file.ts';
import type { Problems, Reader } from './reader.ts';

/** `git diff --submodule=log|diff`: the path, the commits, and what happened in words. */
const LINE =
  /^Submodule (.+) (?:[0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}(?: \((.+)\))?:?|contains (?:untracked|modified) content)$/;

/** Whether the reader stands on git's one line about a submodule. */
export function startsSubmoduleLine(reader: Reader): boolean {
  return startsAt(reader.bytes, reader.at, 'Submodule ') && LINE.test(reader.text());
}

/** Reads that line as a file without hunks. */
export function readSubmoduleLine(reader: Reader, problems: Problems): DiffFile {
  const file = startFile(reader);
  const [, path = '', note = ''] = LINE.exec(reader.text()) ?? [];
  const added = note.startsWith('new submodule');
  const deleted = note.startsWith('submodule deleted');
  setNames(file, added ? null : path, deleted ? null : path, problems);
  file.content = 'submodule';
  file.oldMode = added ? null : SUBMODULE_MODE;
  file.newMode = deleted ? null : SUBMODULE_MODE;
  reader.skip();
  file.headerEnd = reader.at;
  return file;
}

const SUBMODULE_MODE = '160000';
