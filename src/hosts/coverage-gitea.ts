import {
  firstWebhook,
  GATE_MISSING,
  GATE_UNKNOWN,
  type Get,
  type HostChecks,
  type ListedRepository,
  listOf,
  ownWebhook,
  REQUIRED_STATUS,
  type Webhook,
} from './coverage-dialect.ts';
import { objectOf, textOf } from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** https://docs.gitea.com/api/#tag/organization/operation/orgListRepos */
export function giteaLists(owner: string, page: number): readonly string[] {
  const name = encodeURIComponent(owner);
  const query = `limit=${HOSTS.GITEA_PER_PAGE}&page=${page}`;
  return [`/orgs/${name}/repos?${query}`, `/users/${name}/repos?${query}`];
}

/** https://docs.gitea.com/api/#tag/repository/operation/repoListBranchProtection */
export async function checkGitea(
  { repo, default_branch }: ListedRepository,
  get: Get,
  getShared: Get,
): Promise<HostChecks> {
  const [owner = ''] = repo.split('/');
  const webhook = await firstWebhook(
    () => webhookAt(`/repos/${repo}`, get),
    [() => webhookAt(`/orgs/${owner}`, getShared)],
  );
  if (default_branch === null) return { ...webhook, ...GATE_UNKNOWN };
  const branch = await get(`/repos/${repo}/branches/${encodeURIComponent(default_branch)}`);
  if (branch.status !== 200) return { ...webhook, ...GATE_UNKNOWN };
  const shown = objectOf(branch.json);
  const contexts: unknown = shown['status_check_contexts'];
  const isRequired =
    shown['enable_status_check'] === true &&
    Array.isArray(contexts) &&
    contexts.some((context) => isOurs(textOf(context) ?? ''));
  if (!isRequired) return { ...webhook, ...GATE_MISSING };
  const rule = textOf(shown['effective_branch_protection_name']) ?? '';
  const bypass = await bypassOf(repo, rule, get);
  return { ...webhook, gate: 'required', gate_source: 'anybody', bypass };
}

/** Patterns of contexts are globs; a pattern that ends with `*` is understood. */
function isOurs(pattern: string): boolean {
  if (pattern.endsWith('*')) return REQUIRED_STATUS.startsWith(pattern.slice(0, -1));
  return pattern === REQUIRED_STATUS;
}

/** Of a repository or an organization. */
async function webhookAt(place: string, get: Get): Promise<Webhook | null> {
  const hooks = await get(`${place}/hooks?limit=${HOSTS.GITEA_PER_PAGE}`);
  if (hooks.status !== 200) return { webhook: 'unknown', last_delivery_at: null };
  const own = ownWebhook(hooks.json);
  if (own === null) return null;
  const { active, events } = own;
  const hears = Array.isArray(events) && events.includes('push');
  // Its API has no deliveries.
  return { webhook: active === true && hears ? 'active' : 'failing', last_delivery_at: null };
}

async function bypassOf(repo: string, rule: string, get: Get): Promise<string[] | null> {
  const { status, json } = await get(`/repos/${repo}/branch_protections`);
  const found = status === 200 ? listOf(json).find(({ rule_name }) => rule_name === rule) : null;
  if (found === undefined || found === null) return null;
  return [
    // Since Gitea 1.23; before it they could always merge.
    ...(found['block_admin_merge_override'] === true ? [] : ['administrators']),
    ...(found['enable_push'] === true
      ? [found['enable_push_whitelist'] === true ? 'people who may push' : 'everybody who may push']
      : []),
  ];
}
