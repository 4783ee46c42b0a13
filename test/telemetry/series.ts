import { REVIEW_CLASSES } from '../../src/gates/review/classes.ts';
import { metricName, ROUTES } from '../../src/http/api/all-routes.ts';
import {
  GIVEN_LABELS,
  LABELS,
  type LabelName,
  METRICS,
  type Metric,
} from '../../src/telemetry/metrics.ts';
import type { GivenValues, MetricsRegistry } from '../../src/telemetry/registry.ts';

/** As many values as the settings allow: 16 tiers (daemon/config/llm). */
export const GIVEN: GivenValues = {
  route: [...new Set(ROUTES.map(({ name }) => metricName(name)))],
  driver: ['mongodb'],
  tier: Array.from({ length: 16 }, (_, index) => `tier-${index}`),
  class: REVIEW_CLASSES.map(({ id }) => id),
  version: ['1.2.3'],
  node: ['v20.19.0'],
};

const EXEMPLAR = { request_id: '0123abcd-zzzz', trace_id: 'f'.repeat(32) };

/** Gives every metric a value for every combination of labels that can occur, and for `other`. */
export function worstCase(registry: MetricsRegistry): void {
  for (const [key, metric] of Object.entries<Metric>(METRICS)) {
    for (const labels of combinations(metric.labels)) {
      if (key === 'httpRequests' && !isRouteWithMethod(labels)) continue;
      if (metric.type === 'counter') registry.count(key as never, labels as never);
      else if (metric.type === 'gauge') registry.set(key as never, labels as never, 1);
      else {
        for (const bound of [...(metric.buckets ?? []), 1e6]) {
          registry.observe(key as never, labels as never, bound, EXEMPLAR);
        }
      }
    }
  }
}

/** A request is counted with the method of its route. */
function isRouteWithMethod({ route, method }: Record<string, string>): boolean {
  const own = ROUTES.filter(({ name }) => metricName(name) === route);
  return own.length === 0 ? method === 'other' : own.some((each) => each.method === method);
}

function combinations([first, ...rest]: readonly LabelName[]): Record<string, string>[] {
  if (first === undefined) return [{}];
  const others = combinations(rest);
  return valuesOf(first).flatMap((value) =>
    others.map((labels) => ({ [first]: value, ...labels })),
  );
}

/** With what is counted as `other`, where texts from outside the process can come. */
function valuesOf(label: LabelName): readonly string[] {
  const isGiven = (GIVEN_LABELS as readonly string[]).includes(label);
  const known = isGiven ? GIVEN[label as keyof GivenValues] : LABELS[label as keyof typeof LABELS];
  return label === 'route' ? [...known, 'other'] : known;
}

/** Names and labels of all series in a text of either format. */
export function seriesOf(body: string): string[] {
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.replace(/ # \{.*$/, '').replace(/ \S+$/, ''));
}
