import type { RepositoryCoverage } from '../model/coverage.ts';
import { objectOf, textOf } from './push-payload.ts';

/** A repository as the list of its owner names it. */
export interface ListedRepository {
  repo: string;
  /** The host's own id; null: it gives none. */
  id: string | null;
  default_branch: string | null;
  /** What the list says of its settings: GitLab has some there. */
  fields: Readonly<Record<string, unknown>>;
}

/** What the API of a host says of a repository. */
export type HostChecks = Pick<
  RepositoryCoverage,
  'webhook' | 'last_delivery_at' | 'gate' | 'gate_source' | 'bypass'
>;

/** Whether the default branch requires the gate. */
export type Gate = Pick<HostChecks, 'gate' | 'gate_source' | 'bypass'>;

/** The token may not see it, or an empty repository has no branch that could require anything. */
export const GATE_UNKNOWN: Gate = { gate: 'unknown', gate_source: null, bypass: null };

export const GATE_MISSING: Gate = {
  gate: 'missing',
  gate_source: null,
  bypass: ['everybody who may push'],
};

/** An answer about this repository: any status but 200 says no more than that we see nothing. */
export interface Answer {
  status: number;
  json: unknown;
  /** `message` of a JSON object, to look for known words in. */
  message: string;
}

/**
 * One call, `path` below the API. Throws UNAVAILABLE with `details.waitMs` for a host that limits
 * us or is down, and UNAUTHENTICATED for a token that it refuses.
 */
export type Get = (path: string) => Promise<Answer>;

/** What a kind of host offers to check coverage with. */
export interface CoverageDialect {
  /** Paths that list the repositories of an owner: the first that is there counts. */
  lists(owner: string, page: number): readonly string[];
  /** Repositories of one page. */
  perPage: number;
  /** `getShared` is for what repositories of an owner share: its answers are kept for a while. */
  check(repository: ListedRepository, get: Get, getShared: Get): Promise<HostChecks>;
}

/** Our webhook at one place; null: it is not there. */
export type Webhook = Pick<HostChecks, 'webhook' | 'last_delivery_at'>;
export type FindWebhook = () => Promise<Webhook | null>;

/** Our webhook of a repository or, unless that works, of the owners above it. */
export async function firstWebhook(
  own: FindWebhook,
  ofOwners: readonly FindWebhook[],
): Promise<Webhook> {
  const found: (Webhook | null)[] = [];
  for (const find of [own, ...ofOwners]) {
    const webhook = await find();
    if (webhook?.webhook === 'active') return webhook;
    found.push(webhook);
  }
  const failing = found.find((one) => one?.webhook === 'failing');
  return failing ?? found[0] ?? { webhook: 'missing', last_delivery_at: null };
}

/** The list in an answer; search results of some hosts have it in a field. */
export function listOf(json: unknown): Readonly<Record<string, unknown>>[] {
  const list = Array.isArray(json) ? json : objectOf(json)['repositories'];
  return Array.isArray(list) ? list.map(objectOf) : [];
}

/** How our webhook stands in a list of webhooks; null: it is not there. */
export function ownWebhook(json: unknown): Readonly<Record<string, unknown>> | null {
  const isOwn = (hook: Readonly<Record<string, unknown>>) => {
    const url = textOf(objectOf(hook['config'])['url']) ?? textOf(hook['url']) ?? '';
    return url.replace(/[?#].*$/, '').endsWith('/api/cra/webhook');
  };
  return listOf(json).find(isOwn) ?? null;
}

/** The name of the status that a branch shall require. */
export const REQUIRED_STATUS = 'cra/gate';
