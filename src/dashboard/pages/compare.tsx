import { useMemo } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import type { ChangedFile, CodeLine } from '../../model/shown-code.ts';
import { type Loaded, useLoaded } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Answer } from '../lists.tsx';
import { Empty, FailureBox, Folded, StatusLabel, Time, Untrusted } from '../parts.tsx';
import { rfcLink, route, searchOf, viewLink } from '../route.ts';
import { openFindings } from '../row.ts';
import { quoted, termFor } from '../search.ts';
import type { Related, ShownRfc } from './actions.ts';
import type { Change } from './changes.tsx';
import { FindingList } from './finding-list.tsx';

/** Changes of the branch that one can be compared with: the newest that the service finds. */
const CHOICES_MAX = 100;

/**
 * What differs between an RFC and another change of its branch: findings, files, lines. The other
 * one stands in the address (`with`); without it, it is the judged change before.
 */
export function Compare({ rfc, related }: { rfc: ShownRfc; related: Loaded<Related> }) {
  const chosen = route.value.query.get('with');
  const otherId = chosen ?? related.data.value?.previous?.rfc_id ?? null;
  const branch = ['is:any', termFor('repo', rfc.repo_name), quoted(rfc.branch)].join(' ');
  const found = useLoaded<RfcSummary[]>(
    `rfcs?${searchOf({ q: branch, limit: String(CHOICES_MAX) })}`,
  );
  const other = useLoaded<ShownRfc>(otherId === null ? null : rfcPath(otherId));
  const choices = (found.data.value ?? [])
    .filter((row) => row.branch === rfc.branch && row.rfc_id !== rfc.rfc_id)
    .toSorted((one, next) => (one.created_at < next.created_at ? 1 : -1));
  return (
    <section aria-label="Compare">
      {found.failure.value !== null && (
        <FailureBox failure={found.failure.value} retry={found.reload} />
      )}
      {choices.length > 0 && (
        <details class="menu" key={otherId}>
          <summary>
            Compare with <Icon name="more" />
          </summary>
          <div>
            {choices.map((row) => (
              <a
                key={row.rfc_id}
                href={viewLink('with', row.rfc_id)}
                {...(row.rfc_id === otherId && { 'aria-current': 'true' as const })}
              >
                <StatusLabel status={row.overall_status} />{' '}
                <Untrusted text={nameOf(row)} max={80} />{' '}
                <span class="quiet">
                  <Time at={row.created_at} />
                </span>
              </a>
            ))}
          </div>
        </details>
      )}
      {otherId === null ? (
        <Answer of={related}>
          {() => (
            <Empty>
              <p>No earlier change of this branch with a verdict is known.</p>
            </Empty>
          )}
        </Answer>
      ) : (
        <Answer of={other}>
          {(one) =>
            one.created_at < rfc.created_at ? (
              <Pair from={one} to={rfc} />
            ) : (
              <Pair from={rfc} to={one} />
            )
          }
        </Answer>
      )}
    </section>
  );
}

function rfcPath(id: string): string {
  return `rfc/${encodeURIComponent(id)}`;
}

function nameOf(rfc: Pick<RfcSummary, 'rfc_id' | 'commit_sha' | 'commit_message'>): string {
  const { commit_sha, commit_message, rfc_id } = rfc;
  const commit = commit_sha === null ? '' : `${commit_sha.slice(0, 10)} `;
  return `${commit}${commit_message.split('\n', 1)[0] || rfc_id}`;
}

/** Two changes, the older one first. */
function Pair({ from, to }: { from: ShownRfc; to: ShownRfc }) {
  const before = useLoaded<Change>(`${rfcPath(from.rfc_id)}/changes`);
  const now = useLoaded<Change>(`${rfcPath(to.rfc_id)}/changes`);
  const isJudged = from.overall_status !== 'DRAFT' && to.overall_status !== 'DRAFT';
  return (
    <>
      <p>
        From <Named rfc={from} /> to <Named rfc={to} />
      </p>
      <OtherBase from={from} to={to} />
      {isJudged ? (
        <div class="beside">
          <FindingGroup title="New findings" rfc={to} other={from} />
          <FindingGroup title="Gone findings" rfc={from} other={to} />
        </div>
      ) : (
        <p class="quiet">Findings are compared once both verdicts are known.</p>
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
    </>
  );
}

function Named({ rfc }: { rfc: ShownRfc }) {
  return (
    <>
      <StatusLabel status={rfc.overall_status} />{' '}
      <a href={rfcLink(rfc.rfc_id)}>
        <Untrusted text={nameOf(rfc)} max={80} />
      </a>{' '}
      <span class="quiet">
        <Time at={rfc.created_at} />
      </span>
    </>
  );
}

/** Changes are compared by their results, which says less where they do not begin at one commit. */
function OtherBase({ from, to }: { from: ShownRfc; to: ShownRfc }) {
  const old = from.push?.base ?? null;
  const recent = to.push?.base ?? null;
  if (old === null || recent === null || old === recent) return null;
  return (
    <p class="box warning" role="note">
      {recent === from.commit_sha
        ? 'The later change begins where the earlier one ends: all of its lines are new, and the lines of the earlier one, which are listed as gone, are still there.'
        : `The changes begin at different commits (${old.slice(0, 10)} and ${recent.slice(0, 10)}): lines between these are listed as well.`}
    </p>
  );
}

/** Findings of an RFC that the other one has not. */
function FindingGroup(props: { title: string; rfc: ShownRfc; other: ShownRfc }) {
  const { title, rfc, other } = props;
  const { risk, ast, llm } = other.gates;
  const all = [...risk.findings, ...ast.findings, ...llm.findings];
  const known = new Set(all.map(({ fingerprint }) => fingerprint));
  const findings = openFindings(rfc).filter(({ fingerprint }) => !known.has(fingerprint));
  return (
    <section>
      <h2>
        {title} {findings.length}
      </h2>
      {findings.length === 0 && <p class="quiet">No finding.</p>}
      <FindingList rfcId={rfc.rfc_id} findings={findings} most={FINDINGS_SHOWN} />
    </section>
  );
}

/** Of each group; the change has them all. */
const FINDINGS_SHOWN = 20;

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
        ? 'only in the later change'
        : other === undefined
          ? 'only in the earlier change'
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
