import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentVerdict } from '../../model/components.ts';
import type { Finding } from '../../model/finding.ts';
import type { NextStep } from '../../model/next-steps.ts';
import { ask, useLoaded } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Table } from '../lists.tsx';
import {
  FailureBox,
  Folded,
  Pre,
  SeverityLabel,
  StatusLabel,
  Time,
  Untrusted,
  Words,
} from '../parts.tsx';
import { pageLink, rfcLink, route, ruleLink } from '../route.ts';
import { isCoverage, isGrave, worstFirst } from '../row.ts';
import type { Related, ShownRfc } from './actions.ts';
import { type Code, FindingCode } from './code.tsx';
import { Comments, PersonFindings } from './remarks.tsx';

/** Where one rule found more than this, all but the first few are one line that opens. */
const SAME_RULE_MAX = 20;
const SAME_RULE_SHOWN = 3;

interface Shown {
  rfc: ShownRfc;
  related: Related | null;
  code: Code | null;
  reload(): void;
}

/** The findings of an RFC: what blocks is open, the rest is folded and not made before it opens. */
export function Findings({ rfc, related, reload }: Omit<Shown, 'code'>) {
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
  const shown = { rfc, related, code: code.data.value, reload };
  return (
    <section aria-label="Findings">
      <h2 class={grave.length === 0 ? '' : 'unseen'}>
        {grave.length === 0 ? 'No critical or high findings' : counted(grave.length)}
      </h2>
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
  const item = (finding: Finding) => (
    <FindingCard key={finding.finding_id} finding={finding} {...shown} />
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
                {() => (
                  <ol class="findings">
                    <Growing items={same.slice(SAME_RULE_SHOWN)}>{item}</Growing>
                  </ol>
                )}
              </Folded>
            </li>
          </>
        ),
      )}
    </ol>
  );
}

/** Findings that are made in one go: a page answers in between. */
const FINDINGS_AT_ONCE = 20;

/** Many items, a few at a time. */
function Growing<T>(props: { items: readonly T[]; children: (item: T) => ComponentChildren }) {
  const { items, children } = props;
  return (
    <>
      {items.slice(0, FINDINGS_AT_ONCE).map(children)}
      {items.length > FINDINGS_AT_ONCE && (
        <Later>{() => <Growing items={items.slice(FINDINGS_AT_ONCE)}>{children}</Growing>}</Later>
      )}
    </>
  );
}

/** What is made once the rest of the page is painted. */
function Later({ children }: { children: () => ComponentChildren }) {
  const isNow = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      isNow.value = true;
    });
    return () => clearTimeout(timer);
  }, []);
  return isNow.value ? children() : null;
}

/** One finding: what is wrong in words, where, the code, what comes of it and what mends it. */
function FindingCard({ finding, code, rfc, related, reload }: { finding: Finding } & Shown) {
  const { id, severity, message, title = message, file, line, column, fix, cwe } = finding;
  const place = placeOf(file, line, column);
  const item = useRef<HTMLLIElement>(null);
  const isAsked = holdsAsked([finding]);
  useEffect(() => {
    if (isAsked) item.current?.focus();
  }, [isAsked]);
  return (
    <li ref={item} class={`finding ${severity}`} tabIndex={-1} data-finding={finding.finding_id}>
      <div class="finding-head">
        <h3>
          <SeverityLabel severity={severity} />{' '}
          <span>
            <Words text={title} />
          </span>
        </h3>
        <ul class="line quiet">
          {place !== '' && (
            <li class="place">
              <a href={`${findingLink(rfc, finding)}&tab=changes`}>
                <Untrusted text={place} />
              </a>
            </li>
          )}
          <li>
            <a href={ruleLink(id)}>
              <code>{id}</code>
            </a>
          </li>
          {cwe !== null && <li>{cwe}</li>}
        </ul>
      </div>
      <div class="finding-body">
        <div>
          <FindingCode finding={finding} code={code} />
          <Seen finding={finding} related={related} />
        </div>
        <div>
          {message !== title && (
            <p>
              <Words text={message} />
            </p>
          )}
          {fix !== null && (
            <p>
              <strong>Fix:</strong> <Words text={fix} />
            </p>
          )}
          <Remarks finding={finding} />
          <div class="actions">
            <TaskButton findingId={finding.finding_id} />
            <CopyLink rfc={rfc} finding={finding} />
            <Comments rfc={rfc} findingId={finding.finding_id} reload={reload} />
          </div>
        </div>
      </div>
    </li>
  );
}

/** Whether the finding is new, or where it stood before and what was decided there. */
function Seen({ finding, related }: { finding: Finding; related: Related | null }) {
  const { fingerprint } = finding;
  const seen = related?.findings.find((one) => one.fingerprint === fingerprint);
  const [newest] = seen?.before ?? [];
  if (seen === undefined || newest === undefined) {
    return seen?.is_new === true ? (
      <p class="seen">New since the last change of the branch</p>
    ) : null;
  }
  const { before, more, is_new } = seen;
  const decided = before.find(({ overall_status: status }) => DECIDED.has(status)) ?? newest;
  const group = fingerprint.slice(0, GROUP_DIGITS);
  return (
    <p class="seen">
      {is_new === true ? 'Not in the last change of the branch, but seen' : 'Seen'} before on{' '}
      <a href={pageLink('queue', { q: `is:any finding:${group}` })}>
        {before.length}
        {more && '+'} {before.length === 1 ? 'change' : 'changes'}
      </a>
      , {DECIDED.has(decided.overall_status) ? 'decided as' : 'the newest is'}{' '}
      <a href={rfcLink(decided.rfc_id)}>
        <StatusLabel status={decided.overall_status} />
      </a>{' '}
      {decided.override !== null && (
        <>
          by <Untrusted text={decided.override.actor} max={80} />: “
          <Untrusted text={decided.override.reason} max={160} />”{' '}
        </>
      )}
      {before.some(({ overall_status: status }) => status === 'BLOCKED') && (
        <a href={pageLink('bulk', { finding: group })}>Decide about all with it</a>
      )}
    </p>
  );
}

/** What people decide. */
const DECIDED: ReadonlySet<string> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

/** Of a fingerprint: as many as a search needs. */
const GROUP_DIGITS = 16;

/** What else is known of a finding: the words of a model, why it does not count. */
function Remarks({ finding: { why = '', suppressed, resolved } }: { finding: Finding }) {
  return (
    <>
      {why !== '' && (
        <p class="quiet">
          In the words of the model, which nobody has checked: “
          <Untrusted text={why} />”
        </p>
      )}
      {suppressed !== null && (
        <p class="quiet">
          Suppressed by <Untrusted text={suppressed.by} />: <Untrusted text={suppressed.reason} />
        </p>
      )}
      {resolved !== null && (
        <p class="quiet">
          Marked fixed by <Untrusted text={resolved.by} /> <Time at={resolved.at} />
        </p>
      )}
    </>
  );
}

function findingLink({ rfc_id }: ShownRfc, { finding_id }: Finding): string {
  return `${rfcLink(rfc_id)}?finding=${encodeURIComponent(finding_id)}`;
}

/** Leads to the finding, so that its address can be taken; copies it where the browser lets it. */
function CopyLink({ rfc, finding }: { rfc: ShownRfc; finding: Finding }) {
  const isCopied = useSignal(false);
  const link = findingLink(rfc, finding);
  const copy = async () => {
    await navigator.clipboard?.writeText(`${location.origin}/cra${link}`);
    isCopied.value = navigator.clipboard !== undefined;
  };
  return (
    <a class="button small" href={link} onClick={() => void copy().catch(() => undefined)}>
      <Icon name="link" /> <span role="status">{isCopied.value ? 'Link copied' : 'Copy link'}</span>
    </a>
  );
}

function placeOf(...parts: (string | number | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(':');
}

/** Rows of components that are shown at once; the rest is made when it is asked for. */
const COMPONENTS_SHOWN = 20;

/** The verdict of each component of the change, refusals first; null without components. */
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

/** The worst findings of a component, with links where this page shows them. */
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
              <a href={findingLink(rfc, shown)}>
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
