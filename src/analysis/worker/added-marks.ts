import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import { marksSource } from '../../gates/coverage/paths.ts';
import type { TreeFiles } from '../../model/change.ts';
import { type GateFinding, plainFinding } from '../../model/finding.ts';
import { OWN_MARKER } from '../../model/rules.ts';
import { MARKERS } from '../limits.ts';
import { BaseMarkers, readMarker } from './marker-lines.ts';
import type { ActiveRules } from './rules-cache.ts';
import { withFingerprint } from './suppress.ts';

/** Rules and trees that a change is compared with. */
interface MarkTools {
  rules: Pick<ActiveRules, 'pipeline'>;
  files: TreeFiles;
  fingerprintKey: Uint8Array;
}

/** The hunks of a change, and the text in which they are. */
interface ChangeText {
  bytes: Uint8Array;
  files: readonly DiffFile[];
}

/**
 * What a change adds that takes later findings out of the verdict or lowers them: one finding for
 * each file with new markers, and one for each `.gitattributes` that marks more files as generated.
 * A decision about the RFC is one about these, too. Linear in the diff.
 */
export function addedMarks({ bytes, files }: ChangeText, tools: MarkTools): GateFinding[] {
  const { pipeline } = tools.rules;
  const text = asBuffer(bytes);
  const { own_markers, foreign_markers: foreign = [] } = pipeline;
  const hasOwn = own_markers !== 'off' && text.includes(OWN_MARKER);
  const base = new BaseMarkers(bytes, foreign, tools.files, null);
  const findings: GateFinding[] = [];
  for (const file of files) {
    if (file.change === 'deleted' || file.additions === 0) continue;
    const isAttributes = /(?:^|\/)\.gitattributes$/.test(file.path);
    if (!hasOwn && foreign.length === 0 && !isAttributes) continue;
    const marks: Mark[] = [];
    for (const { content, line, hunk } of addedLines(text, file)) {
      const severity = isAttributes ? marksSource(content) : null;
      if (severity !== null) marks.push({ line, severity, by: GENERATED });
      const marker = isAttributes ? null : readMarker(content, foreign);
      if (marker === null || marker.rules.length === 0) continue;
      if (marker.reason !== null && !HAS_WORD.test(content.slice(...marker.reason))) continue;
      if (marker.by === OWN_MARKER && own_markers === 'off') continue;
      if (!base.has(content, marker, file, hunk)) {
        marks.push({ line, severity: 'info', by: marker.by });
      }
    }
    if (marks.length > 0)
      findings.push(withFingerprint(noteOf(file.path, marks), tools.fingerprintKey));
  }
  return findings;
}

const GENERATED = 'linguist-generated';
/** Without a reason a marker suppresses nothing; one character a byte. */
const HAS_WORD = /[\w\x80-\xff]/;

interface Mark {
  line: number;
  severity: 'info' | 'medium';
  by: string;
}

function* addedLines(text: Buffer, { hunks }: DiffFile) {
  const cursor = new LineCursor(text);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine: line } = cursor;
      if (kind !== LINE.ADDED || end - start > MARKERS.LINE_BYTES_MAX) continue;
      yield { content: text.toString('latin1', start, end), line, hunk };
    }
  }
}

function noteOf(file: string, marks: readonly Mark[]): GateFinding {
  const [first] = marks.filter(({ severity }) => severity === 'medium');
  const { line = null, severity = 'info', by = '' } = first ?? marks[0] ?? {};
  const count = marks.length === 1 ? 'a line' : `${marks.length} lines`;
  const place = { gate: 'risk', severity, file, line, end_line: line } as const;
  if (by === GENERATED) {
    const message = `adds ${count} that mark files as generated: the gates report less of what they cannot read there, once somebody has decided about this RFC`;
    return plainFinding({ ...place, id: 'generated-mark-added', message, fix: MARK_FIX });
  }
  const message = `adds ${count} with markers (${by}) that suppress findings: high ones once somebody has decided about this RFC`;
  return plainFinding({ ...place, id: 'marker-added', message, fix: MARKER_FIX });
}

const MARK_FIX = 'Mark files that a generator writes, and no source.';
const MARKER_FIX = 'Approve or override the RFC only if the reasons of its markers are right.';
