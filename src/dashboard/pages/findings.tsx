import { type Signal, useComputed, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Finding } from '../../model/finding.ts';
import type { NextStep } from '../../model/next-steps.ts';
import { useLoaded } from '../api.ts';
import { Field } from '../forms.tsx';
import { Choices } from '../lists.tsx';
import { FailureBox, Folded, Pre, SeverityBadges, Untrusted } from '../parts.tsx';
import { rfcLink, route, viewLink } from '../route.ts';
import { isCoverage, isGrave, worstFirst } from '../row.ts';
import { abilities } from '../session.ts';
import type { Code } from './code.tsx';
import { type CardContext, FindingCard, holdsAsked } from './finding-card.tsx';
import { PersonFindings } from './remarks.tsx';

/** Where one rule found more than this, all but the first few are one line that opens. */
const SAME_RULE_MAX = 20;
const SAME_RULE_SHOWN = 3;

/** The findings of an RFC: what blocks is open, the rest is folded and not made before it opens. */
export function Findings(context: Omit<CardContext, 'code' | 'accepts'>) {
  const { rfc, draft, reload } = context;
  const { risk, ast, llm } = rfc.gates;
  const all = worstFirst([...risk.findings, ...ast.findings, ...llm.findings]);
  const code = useLoaded<Code>(
    all.some(({ line }) => line !== null) ? `rfc/${encodeURIComponent(rfc.rfc_id)}/code` : null,
  );
  const search = useSignal('');
  const found = all.filter((finding) => matches(finding, search.value));
  // Of the draft alone what cards show: they stay as they are while somebody types a reason.
  const accepts = useComputed(() => draft.value.accept_findings);
  const shown = { ...context, accepts, code: code.data.value };
  const blocking = all.filter(isBlocking).length;
  return (
    <section aria-label="Findings">
      <h2 class={blocking === 0 ? '' : 'unseen'}>
        {blocking === 0 ? 'No critical or high findings' : counted(blocking)}
      </h2>
      {all.length > UNSORTED_MAX && <Sorting search={search} count={found.length} />}
      {code.failure.value !== null && (
        <FailureBox failure={code.failure.value} retry={code.reload} />
      )}
      {code.data.value?.available === false && (
        <p class="quiet">The code around them is not shown: {code.data.value.reason}.</p>
      )}
      {isByFile() ? (
        <ByFile findings={found} {...shown} />
      ) : (
        <BySeverity findings={found} {...shown} />
      )}
      <Gone rfcId={rfc.rfc_id} count={context.related?.previous?.gone_total ?? 0} />
      <PersonFindings rfc={rfc} reload={reload} />
      <NextSteps steps={(rfc.next_steps ?? []).filter(({ way }) => !isDoneHere(way))} />
    </section>
  );
}

/** How many findings the change of the branch before had that this one has not. */
function Gone({ rfcId, count }: { rfcId: string; count: number }) {
  if (count === 0) return null;
  return (
    <p class="seen">
      <a href={`${rfcLink(rfcId)}?tab=compare`}>
        {count} {count === 1 ? 'finding' : 'findings'} gone
      </a>{' '}
      since the last change of the branch
    </p>
  );
}

/** Up to so many findings are seen at once, and need no filter. */
const UNSORTED_MAX = 4;

function isBlocking(finding: Finding): boolean {
  return isGrave(finding) && !isCoverage(finding) && finding.suppressed === null;
}

function matches({ id, title = '', message, file, severity }: Finding, search: string): boolean {
  const text = `${severity} ${id} ${title} ${message} ${file ?? ''}`.toLowerCase();
  const words = search.toLowerCase().split(' ');
  return words.every((word) => text.includes(word));
}

function isByFile(): boolean {
  return route.value.query.get('by') === 'file';
}

/** How findings are grouped, and a filter over them. */
function Sorting({ search, count }: { search: Signal<string>; count: number }) {
  return (
    <div class="sorting">
      <Choices
        label="View"
        values={['', 'file']}
        current={isByFile() ? 'file' : ''}
        link={(by) => viewLink('by', by)}
        text={(by) => `by ${by || 'severity'}`}
      />
      <Field
        title={<span class="unseen">Filter of the findings</span>}
        id="filter"
        type="search"
        placeholder="Filter: words, a file, a rule"
        value={search.value}
        change={(text) => {
          search.value = text;
        }}
      />
      <span role="status" class="quiet">
        {search.value.trim() !== '' && `${count} found`}
      </span>
    </div>
  );
}

type GroupProps = { findings: Finding[] } & CardContext;

function BySeverity({ findings, ...shown }: GroupProps) {
  const open = findings.filter(({ suppressed }) => suppressed === null);
  const unread = open.filter(isCoverage);
  const mild = open.filter((finding) => !isCoverage(finding) && !isGrave(finding));
  return (
    <>
      <FindingList findings={findings.filter(isBlocking)} {...shown} />
      <Group title="not looked at" findings={unread} isOpen={unread.some(isGrave)} {...shown} />
      <Group title="medium, low and informational" findings={mild} {...shown} />
      <Suppressed findings={findings} {...shown} />
    </>
  );
}

/** Files that are open at first. */
const FILES_OPEN = 10;

function ByFile({ findings, ...shown }: GroupProps) {
  const byFile = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.suppressed !== null) continue;
    const file = finding.file ?? 'The change as a whole';
    byFile.set(file, [...(byFile.get(file) ?? []), finding]);
  }
  return (
    <>
      {[...byFile].map(([file, inside], index) => (
        <Group
          key={file}
          title={
            <code>
              <Untrusted text={file} max={200} />
            </code>
          }
          findings={inside}
          isOpen={index < FILES_OPEN && inside.some(isGrave)}
          {...shown}
        />
      ))}
      <Suppressed findings={findings} {...shown} />
    </>
  );
}

function Suppressed({ findings, ...shown }: GroupProps) {
  const suppressed = findings.filter((finding) => finding.suppressed !== null);
  return <Group title="suppressed" findings={suppressed} {...shown} />;
}

/** Findings under a title that opens; an empty group is left out. */
function Group(props: GroupProps & { title: ComponentChildren; isOpen?: boolean }) {
  const { title, findings, isOpen = false, ...shown } = props;
  if (findings.length === 0) return null;
  const isAsked = holdsAsked(findings);
  return (
    <Folded
      key={isAsked}
      title={
        <>
          {title} <SeverityBadges findings={findings} />
        </>
      }
      isOpen={isOpen || isAsked}
    >
      {() => <FindingList findings={findings} {...shown} />}
    </Folded>
  );
}

/** What the form or a button beside the findings does, for a person who may. */
function isDoneHere(way: NextStep['way']): boolean {
  return way === 'override' || (way === 'accept' && abilities.value.has('override'));
}

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

function counted(count: number): string {
  return count === 1 ? '1 critical or high finding' : `${count} critical or high findings`;
}

function FindingList({ findings, ...shown }: GroupProps) {
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
          <Fragment key={id}>
            {same.slice(0, SAME_RULE_SHOWN).map(item)}
            <li>
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
          </Fragment>
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
        <AfterPaint>
          {() => <Growing items={items.slice(FINDINGS_AT_ONCE)}>{children}</Growing>}
        </AfterPaint>
      )}
    </>
  );
}

/** What is made once the rest of the page is painted. */
function AfterPaint({ children }: { children: () => ComponentChildren }) {
  const isNow = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      isNow.value = true;
    });
    return () => clearTimeout(timer);
  }, []);
  return isNow.value ? children() : null;
}
