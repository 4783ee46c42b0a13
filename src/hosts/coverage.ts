import { CraError } from '../model/errors.ts';
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
import { textOf } from './push-payload.ts';
import { openReads, type ReadOptions } from './reads.ts';
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

/** Opens the API of a host; null: it has none, or no credentials. */
export function openCoverage(host: VcsHost, options: ReadOptions): CoverageApi | null {
  const read = openReads(host, options);
  if (read === null) return null;
  const dialect = DIALECTS[host.provider];

  /** What repositories of an owner share, by its path. */
  const shared = new Map<string, { at: number; answer: Answer }>();

  const getShared = async (path: string, owner: string, signal: AbortSignal): Promise<Answer> => {
    const known = shared.get(path);
    if (known !== undefined && options.now() - known.at < HOSTS.SHARED_MS) return known.answer;
    const answer = await read(path, owner, signal);
    if (shared.size >= HOSTS.SHARED_MAX) shared.clear();
    shared.set(path, { at: options.now(), answer });
    return answer;
  };

  return {
    async list(owner, page, signal) {
      for (const path of dialect.lists(owner, page)) {
        const { status, json } = await read(path, owner, signal);
        if (status !== 200) continue;
        const entries = listOf(json);
        const repositories = entries.flatMap((entry) => readRepository(entry));
        return { repositories, isLast: entries.length < dialect.perPage };
      }
      throw new CraError('NOT_FOUND', `our token sees no owner of repositories named ${owner}`);
    },
    async check(repository, signal) {
      const owner = repository.repo.slice(0, repository.repo.indexOf('/'));
      const checks = await dialect.check(
        repository,
        (path) => read(path, owner, signal),
        (path) => getShared(path, owner, signal),
      );
      // An App has one webhook for all repositories that it is installed for.
      return host.app === undefined
        ? checks
        : { ...checks, webhook: 'active', last_delivery_at: null };
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
