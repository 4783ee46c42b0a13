import { useMemo } from 'preact/hooks';
import type { Finding } from '../../model/finding.ts';
import type { ChangedFile, CodeLine } from '../../model/shown-code.ts';
import { useLoaded } from '../api.ts';
import { Answer } from '../lists.tsx';
import { Empty, Folded, SeverityLabel, StatusLabel, Time, Untrusted, Words } from '../parts.tsx';
import { findingLink, rfcLink } from '../route.ts';
import { openFindings, placeOf } from '../row.ts';
import type { Previous, Related, ShownRfc } from './actions.ts';

interface Change {
  available: boolean;
  reason: string | null;
  files: ChangedFile[];
  left_out: number;
}

/** What differs between an RFC and the change of its branch before it: findings, files, lines. */
export function Compare({ rfc, related }: { rfc: ShownRfc; related: Related | null }) {
  const previous = related?.previous ?? null;
  const path = (id: string) => `rfc/${encodeURIComponent(id)}/changes`;
  const before = useLoaded<Change>(previous === null ? null : path(previous.rfc_id));
  const now = useLoaded<Change>(path(rfc.rfc_id));
  if (related === null || previous === null) {
    return (
      <Empty>
        <p>No earlier change of this branch is known.</p>
      </Empty>
    );
  }
  const isNew = new Set(
    related.findings.filter(({ is_new }) => is_new === true).map((one) => one.fingerprint),
  );
  const found = openFindings(rfc).filter(({ fingerprint }) => isNew.has(fingerprint));
  return (
    <section aria-label="Since the last change">
      <p>
        Beside <StatusLabel status={previous.overall_status} />{' '}
        <a href={rfcLink(previous.rfc_id)}>the change before it</a>{' '}
        <span class="quiet">
          <Time at={previous.created_at} />
        </span>
      </p>
      {rfc.overall_status === 'DRAFT' ? (
        <p class="quiet">Findings are compared once the verdict is known.</p>
      ) : (
        <div class="beside">
          <FindingGroup title="New findings" rfcId={rfc.rfc_id} findings={found} />
          <FindingGroup
            title="Gone findings"
            rfcId={previous.rfc_id}
            findings={previous.gone}
            more={previous.gone_total - previous.gone.length}
          />
        </div>
      )}
      <h2>Files</h2>
      <Answer of={before}>
        {(old) => (
          <Answer of={now}>
            {(recent) =>
              old.available && recent.available ? (
                <Files old={old} recent={recent} />
              ) : (
                <Empty>
                  <p>The lines are not compared: {old.reason ?? recent.reason}.</p>
                </Empty>
              )
            }
          </Answer>
        )}
      </Answer>
    </section>
  );
}

function FindingGroup(props: {
  title: string;
  rfcId: string;
  findings: readonly (Previous['gone'][number] | Finding)[];
  more?: number;
}) {
  const { title, rfcId, findings, more = 0 } = props;
  return (
    <section>
      <h2>
        {title} {findings.length + more}
      </h2>
      {findings.length === 0 && <p class="quiet">No finding.</p>}
      <ul class="history">
        {findings.map((finding) => (
          <li key={finding.finding_id}>
            <SeverityLabel severity={finding.severity} />{' '}
            <a href={findingLink(rfcId, finding.finding_id)}>
              <Words text={finding.title ?? finding.id} max={200} />
            </a>{' '}
            <code>
              <Untrusted text={placeOf(finding.file, finding.line)} max={200} />
            </code>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="quiet">{more} more</p>}
    </section>
  );
}

function Files({ old, recent }: { old: Change; recent: Change }) {
  const left = old.left_out + recent.left_out;
  const compared = useMemo(() => comparedFiles(old, recent), [old, recent]);
  const same = compared.filter(({ lines }) => lines?.length === 0);
  return (
    <>
      {compared
        .filter(({ lines }) => lines?.length !== 0)
        .map(({ name, said, lines }) => (
          <Folded
            key={name}
            kind="file"
            isOpen={true}
            title={
              <>
                <code>
                  <Untrusted text={name} max={400} />
                </code>{' '}
                <span class="quiet">{said}</span>
              </>
            }
          >
            {() => (lines === null ? <TooLong /> : <Lines name={name} lines={lines} />)}
          </Folded>
        ))}
      {same.length > 0 && (
        <p class="quiet">
          {same.length === 1 ? '1 file is' : `${same.length} files are`} changed as before.
        </p>
      )}
      {left > 0 && <p class="quiet">{left} more files are not compared.</p>}
    </>
  );
}

function TooLong() {
  return (
    <p class="quiet">
      It is, or the files before it are, too long to be compared line by line; see Changes.
    </p>
  );
}

/** A line that stands in one of the two results alone. */
interface Line {
  side: 'added' | 'removed';
  text: string;
}

interface Compared {
  name: string;
  said: string;
  /** Null: too many to compare. */
  lines: Line[] | null;
}

/** Pairs of lines that are compared of all files; of one file they take 2 bytes each. */
const PAIRS_MAX = 4_000_000;

function comparedFiles(old: Change, recent: Change): Compared[] {
  const before = new Map(old.files.map((file) => [file.file, file]));
  const now = new Map(recent.files.map((file) => [file.file, file]));
  let room = PAIRS_MAX;
  return [...new Set([...now.keys(), ...before.keys()])].map((name) => {
    const one = before.get(name);
    const other = now.get(name);
    const said =
      one === undefined
        ? 'only in this change'
        : other === undefined
          ? 'only in the change before'
          : '';
    if (one?.is_cut || other?.is_cut) return { name, said, lines: null };
    const rests = differing(changedIn(one), changedIn(other));
    const pairs = rests.a.length * rests.b.length;
    if (pairs > room) return { name, said, lines: null };
    room -= pairs;
    return { name, said, lines: comparedLines(rests) };
  });
}

function changedIn(file: ChangedFile | undefined): CodeLine[] {
  return (file?.blocks.flat() ?? []).filter(({ side }) => side !== 'context');
}

function isSame(one: CodeLine | undefined, other: CodeLine | undefined): boolean {
  return one?.side === other?.side && one?.text === other?.text;
}

/** Lines of the first (`a`) and second list without their common beginning and end. */
function differing(old: readonly CodeLine[], recent: readonly CodeLine[]) {
  let from = 0;
  while (from < Math.min(old.length, recent.length) && isSame(old[from], recent[from])) from += 1;
  const a = old.slice(from);
  const b = recent.slice(from);
  while (a.length > 0 && b.length > 0 && isSame(a.at(-1), b.at(-1))) {
    a.pop();
    b.pop();
  }
  return { a, b };
}

/**
 * What differs between the results of two changes of one base: a line that the first one adds alone
 * is gone, a line that it removes alone is there again. Takes time by the pairs of lines.
 */
function comparedLines({ a, b }: ReturnType<typeof differing>): Line[] {
  // The length of what the rests from here on have in common.
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = isSame(a[i], b[j])
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const one = a[i];
    const other = b[j];
    if (one !== undefined && other !== undefined && isSame(one, other)) {
      i += 1;
      j += 1;
    } else if (other === undefined || (one !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      i += 1;
      if (one !== undefined) lines.push({ side: OPPOSITE[one.side], text: one.text });
    } else {
      j += 1;
      lines.push({ side: SAME[other.side], text: other.text });
    }
  }
  return lines;
}

const OPPOSITE = { added: 'removed', removed: 'added', context: 'added' } as const;
const SAME = { added: 'added', removed: 'removed', context: 'added' } as const;

function Lines({ name, lines }: { name: string; lines: readonly Line[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <figure class="code-box" tabIndex={0} aria-label={`What differs in ${name}`}>
      <table class="code">
        <tbody>
          {lines.map(({ side, text }, index) => (
            <tr key={index}>
              <td class={`sign ${side}`}>{side === 'added' ? '+' : '−'}</td>
              <td class={`text ${side}`}>
                <Untrusted text={text} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
