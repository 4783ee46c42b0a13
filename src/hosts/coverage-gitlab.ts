import {
  firstWebhook,
  GATE_UNKNOWN,
  type Get,
  type HostChecks,
  type ListedRepository,
  listOf,
  ownWebhook,
  type Webhook,
} from './coverage-dialect.ts';
import { objectOf, textOf } from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** https://docs.gitlab.com/api/groups/#list-projects */
export function gitlabLists(owner: string, page: number): readonly string[] {
  const name = encodeURIComponent(owner);
  const query = `archived=false&per_page=${HOSTS.PER_PAGE}&page=${page}`;
  return [
    `/groups/${name}/projects?include_subgroups=true&${query}`,
    `/users/${name}/projects?${query}`,
  ];
}

/**
 * GitLab requires no single status: a merge request waits for the pipeline, of which our status is
 * a part. So the gate is required where pipelines must succeed, and nobody pushes directly.
 * https://docs.gitlab.com/user/project/merge_requests/auto_merge/#require-a-successful-pipeline-for-merge
 */
export async function checkGitLab(
  { repo, default_branch, fields }: ListedRepository,
  get: Get,
  getShared: Get,
): Promise<HostChecks> {
  const project = `/projects/${encodeURIComponent(repo)}`;
  const groups = groupsOf(repo).map((name) => `/groups/${encodeURIComponent(name)}`);
  const webhook = await firstWebhook(
    () => webhookAt(project, get),
    groups.map((group) => () => webhookAt(group, getShared)),
  );
  if (default_branch === null) return { ...webhook, ...GATE_UNKNOWN };
  const { only_allow_merge_if_pipeline_succeeds: waits } = fields;
  const { allow_merge_on_skipped_pipeline: skips } = fields;
  const isRequired = waits === true && skips !== true;
  return {
    ...webhook,
    gate: isRequired ? 'required' : waits === undefined ? 'unknown' : 'missing',
    // Each developer may set a status of this name.
    gate_source: isRequired ? 'anybody' : null,
    bypass: await pushersOf(project, default_branch, get),
  };
}

/** The groups that a project is in, the nearest first: `acme/web`, `acme`. */
function groupsOf(repo: string): string[] {
  const [, ...names] = repo.split('/').reverse();
  return names.map((_, at) => names.slice(at).reverse().join('/'));
}

/**
 * Of a project or a group: https://docs.gitlab.com/api/project_webhooks/,
 * https://docs.gitlab.com/api/group_webhooks/
 */
async function webhookAt(place: string, get: Get): Promise<Webhook | null> {
  const hooks = await get(`${place}/hooks?per_page=${HOSTS.PER_PAGE}`);
  if (hooks.status !== 200) return { webhook: 'unknown', last_delivery_at: null };
  const own = ownWebhook(hooks.json);
  if (own === null) return null;
  // `disabled` and `temporarily_disabled` after failed deliveries.
  const { push_events, alert_status = 'executable' } = own;
  const isActive = push_events === true && alert_status === 'executable';
  return { webhook: isActive ? 'active' : 'failing', last_delivery_at: null };
}

/** https://docs.gitlab.com/api/protected_branches/: who pushes past merge requests. */
async function pushersOf(project: string, branch: string, get: Get): Promise<string[] | null> {
  const path = `${project}/protected_branches/${encodeURIComponent(branch)}`;
  const { status, json } = await get(path);
  // Not protected: each developer may push.
  if (status === 404) return ['developers'];
  if (status !== 200) return null;
  const levels = listOf(objectOf(json)['push_access_levels']);
  const nobody = (level: unknown) => level === 0;
  return levels
    .filter(({ access_level }) => !nobody(access_level))
    .map(({ access_level, access_level_description: said }) => {
      return LEVELS[Number(access_level)] ?? (textOf(said) === null ? 'others' : 'named members');
    });
}

const LEVELS: Readonly<Record<number, string>> = {
  30: 'developers',
  40: 'maintainers',
  60: 'administrators',
};
