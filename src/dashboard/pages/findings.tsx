import { useSignal } from '@preact/signals';
import type { Finding } from '../../model/finding.ts';
import { ask, useLoaded } from '../api.ts';
import { FailureBox, Folded, Pre, SeverityLabel, Time, Untrusted } from '../parts.tsx';
import { isCoverage, isGrave, worstFirst } from '../row.ts';
import type { ShownRfc } from './decide.tsx';
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
          <Folded key={title} title={`${title} (${findings.length})`} isOpen={isOpen}>
            {() => <FindingList findings={findings} {...shown} />}
          </Folded>
        ))}
      <PersonFindings rfc={rfc} reload={reload} />
    </section>
  );
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
  const item = (finding: Finding) => (
    <FindingItem
      key={finding.finding_id}
      finding={finding}
      block={blocks.get(finding.finding_id) ?? null}
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
              <Folded title={`${same.length - SAME_RULE_SHOWN} more findings of ${id}`}>
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

interface ItemProps extends Shown {
  finding: Finding;
  block: ShownBlock | null;
}

function FindingItem({ finding, block, rfc, reload }: ItemProps) {
  const { id, severity, message, file, line, column, excerpt, fix, cwe } = finding;
  const place = [file ?? '', line, column].filter((part) => part !== null && part !== '').join(':');
  return (
    <li class="finding" tabIndex={-1} data-finding={finding.finding_id}>
      <p>
        <SeverityLabel severity={severity} /> <code>{id}</code>
        {cwe !== null && <span class="quiet"> {cwe}</span>}
      </p>
      <p>
        <Untrusted text={message} />
      </p>
      {place !== '' && (
        <p class="place">
          <Untrusted text={place} />
        </p>
      )}
      {block !== null && <CodeView block={block} hits={block.hits} />}
      {block === null && excerpt !== null && <Pre text={excerpt} />}
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
