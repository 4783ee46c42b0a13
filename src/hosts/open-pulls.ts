import type { PushEvent } from '../model/push.ts';
import { listOf } from './coverage-dialect.ts';
import { gitHost } from './hosts.ts';
import { openReads, type ReadOptions } from './reads.ts';
import { HOSTS, type VcsHost } from './settings.ts';

/** An open pull request, as an event would report it. */
export interface OpenPull {
  /** Its title may hold secrets still. */
  event: PushEvent;
  payload: Readonly<Record<string, unknown>>;
}

export interface OpenPulls {
  pulls: OpenPull[];
  /** By which the host tells whether the list has changed since; null: it does not. */
  etag: string | null;
}

/**
 * Lists the open pull requests of a repository; null: nothing has changed since the answer of that
 * `etag`; `unseen`: our token may not see them. Throws as `Read` does.
 */
export type ListOpenPulls = (
  repo: string,
  etag: string | null,
  signal: AbortSignal,
) => Promise<OpenPulls | 'unseen' | null>;

interface OpenPullsOptions {
  /** Pull requests that nobody has changed for so long are left out. */
  changedWithinMs: number;
}

/** Opens the lists of a host; null: it has no API, or no credentials. */
export function openPullLists(
  host: VcsHost,
  options: ReadOptions & OpenPullsOptions,
): ListOpenPulls | null {
  const read = openReads(host, options);
  if (read === null) return null;
  const dialect = gitHost(host.provider);

  /** An entry that we cannot read as a pull request is left out. */
  function pullOf(entry: Readonly<Record<string, unknown>>, repo: string): OpenPull[] {
    const payload = dialect.pullPayload(entry, repo);
    try {
      const event = dialect.readPullRequest(payload);
      return event === null ? [] : [{ event, payload }];
    } catch {
      return [];
    }
  }

  /** Also one without a date. */
  function isRecent({ updated_at }: Readonly<Record<string, unknown>>): boolean {
    return !(options.now() - Date.parse(String(updated_at)) > options.changedWithinMs);
  }

  return async (repo, etag, signal) => {
    const owner = repo.slice(0, repo.indexOf('/'));
    const pulls: OpenPull[] = [];
    let first: string | null = null;
    for (let page = 1; page <= HOSTS.PULL_PAGES_MAX; page += 1) {
      const path = dialect.openPullsPath(repo, page);
      // What changed comes first, so the first page has all of them.
      const known = page === 1 && etag !== null ? { headers: { 'If-None-Match': etag } } : {};
      const { status, headers, json } = await read(path, owner, signal, known);
      if (status === 304) return null;
      if (status !== 200) return 'unseen';
      if (page === 1) first = headers.get('etag');
      const entries = listOf(json);
      const recent = entries.filter(isRecent);
      pulls.push(...recent.flatMap((entry) => pullOf(entry, repo)));
      if (recent.length < dialect.openPullsPerPage) break;
    }
    return { pulls, etag: first };
  };
}
