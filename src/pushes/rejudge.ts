import type { RulesSource } from '../analysis/job.ts';
import { Ranges } from '../heads/component-ranges.ts';
import {
  type ComponentVerdict,
  componentMap,
  type EarlierMaps,
  withComponents,
} from '../model/components.ts';
import type { GateFinding } from '../model/finding.ts';
import { repositoryKey } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import { judgeRange } from './carry.ts';
import type { JudgementOptions } from './judgement-options.ts';

/** A push that is judged once more, and what bounds that. */
export interface RejudgeInput {
  /** With a verdict over a range that git could show. */
  before: RfcRecord;
  rules: RulesSource;
  signal: AbortSignal;
  /** Findings about the change that do not come from its diff. */
  notes: GateFinding[];
  /** Counts the bytes of each diff that was read; throws when there are too many. */
  count(bytes: number): void;
}

/**
 * The record that a push would have under other rules, over the range that it was judged over, and
 * of its components over theirs; nothing is written. A component that stands as an earlier push
 * judged it (`same_as`) is left out, as is a component that the rules of then had and the push did
 * not touch. Rejects with `details.reason` (a safe sentence) when git cannot show a range:
 * NOT_FOUND when neither mirror nor host have its commits, UNAVAILABLE when the host cannot be
 * asked.
 */
export type Rejudge = (input: RejudgeInput) => Promise<RfcRecord>;

type RejudgeOptions = Pick<
  JudgementOptions,
  'source' | 'analysis' | 'curvesFor' | 'pushes' | 'store'
> & { earlier: EarlierMaps };

/** Creates it over the mirrors; the caller holds a place of the scan pool. */
export function createRejudge({ source, earlier, ...parts }: RejudgeOptions): Rejudge {
  return async ({ before, rules, signal, notes, count }) => {
    const { push, commit_sha: head, tenant_id } = before;
    if (push === null || head === null) throw new TypeError(`${before.rfc_id} is not a push`);
    const counted: typeof source = {
      ...source,
      async diff(input) {
        const output = await source.diff(input, { signal });
        const { diff, history, messages } = output;
        count(diff.byteLength + (history?.byteLength ?? 0) + messages.byteLength);
        return output;
      },
      blobs: (input) => source.blobs(input, { signal }),
    };
    const again = {
      record: withComponents(before, null),
      repository: { host: push.host, repo_full_name: before.repo_name },
      place: { tenant_id, repo_key: repositoryKey(before) },
    };
    const options = { ...parts, source: counted, rules, signal };
    const judge = (base: string | null, without_renames = false) =>
      judgeRange(again, { base, head, without_renames }, options, notes);
    const whole = await judge(push.base);
    const map = componentMap(rules.rules, before.repo_name);
    if (map === null) return whole.record;
    const ranges = new Ranges({ ...whole, base: { sha: push.base } }, judge);
    const judged = await ranges.from(push.base);
    const known = before.components ?? [];
    const was = before.component_map === undefined ? null : await earlier(before);
    const components: ComponentVerdict[] = [];
    for (const { id } of map.components) {
      const own = known.find((one) => one.id === id);
      // What the rules of then had, and the RFC does not list, had nothing open.
      const isSilent = own === undefined && was?.components.some((one) => one.id === id);
      if (isSilent || own?.same_as != null) continue;
      const range = own === undefined ? judged : await ranges.from(own.base);
      const verdict = range?.touched.get(id);
      if (verdict !== undefined) components.push(verdict);
    }
    return withComponents(whole.record, { key: map.key, components });
  };
}
