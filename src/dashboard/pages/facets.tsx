import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Facets as Counts } from '../../model/search.ts';
import { type Loaded, useLoaded } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Untrusted } from '../parts.tsx';
import { pageLink, searchOf } from '../route.ts';
import { SEVERITIES } from '../row.ts';
import { statusCounts, termOf, withTerm } from '../search.ts';

interface Props {
  q: string;
  /** Of the rows that are shown: counts are asked for again when it is another number. */
  shownAt: number;
}

const TITLES = { repo: 'Repository', rule: 'Rule', component: 'Component' } as const;

/** Filters of the queue, with how many changes each would leave. */
export function Facets({ q, shownAt }: Props) {
  const facets = useLoaded<Counts>(`rfcs/facets?${searchOf({ q })}`);
  const rest = withTerm(q, 'is', null);
  const whole = useLoaded<Counts>(rest === '' ? null : `rfcs/facets?${searchOf({ q: rest })}`);
  useReloaded(shownAt, [facets, whole]);
  const { value: data } = facets.data;
  const { value: all } = whole.data;
  useEffect(() => {
    if (all === null) return;
    statusCounts.value = { rest, of: (status) => countIn(all, status.toLowerCase()) };
  }, [all]);
  if (data === null) return null;
  return (
    <nav aria-label="Filters" class="choices facets">
      {SEVERITIES.map((severity) => (
        <Choice key={severity} q={q} name="severity" value={severity} facets={data}>
          <span class={`badge ${severity}`}>
            <Icon name={severity} />
            {severity}
          </span>
        </Choice>
      ))}
      {(['repo', 'rule', 'component'] as const).map((name) => (
        <Menu key={name} q={q} name={name} facets={data} />
      ))}
      {data.more && <span class="quiet">of the newest {data.counted}</span>}
    </nav>
  );
}

/** Asks again when the list beside them shows other rows. */
function useReloaded(shownAt: number, loaded: readonly Loaded<Counts>[]): void {
  useEffect(() => {
    for (const one of loaded) if (one.data.value !== null) one.reload(true);
  }, [shownAt]);
}

function countIn({ status, more }: Counts, value: string): string {
  const count = status.find((one) => one.value === value)?.count ?? 0;
  return more ? `${count}+` : String(count);
}

interface ChoiceProps {
  q: string;
  name: 'severity' | 'repo' | 'rule' | 'component';
  facets: Counts;
}

/** Adds a term to the search, or takes it out. */
function Choice(props: ChoiceProps & { value: string; children: ComponentChildren }) {
  const { q, name, value, facets, children } = props;
  const isOn = termOf(q, name)?.toLowerCase() === value.toLowerCase();
  const count = facets[name].find((one) => one.value === value)?.count ?? 0;
  if (count === 0 && !isOn) return null;
  return (
    <a
      href={pageLink('queue', { q: withTerm(q, name, isOn ? null : value) })}
      {...(isOn && { 'aria-current': 'true' as const })}
    >
      {children} {isOn ? '×' : count}
      {isOn && <span class="unseen"> take this filter out</span>}
    </a>
  );
}

function Menu({ q, name, facets }: ChoiceProps & { name: keyof typeof TITLES }) {
  const term = termOf(q, name);
  const choice = (value: string) => (
    <Choice key={value} q={q} name={name} value={value} facets={facets}>
      <Untrusted text={value} max={80} />
    </Choice>
  );
  if (term !== null) return choice(term);
  if (facets[name].length === 0) return null;
  return (
    <details class="menu" key={q}>
      <summary>
        {TITLES[name]} <Icon name="more" />
      </summary>
      <div>{facets[name].map(({ value }) => choice(value))}</div>
    </details>
  );
}
