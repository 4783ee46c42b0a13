import { CraError } from '../model/errors.ts';
import { callApi, readRefusal } from './api.ts';
import {
  type Answer,
  type CoverageDialect,
  type HostChecks,
  type ListedRepository,
  listOf,
} from './coverage-dialect.ts';
import { checkGitea, giteaLists } from './coverage-gitea.ts';
import { checkGitHub, githubLists } from './coverage-github.ts';
import { checkGitLab, gitlabLists } from './coverage-gitlab.ts';
import { type AppTokens, createAppTokens } from './github-app.ts';
import { gitHost } from './hosts.ts';
import { textOf } from './push-payload.ts';
import { HOSTS, REPO_FULL_NAME, type VcsHost } from './settings.ts';

/** Reads the coverage of a host, call by call. */
export interface CoverageApi {
  /** A page of the repositories of an owner, from 1 on. NOT_FOUND for an unknown owner. */
  list(owner: string, page: number, signal: AbortSignal): Promise<ListedPage>;
  check(repository: ListedRepository, signal: AbortSignal): Promise<HostChecks>;
}

export interface ListedPage {
  repositories: ListedRepository[];
  isLast: boolean;
}

interface CoverageOptions {
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
  /** Resolves when one more call may be made. */
  turn(signal: AbortSignal): Promise<void>;
}

/** Opens the API of a host; null: it has none, or no credentials. */
export function openCoverage(host: VcsHost, options: CoverageOptions): CoverageApi | null {
  const { apiUrl, provider, token } = host;
  const tokens = createAppTokens(host, options);
  if (apiUrl === null || (token === null && tokens === null)) return null;
  const dialect = DIALECTS[provider];

  async function get(path: string, owner: string, signal: AbortSignal): Promise<Answer> {
    await options.turn(signal);
    const headers = gitHost(provider).apiHeaders(token ?? (await appToken(tokens, owner, signal)));
    const { deadlineMs } = options;
    const bytesMax = HOSTS.COVERAGE_PAGE_BYTES_MAX;
    const url = `${apiUrl}${path}`;
    const called = await callApi({ method: 'GET', url, headers, bytesMax, deadlineMs, signal });
    signal.throwIfAborted();
    if ('problem' in called) throw unavailable(called.problem, 0);
    const { answer } = called;
    const { status, json, message } = answer;
    const problem = status === 200 ? null : readRefusal(answer, options.now());
    if (problem?.outcome === 'limited' || problem?.outcome === 'down') {
      throw unavailable(problem.reason, problem.waitMs);
    }
    if (status === 401) throw new CraError('UNAUTHENTICATED', 'the host refuses our token (401)');
    if (status === 200 && json === null) {
      throw unavailable("something else than the host's API answers (status 200)", 0);
    }
    return { status, json, message };
  }

  return {
    async list(owner, page, signal) {
      for (const path of dialect.lists(owner, page)) {
        const { status, json } = await get(path, owner, signal);
        if (status !== 200) continue;
        const entries = listOf(json);
        const repositories = entries.flatMap((entry) => readRepository(entry));
        return { repositories, isLast: entries.length < dialect.perPage };
      }
      throw new CraError('NOT_FOUND', `our token sees no owner of repositories named ${owner}`);
    },
    async check(repository, signal) {
      const owner = repository.repo.slice(0, repository.repo.indexOf('/'));
      const checks = await dialect.check(repository, (path) => get(path, owner, signal));
      // An App has one webhook for all repositories that it is installed for.
      return tokens === null ? checks : { ...checks, webhook: 'active', last_delivery_at: null };
    },
  };
}

const GITEA: CoverageDialect = {
  lists: giteaLists,
  perPage: HOSTS.GITEA_PER_PAGE,
  check: checkGitea,
};

const DIALECTS: Readonly<Record<VcsHost['provider'], CoverageDialect>> = {
  github: { lists: githubLists, perPage: HOSTS.PER_PAGE, check: checkGitHub },
  gitlab: { lists: gitlabLists, perPage: HOSTS.PER_PAGE, check: checkGitLab },
  gitea: GITEA,
  forgejo: GITEA,
};

async function appToken(
  tokens: AppTokens | null,
  owner: string,
  signal: AbortSignal,
): Promise<string> {
  const got = await tokens?.tokenForOwner(owner, signal);
  if (got !== undefined && 'token' in got) return got.token;
  const { problem } = got ?? { problem: null };
  if (problem?.outcome === 'refused') throw new CraError('UNAUTHENTICATED', problem.reason);
  const waitMs = problem !== null && 'waitMs' in problem ? problem.waitMs : 0;
  throw unavailable(problem?.reason ?? 'the host gives no token', waitMs);
}

function unavailable(reason: string, waitMs: number): CraError {
  return new CraError('UNAVAILABLE', reason, { details: { waitMs } });
}

/** Archived repositories are left out. GitLab has the name in `path_with_namespace`. */
function readRepository(fields: Readonly<Record<string, unknown>>): ListedRepository[] {
  const repo = textOf(fields['full_name']) ?? textOf(fields['path_with_namespace']);
  if (repo === null || !REPO_FULL_NAME.test(repo) || fields['archived'] === true) return [];
  const { id } = fields;
  return [
    {
      repo,
      id: Number.isSafeInteger(id) ? String(id) : null,
      default_branch: textOf(fields['default_branch']) || null,
      fields,
    },
  ];
}
