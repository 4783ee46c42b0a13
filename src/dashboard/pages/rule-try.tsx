import { useSignal } from '@preact/signals';
import type { Pattern } from '../../model/rules.ts';
import { ask, type Failure } from '../api.ts';
import { Field } from '../forms.tsx';
import { FailureBox } from '../parts.tsx';
import { openFindings } from '../row.ts';
import type { ShownRfc } from './actions.ts';
import type { Section } from './rule-list.tsx';

/** A pattern, and the section of a rules file that it stands in. */
export interface Tryable {
  pattern: Pattern;
  section: Section;
}

type Tried = 'found' | 'not found' | Failure;

/**
 * Whether a rule finds something in a text: the service tries rules on their own examples before
 * it tries them on anything else, and refuses a rule that misses an example.
 */
async function tryText({ pattern, section }: Tryable, text: string, path: string) {
  const rule = { ...pattern, examples: { ...pattern.examples, path, match: [text] } };
  const body = { version: 1, allow_empty: true, [section]: [rule] };
  const reply = await ask<unknown>('rules/dry-run?limit=1', { method: 'POST', body });
  if (reply.kind !== 'failure') return 'found';
  return /misses examples\.match\[0\]/.test(reply.error) ? 'not found' : reply;
}

/** Tries a pattern on a text. */
export function Try({ pattern, section }: Tryable) {
  const text = useSignal(pattern.examples.match[0] ?? '');
  const path = useSignal(pattern.examples.path ?? 'src/example.txt');
  const result = useSignal<Tried | null>(null);
  const isAsking = useSignal(false);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        if (isAsking.value) return;
        isAsking.value = true;
        result.value = await tryText({ pattern, section }, text.value, path.value);
        isAsking.value = false;
      }}
    >
      <Field
        title="Text that a change adds"
        rows={5}
        isCode={true}
        value={text.value}
        change={(value) => {
          text.value = value;
          result.value = null;
        }}
      />
      <Field
        title="Path of the file"
        value={path.value}
        change={(value) => {
          path.value = value;
          result.value = null;
        }}
      />
      <Outcome of={result.value} isAsking={isAsking.value} />
    </form>
  );
}

/** Whether a rule, alone, finds something in the change of an RFC that the service still has. */
async function tryChange({ pattern, section }: Tryable, rfcId: string) {
  const id = encodeURIComponent(rfcId);
  const rule = pattern.report_as ?? pattern.id;
  const body = { version: 1, allow_empty: true, [section]: [pattern] };
  const [report, rfc] = await Promise.all([
    ask<Trial>(`rules/dry-run?rfc_id=${id}`, { method: 'POST', body }),
    ask<ShownRfc>(`rfc/${id}`),
  ]);
  if (report.kind === 'failure') return report;
  if (rfc.kind === 'failure') return rfc;
  if (report.kind !== 'data' || rfc.kind !== 'data') return null;
  const [change] = report.data.changed;
  if (change === undefined) return 'not tried';
  const was = openFindings(rfc.data).some((finding) => finding.id === rule);
  const isFound = change.new_rules.includes(rule) || (was && !change.gone_rules.includes(rule));
  return isFound ? 'found' : 'not found';
}

/** One RFC, as `POST rules/dry-run` answers. */
interface Trial {
  changed: { new_rules: string[]; gone_rules: string[] }[];
}

/** Tries a pattern on the change of an RFC. */
export function TryChange({ pattern, section }: Tryable) {
  const rfcId = useSignal('');
  const result = useSignal<Tried | 'not tried' | null>(null);
  const isAsking = useSignal(false);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        const id = rfcId.value.trim();
        if (isAsking.value || id === '') return;
        isAsking.value = true;
        result.value = await tryChange({ pattern, section }, id);
        isAsking.value = false;
      }}
    >
      <Field
        title="RFC"
        placeholder="RFC-…"
        value={rfcId.value}
        change={(value) => {
          rfcId.value = value;
          result.value = null;
        }}
      />
      <Outcome of={result.value} isAsking={isAsking.value} />
    </form>
  );
}

function Outcome({ of, isAsking }: { of: Tried | 'not tried' | null; isAsking: boolean }) {
  return (
    <>
      <p class="actions">
        <button type="submit">{isAsking ? 'Trying…' : 'Try'}</button>
        <span role="status">
          {of === 'found' && <strong class="gate fail">It finds something here.</strong>}
          {of === 'not found' && <strong class="gate pass">It finds nothing here.</strong>}
          {of === 'not tried' && 'Its diff is not kept any more, so nothing was tried.'}
        </span>
      </p>
      {of !== null && typeof of === 'object' && <FailureBox failure={of} />}
    </>
  );
}
