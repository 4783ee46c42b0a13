import { FACETS } from '../model/limits.ts';
import type { RfcSummary } from '../model/records.ts';
import type { Facet, Facets } from '../model/search.ts';

/** A record that matches: its RfcSummary as JSON, and the texts by which a search finds it. */
interface Matched {
  summary: string;
  texts: readonly string[];
}

/** Counts records without these texts (model/search); `more`: others match, too. */
export function facetsOf(
  records: readonly Matched[],
  without: readonly string[],
  more: boolean,
): Facets {
  const left = new Set(without);
  const counted = records.filter(({ texts }) => !texts.some((text) => left.has(text)));
  const counts = {
    status: new Map<string, number>(),
    severity: new Map<string, number>(),
    repo: new Map<string, number>(),
    rule: new Map<string, number>(),
    component: new Map<string, number>(),
  };
  const add = (name: keyof typeof counts, value: string) =>
    counts[name].set(value, (counts[name].get(value) ?? 0) + 1);
  for (const { summary, texts } of counted) {
    const { overall_status, repo_name, components = [] } = JSON.parse(summary) as RfcSummary;
    add('status', overall_status.toLowerCase());
    // Searches compare repositories without regard to case.
    add('repo', repo_name.toLowerCase());
    for (const component of components) add('component', component);
    for (const text of texts) {
      const at = text.indexOf(':');
      const key = text.slice(0, at);
      if (key === 'severity' || key === 'rule') add(key, text.slice(at + 1));
    }
  }
  const { status, severity, repo, rule, component } = counts;
  return {
    counted: counted.length,
    more,
    status: mostFrequent(status),
    severity: mostFrequent(severity),
    repo: mostFrequent(repo),
    rule: mostFrequent(rule),
    component: mostFrequent(component),
  };
}

function mostFrequent(counts: ReadonlyMap<string, number>): Facet {
  return [...counts]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, FACETS.VALUES_MAX)
    .map(([value, count]) => ({ value, count }));
}
