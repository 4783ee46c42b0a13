import { CraError } from '../model/errors.ts';
import type { ApiAnswer } from './host.ts';
import { objectOf, textOf } from './push-payload.ts';
import { openReads, type ReadOptions } from './reads.ts';
import { FULL_SHA, HOSTS, type VcsHost } from './settings.ts';

/** A run of GitHub Actions with a job that waits for the rules of its environment. */
export interface WaitingRun {
  runId: string;
  /** Of a run that is started again. */
  attempt: string;
  sha: string;
}

/** The answer to a job that waits. */
export interface DeployReview {
  environment: string;
  state: 'approved' | 'rejected';
  /** Markdown. */
  comment: string;
}

/**
 * Jobs that wait for custom deployment protection rules, as an App of GitHub sees them:
 * https://docs.github.com/en/rest/actions/workflow-runs. Methods throw as `Read` does.
 */
export interface DeployRuns {
  /**
   * The runs of a repository that wait and deploy their own commit; `isWhole`:
   * there are no more of them. Empty also where our token may not see them.
   */
  waiting(repo: string, signal: AbortSignal): Promise<{ runs: WaitingRun[]; isWhole: boolean }>;
  /** The environments that a run waits for, by whatever rule. */
  environments(repo: string, runId: string, signal: AbortSignal): Promise<string[]>;
  /**
   * Answers for our rule; `gone`: no job waits for it (any more). Throws PERMISSION_DENIED, and
   * FAILED_PRECONDITION for any other answer of the host.
   */
  review(
    repo: string,
    runId: string,
    review: DeployReview,
    signal: AbortSignal,
  ): Promise<'taken' | 'gone'>;
}

/** Opens them; null: the host has no App, and GitHub asks Apps alone. */
export function openDeployRuns(host: VcsHost, options: ReadOptions): DeployRuns | null {
  const call = host.app === undefined ? null : openReads(host, options);
  if (call === null) return null;
  const ownerOf = (repo: string) => repo.slice(0, repo.indexOf('/'));

  return {
    async waiting(repo, signal) {
      const found: WaitingRun[] = [];
      for (let page = 1; page <= HOSTS.RUN_PAGES_MAX; page += 1) {
        const path = `/repos/${repo}/actions/runs?status=waiting&per_page=${HOSTS.PER_PAGE}&page=${page}`;
        const { status, json } = await call(path, ownerOf(repo), signal);
        const { workflow_runs: runs } = objectOf(json);
        if (status !== 200 || !Array.isArray(runs)) return { runs: found, isWhole: true };
        found.push(...runs.flatMap(runOf));
        if (runs.length < HOSTS.PER_PAGE) return { runs: found, isWhole: true };
      }
      return { runs: found, isWhole: false };
    },
    async environments(repo, runId, signal) {
      const path = `/repos/${repo}/actions/runs/${runId}/pending_deployments`;
      const { status, json } = await call(path, ownerOf(repo), signal);
      if (status !== 200 || !Array.isArray(json)) return [];
      return json.flatMap(
        (entry) => textOf(objectOf(objectOf(entry)['environment'])['name']) ?? [],
      );
    },
    async review(repo, runId, { environment, state, comment }, signal) {
      const path = `/repos/${repo}/actions/runs/${runId}/deployment_protection_rule`;
      const body = { environment_name: environment, state, comment };
      return readReview(await call(path, ownerOf(repo), signal, { body }));
    },
  };
}

function readReview({ status }: ApiAnswer): 'taken' | 'gone' {
  if (status === 200 || status === 204) return 'taken';
  if (status === 404 || status === 422) return 'gone';
  if (status === 403) {
    const message =
      'the GitHub App may not answer deploys there (403): it needs deployments: write and actions: read';
    throw new CraError('PERMISSION_DENIED', message);
  }
  const message = `the host does not take the answer about a deploy (status ${status})`;
  throw new CraError('FAILED_PRECONDITION', message);
}

/**
 * Events of which `head_sha` is the commit that the jobs of the run see (`GITHUB_SHA`): a run of a
 * pull request sees a merge of it.
 * https://docs.github.com/en/actions/reference/events-that-trigger-workflows
 */
const EVENTS_OF_HEAD: ReadonlySet<string> = new Set([
  'push',
  'workflow_dispatch',
  'repository_dispatch',
  'release',
  'schedule',
]);

function runOf(entry: unknown): WaitingRun[] {
  const { id, run_attempt, head_sha, event } = objectOf(entry);
  const sha = textOf(head_sha) ?? '';
  const isOfHead = EVENTS_OF_HEAD.has(textOf(event) ?? '');
  if (!Number.isSafeInteger(id) || !FULL_SHA.test(sha) || !isOfHead) return [];
  return [{ runId: String(id), attempt: String(run_attempt), sha }];
}
