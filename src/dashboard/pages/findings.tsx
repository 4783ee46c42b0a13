import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentVerdict } from '../../model/components.ts';
import type { Finding, FlowStep } from '../../model/finding.ts';
import type { NextStep } from '../../model/next-steps.ts';
import { ask, useLoaded } from '../api.ts';
import { Table } from '../lists.tsx';
import { FailureBox, Folded, Pre, SeverityLabel, StatusLabel, Time, Untrusted } from '../parts.tsx';
import { rfcLink, route } from '../route.ts';
import { isCoverage, isGrave, worstFirst } from '../row.ts';
import type { ShownRfc } from './actions.ts';
import { Comments, PersonFindings } from './remarks.tsx';

/** Where one rule found more than this, all but the first few are one line that opens. */
const SAME_RULE_MAX = 20;
const SAME_RULE_SHOWN = 3;

interface Shown {
  rfc: ShownRfc;
  code: Code | null;
  reload(): void;
}

/** The findings of an RFC: what blocks is open, the rest is folded and not made before it opens. */
export function Findings({ rfc, reload }: { rfc: ShownRfc; reload(): void }) {
  const { risk, ast, llm } = rfc.gates;
  const all = worstFirst([...risk.findings, ...ast.findings, ...llm.findings]);
  const code = useLoaded<Code>(
    all.some(({ line }) => line !== null) ? `rfc/${encodeURIComponent(rfc.rfc_id)}/code` : null,
  );
  const open = all.filter(({ suppressed }) => suppressed === null);
  const unread = open.filter(isCoverage);
  const found = open.filter((finding) => !isCoverage(finding));
  const grave = found.filter(isGrave);
  const groups: readonly [string, Finding[], boolean][] = [
    ['not looked at', unread, unread.some(isGrave)],
    ['medium, low and informational', found.filter((each) => !isGrave(each)), false],
    ['suppressed', all.filter(({ suppressed }) => suppressed !== null), false],
  ];
  const shown = { rfc, code: code.data.value, reload };
  return (
    <section aria-label="Findings">
      <h2>{grave.length === 0 ? 'No critical or high findings' : counted(grave.length)}</h2>
      {code.failure.value !== null && (
        <FailureBox failure={code.failure.value} retry={code.reload} />
      )}
      {code.data.value?.available === false && (
        <p class="quiet">The code around them is not shown: {code.data.value.reason}.</p>
      )}
      <FindingList findings={grave} {...shown} />
      {groups
        .filter(([, findings]) => findings.length > 0)
        .map(([title, findings, isOpen]) => (
          <Folded
            key={`${title} ${holdsAsked(findings)}`}
            title={`${title} (${findings.length})`}
            isOpen={isOpen || holdsAsked(findings)}
          >
            {() => <FindingList findings={findings} {...shown} />}
          </Folded>
        ))}
      <PersonFindings rfc={rfc} reload={reload} />
      <NextSteps steps={(rfc.next_steps ?? []).filter(({ way }) => !DECIDED_HERE.has(way))} />
    </section>
  );
}

/** The form beside the findings is the way to do these. */
const DECIDED_HERE: ReadonlySet<string> = new Set(['override']);

/** What the author of a BLOCKED change can do about it. */
function NextSteps({ steps }: { steps: NextStep[] }) {
  if (steps.length === 0) return null;
  return (
    <section aria-label="What its author can do">
      <h2>What its author can do</h2>
      <ul class="history">
        {steps.map(({ text, paste }) => (
          <li key={`${text} ${paste}`}>
            <Untrusted text={text} />
            {paste !== undefined && <Pre text={paste} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether a link names one of them: `#/rfc/ID?finding=FINDING_ID`. */
function holdsAsked(findings: readonly Finding[]): boolean {
  const asked = route.value.query.get('finding');
  return findings.some(({ finding_id: id }) => id === asked);
}

function counted(count: number): string {
  return count === 1 ? '1 critical or high finding' : `${count} critical or high findings`;
}

function FindingList({ findings, ...shown }: { findings: Finding[] } & Shown) {
  const byRule = new Map<string, Finding[]>();
  for (const finding of findings) {
    const same = byRule.get(finding.id);
    if (same === undefined) byRule.set(finding.id, [finding]);
    else same.push(finding);
  }
  const blocks = blocksByFirst([...byRule.values()].flat(), shown.code?.blocks ?? []);
  const lines = linesOf([...blocks.values()]);
  const item = (finding: Finding) => (
    <FindingItem
      key={finding.finding_id}
      finding={finding}
      block={blocks.get(finding.finding_id) ?? null}
      lines={lines}
      {...shown}
    />
  );
  return (
    <ol class="findings">
      {[...byRule].map(([id, same]) =>
        same.length <= SAME_RULE_MAX ? (
          same.map(item)
        ) : (
          <>
            {same.slice(0, SAME_RULE_SHOWN).map(item)}
            <li key={id}>
              <Folded
                key={holdsAsked(same)}
                title={`${same.length - SAME_RULE_SHOWN} more findings of ${id}`}
                isOpen={holdsAsked(same.slice(SAME_RULE_SHOWN))}
              >
                {() => <ol class="findings">{same.slice(SAME_RULE_SHOWN).map(item)}</ol>}
              </Folded>
            </li>
          </>
        ),
      )}
    </ol>
  );
}

/** Code, and the lines in it that findings are about. */
interface ShownBlock extends CodeBlock {
  hits: ReadonlySet<number | null>;
}

/** Blocks by finding: one that several findings share stands beside the first of them. */
function blocksByFirst(
  findings: readonly Finding[],
  blocks: readonly CodeBlock[],
): Map<string, ShownBlock> {
  const shown = new Map<string, ShownBlock>();
  for (const block of blocks) {
    const own = findings.filter(({ finding_id: id }) => block.finding_ids.includes(id));
    const [first] = own;
    if (first === undefined) continue;
    shown.set(first.finding_id, { ...block, hits: new Set(own.map(({ line }) => line)) });
  }
  return shown;
}

/** Lines of the new files that blocks show, as `lineKey` writes them. */
function linesOf(blocks: readonly ShownBlock[]): ReadonlySet<string> {
  return new Set(
    blocks.flatMap(({ file, lines }) =>
      lines.flatMap((line) => (line.new === null ? [] : [lineKey(file, line.new)])),
    ),
  );
}

/** Names a line in attributes of the page. */
function lineKey(file: string, line: number): string {
  return `${line} ${file}`;
}

interface ItemProps extends Shown {
  finding: Finding;
  block: ShownBlock | null;
  /** Lines that are shown beside this list. */
  lines: ReadonlySet<string>;
}

function FindingItem({ finding, block, lines, rfc, reload }: ItemProps) {
  const { id, severity, message, file, line, column, excerpt, fix, cwe } = finding;
  const { title = '', flow = [] } = finding;
  const place = placeOf(file, line, column);
  const item = useRef<HTMLLIElement>(null);
  const isAsked = holdsAsked([finding]);
  useEffect(() => {
    if (isAsked) item.current?.focus();
  }, [isAsked]);
  return (
    <li ref={item} class="finding" tabIndex={-1} data-finding={finding.finding_id}>
      <p>
        <SeverityLabel severity={severity} />{' '}
        {title !== '' && (
          <strong>
            <Untrusted text={title} />
          </strong>
        )}{' '}
        <code>{id}</code>
        {cwe !== null && <span class="quiet"> {cwe}</span>}
      </p>
      {message !== title && (
        <p>
          <Untrusted text={message} />
        </p>
      )}
      {place !== '' && (
        <p class="place">
          <Untrusted text={place} />
        </p>
      )}
      {block !== null && <CodeView block={block} hits={block.hits} />}
      {block === null && excerpt !== null && <Pre text={excerpt} />}
      {flow.length > 0 && <Flow flow={flow} file={file} lines={lines} />}
      {finding.why !== undefined && finding.why !== '' && (
        <p class="quiet">
          In the words of the model, which nobody has checked: “
          <Untrusted text={finding.why} />”
        </p>
      )}
      {fix !== null && (
        <p>
          <strong>Fix:</strong> <Untrusted text={fix} />
        </p>
      )}
      {finding.suppressed !== null && (
        <p class="quiet">
          Suppressed by <Untrusted text={finding.suppressed.by} />:{' '}
          <Untrusted text={finding.suppressed.reason} />
        </p>
      )}
      {finding.resolved !== null && (
        <p class="quiet">
          Marked fixed by <Untrusted text={finding.resolved.by} /> <Time at={finding.resolved.at} />
        </p>
      )}
      <div class="actions">
        <TaskButton findingId={finding.finding_id} />
        <Comments rfc={rfc} findingId={finding.finding_id} reload={reload} />
      </div>
    </li>
  );
}

interface FlowProps {
  flow: readonly FlowStep[];
  /** Of the finding. */
  file: string | null;
  lines: ReadonlySet<string>;
}

/** The way of the data from its source to its sink; lines that the page shows can be gone to. */
function Flow({ flow, file, lines }: FlowProps) {
  return (
    <ol class="flow" aria-label="Way of the data">
      {flow.map((step, index) => (
        <li key={`${index} ${step.line} ${step.what}`}>
          <StepPlace step={step} file={file} lines={lines} />{' '}
          <Untrusted text={step.what} max={200} />
        </li>
      ))}
    </ol>
  );
}

function StepPlace({ step, file, lines }: Omit<FlowProps, 'flow'> & { step: FlowStep }) {
  const { line } = step;
  const other = step.file === file ? '' : step.file;
  if (line === null) {
    return other === '' ? null : <span class="place">{<Untrusted text={other} />}</span>;
  }
  const text = placeOf(other, other === '' ? `line ${line}` : line);
  if (!lines.has(lineKey(step.file, line))) {
    return (
      <span class="place">
        <Untrusted text={text} />
      </span>
    );
  }
  return (
    <button type="button" class="link place" onClick={() => showLine(step.file, line)}>
      <Untrusted text={text} />
    </button>
  );
}

/** Moves view and focus to a line of code. */
function showLine(file: string, line: number): void {
  const selector = `tr[data-line="${CSS.escape(lineKey(file, line))}"]`;
  const row = document.querySelector<HTMLElement>(selector);
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}

function placeOf(...parts: (string | number | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(':');
}

/** Rows of components that are shown at once; the rest is made when it is asked for. */
const COMPONENTS_SHOWN = 20;

/** The verdict of each component of the change, those that hold it up first; null without any. */
export function Components({ rfc }: { rfc: ShownRfc }) {
  const { components = [] } = rfc;
  if (components.length === 0) return null;
  const rows = components.toSorted((one, other) => Number(holdsUp(other)) - Number(holdsUp(one)));
  const more = rows.slice(COMPONENTS_SHOWN);
  return (
    <section aria-label="Components">
      <h2>Components</h2>
      <ComponentTable rows={rows.slice(0, COMPONENTS_SHOWN)} rfc={rfc} />
      {more.length > 0 && (
        <Folded title={`${more.length} more components`}>
          {() => <ComponentTable rows={more} rfc={rfc} />}
        </Folded>
      )}
    </section>
  );
}

function holdsUp({ status }: ComponentVerdict): boolean {
  return status === 'BLOCKED' || status === 'REJECTED';
}

function ComponentTable({ rows, rfc }: { rows: readonly ComponentVerdict[]; rfc: ShownRfc }) {
  return (
    <Table columns={['Component', 'Verdict', 'Risk', 'Findings', 'Judged by']}>
      {rows.map((one) => (
        <tr key={one.id}>
          <td>
            <code>{one.id}</code>
          </td>
          <td>
            <StatusLabel status={one.status} />
            {one.held === true && <span class="quiet"> no model reviewed it</span>}
          </td>
          <td class="number">{one.risk_score}</td>
          <td>
            <ComponentFindings of={one} rfc={rfc} />
          </td>
          <td>
            {one.same_as === null ? (
              'this change'
            ) : (
              <a href={rfcLink(one.same_as)}>{one.same_as}</a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The worst findings of a component: links to those that this page shows. */
function ComponentFindings({ of, rfc }: { of: ComponentVerdict; rfc: ShownRfc }) {
  const { risk, ast, llm } = rfc.gates;
  const all = [...risk.findings, ...ast.findings, ...llm.findings];
  const hidden = of.findings_total - of.findings.length;
  if (of.findings_total === 0) return <span class="quiet">none</span>;
  return (
    <ul class="history">
      {of.findings.map(({ id, severity, file, line }) => {
        const shown = all.find((one) => one.id === id && one.file === file && one.line === line);
        const text = [id, placeOf(file, line)].filter((part) => part !== '').join(' ');
        return (
          <li key={text}>
            <SeverityLabel severity={severity} />{' '}
            {shown === undefined ? (
              <Untrusted text={text} max={200} />
            ) : (
              <a href={`${rfcLink(rfc.rfc_id)}?finding=${encodeURIComponent(shown.finding_id)}`}>
                <Untrusted text={text} max={200} />
              </a>
            )}
          </li>
        );
      })}
      {hidden > 0 && <li class="quiet">and {hidden} more</li>}
    </ul>
  );
}

/** Makes a task for an agent that mends the finding; asked twice it is the same task. */
function TaskButton({ findingId }: { findingId: string }) {
  const outcome = useSignal<string | null>(null);
  const make = async () => {
    const reply = await ask<{ taskId: string; status: string }>('claude-task', {
      method: 'POST',
      body: { findingId },
    });
    if (reply.kind === 'data') outcome.value = `Task ${reply.data.taskId}: ${reply.data.status}`;
    if (reply.kind === 'failure') outcome.value = reply.error;
  };
  if (outcome.value !== null) return <p role="status">{outcome.value}</p>;
  return (
    <button type="button" class="small" onClick={() => void make()}>
      Make a task
    </button>
  );
}

/** The code around the findings of an RFC (`GET rfc/<id>/code`): secrets are hidden in it. */
export type Code =
  | { available: true; reason: null; blocks: CodeBlock[]; left_out: number }
  | { available: false; reason: string; blocks: CodeBlock[]; left_out: number };

/** Lines that stand together, and the findings that they are shown for. */
export interface CodeBlock {
  file: string;
  finding_ids: string[];
  lines: {
    side: 'added' | 'removed' | 'context';
    /** Line in the old and in the new file, 1-based; null: it is not there. */
    old: number | null;
    new: number | null;
    text: string;
    is_cut: boolean;
  }[];
}

const SIGNS = { added: '+', removed: '−', context: ' ' } as const;

/** The lines of a diff around findings; `hits` are theirs in the new file. */
function CodeView({ block, hits }: { block: CodeBlock; hits: ReadonlySet<number | null> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <figure class="code-box" tabIndex={0} aria-label={`Code of ${block.file}`}>
      <table class="code">
        <tbody>
          {block.lines.map((line) => {
            const isHit = line.new !== null && hits.has(line.new);
            return (
              <tr
                key={`${line.old} ${line.new}`}
                class={`${line.side}${isHit ? ' hit' : ''}`}
                tabIndex={-1}
                {...(line.new !== null && { 'data-line': lineKey(block.file, line.new) })}
                {...(isHit && { 'aria-current': 'true' as const })}
              >
                <td class="number">{line.old}</td>
                <td class="number">{line.new}</td>
                <td class="sign">{SIGNS[line.side]}</td>
                <td class="text">
                  <Untrusted text={line.text} />
                  {line.is_cut && <span class="mark">line goes on</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </figure>
  );
}
