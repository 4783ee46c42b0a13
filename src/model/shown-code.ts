import type { Static } from 'typebox';
import { COUNT, exactly, TEXT, TEXT_OR_NULL } from './schema.ts';

/** Code of a change as people see it: without secrets. */

const LINE_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;

const CODE_LINE = exactly({
  side: { type: 'string', enum: ['added', 'removed', 'context'] },
  old: { ...LINE_OR_NULL, description: 'Line in the old file; null: it is not there' },
  new: { ...LINE_OR_NULL, description: 'Line in the new file; null: it is not there' },
  text: { type: 'string', description: 'Untrusted; secrets read `[secret N]`' },
  is_cut: { type: 'boolean', description: 'Only a part is here, around the finding if any' },
});
export type CodeLine = Static<typeof CODE_LINE>;

const CODE_LINES = { type: 'array', items: CODE_LINE } as const;

/** Lines that stand together, and the findings that they are shown for. */
export const CODE_BLOCK = exactly({
  file: TEXT,
  finding_ids: { type: 'array', items: TEXT },
  lines: CODE_LINES,
});
export type CodeBlock = Static<typeof CODE_BLOCK>;

/** A file of a change, and its lines as far as they are shown. */
export const CHANGED_FILE = exactly({
  file: { type: 'string', description: 'Path in the new tree; the old one of a deletion' },
  old_file: { ...TEXT_OR_NULL, description: 'Path in the old tree; null: the file is new' },
  change: { type: 'string', enum: ['added', 'deleted', 'modified', 'renamed', 'copied'] },
  content: { type: 'string', enum: ['text', 'binary', 'symlink', 'submodule'] },
  additions: COUNT,
  deletions: COUNT,
  blocks: {
    type: 'array',
    items: CODE_LINES,
    description: 'Lines that stand together, in the order of the diff',
  },
  is_cut: { type: 'boolean', description: 'Not all of its lines are here: ask by ?file=' },
});
export type ChangedFile = Static<typeof CHANGED_FILE>;
