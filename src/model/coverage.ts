import type { Static } from 'typebox';
import { PROVIDERS } from './push.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL, TIME } from './schema.ts';

const TIME_OR_NULL = { ...TIME, type: ['string', 'null'] } as const;

/** How a repository of a host is covered by the gate. */
export const REPOSITORY_COVERAGE = exactly({
  repo: TEXT,
  default_branch: { ...TEXT_OR_NULL, description: 'Null: the repository is empty' },
  checked_at: TIME,
  webhook: {
    type: 'string',
    enum: ['active', 'failing', 'missing', 'unknown'],
    description: 'Ours, by its address; unknown: the token may not see webhooks',
  },
  last_delivery_at: { ...TIME_OR_NULL, description: 'Null: the host names no delivery' },
  gate: {
    type: 'string',
    enum: ['required', 'missing', 'unknown'],
    description: 'Whether the default branch requires cra/gate; unknown: the token may not see it',
  },
  gate_source: {
    type: ['string', 'null'],
    enum: ['app', 'anybody', null],
    description: 'Who may set the required status; null: it is not required, or not known',
  },
  bypass: {
    anyOf: [{ type: 'null' }, { type: 'array', items: TEXT }],
    description: 'Who may change the default branch without the gate; null: not known',
  },
  newest_push: {
    type: 'string',
    enum: ['judged', 'waiting', 'unjudged', 'none'],
    description: 'The newest push of the default branch that the service knows',
  },
  coverage: {
    type: 'string',
    enum: ['covered', 'gap', 'unknown'],
    description: 'The worst of webhook, gate and newest push',
  },
});
export type RepositoryCoverage = Static<typeof REPOSITORY_COVERAGE>;

/** A host and the repositories of its configured owners. */
export const HOST_COVERAGE = exactly({
  host: TEXT,
  provider: { type: 'string', enum: [...PROVIDERS] },
  owners: { type: 'array', items: TEXT },
  started_at: {
    ...TIME_OR_NULL,
    description: 'Of the round under way; null: there is no such round',
  },
  finished_at: {
    ...TIME_OR_NULL,
    description: 'Of the last whole round; null: no round has ended',
  },
  listed: { ...COUNT, description: 'Repositories found in this round' },
  checked: { ...COUNT, description: 'Of these, the repositories that were checked' },
  problem: { ...TEXT_OR_NULL, description: 'Why the round waits or is not whole; null: no reason' },
  repositories: { type: 'array', items: REPOSITORY_COVERAGE },
});
export type HostCoverage = Static<typeof HOST_COVERAGE>;

/** How many repositories are covered. */
export const COVERAGE_COUNTS = exactly({ covered: COUNT, gap: COUNT, unknown: COUNT });
export type CoverageCounts = Static<typeof COVERAGE_COUNTS>;

/** The worst of what is known of a repository. */
export function coverageOf({
  webhook,
  gate,
  newest_push,
}: Pick<RepositoryCoverage, 'webhook' | 'gate' | 'newest_push'>): RepositoryCoverage['coverage'] {
  if (webhook === 'missing' || webhook === 'failing' || gate === 'missing') return 'gap';
  if (newest_push === 'unjudged') return 'gap';
  return webhook === 'unknown' || gate === 'unknown' ? 'unknown' : 'covered';
}
