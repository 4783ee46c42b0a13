import {
  type Answer,
  firstWebhook,
  GATE_MISSING,
  GATE_UNKNOWN,
  type Gate,
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

/** https://docs.github.com/en/rest/repos/repos#list-organization-repositories */
export function githubLists(owner: string, page: number): readonly string[] {
  const name = encodeURIComponent(owner);
  const query = `per_page=${HOSTS.PER_PAGE}&page=${page}`;
  return [`/orgs/${name}/repos?${query}`, `/users/${name}/repos?${query}`];
}

/** Webhook, protection by rulesets and the older protection of branches. */
export async function checkGitHub(
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
  const branch = encodeURIComponent(default_branch);
  const rules = await get(`/repos/${repo}/rules/branches/${branch}?per_page=${HOSTS.PER_PAGE}`);
  const shown = await get(`/repos/${repo}/branches/${branch}`);
  const ruled = rules.status === 200 ? await ruledGate(repo, listOf(rules.json), get) : null;
  const older = classicGate(shown);
  if (ruled?.gate === 'required' && older?.gate !== 'required') return { ...webhook, ...ruled };
  if (older?.gate === 'required') return { ...webhook, ...both(older, ruled) };
  const isKnown = ruled !== null && older !== null;
  return { ...webhook, ...(isKnown ? GATE_MISSING : GATE_UNKNOWN) };
}

/** Who passes both protections passes the gate. */
function both(older: Gate, ruled: Gate | null): Gate {
  if (ruled?.gate !== 'required') return older;
  const source = older.gate_source === 'app' || ruled.gate_source === 'app' ? 'app' : 'anybody';
  const bypass =
    older.bypass === null || ruled.bypass === null
      ? null
      : older.bypass.length === 0 || ruled.bypass.length === 0
        ? []
        : [...new Set([...older.bypass, ...ruled.bypass])];
  return { gate: 'required', gate_source: source, bypass };
}

/**
 * Of a repository or an organization: https://docs.github.com/en/rest/repos/webhooks,
 * https://docs.github.com/en/rest/orgs/webhooks
 */
async function webhookAt(place: string, get: Get): Promise<Webhook | null> {
  const hooks = await get(`${place}/hooks?per_page=${HOSTS.PER_PAGE}`);
  if (hooks.status !== 200) return { webhook: 'unknown', last_delivery_at: null };
  const own = ownWebhook(hooks.json);
  if (own === null) return null;
  const { active, events, id } = own;
  const hears = Array.isArray(events) && (events.includes('push') || events.includes('*'));
  const last = await get(`${place}/hooks/${Number(id)}/deliveries?per_page=1`);
  const [newest] = last.status === 200 ? listOf(last.json) : [];
  const code = Number(newest?.['status_code'] ?? 200);
  const isTaken = code >= 200 && code < 300;
  return {
    webhook: active === true && hears && isTaken ? 'active' : 'failing',
    last_delivery_at: timeOf(newest?.['delivered_at']),
  };
}

function timeOf(value: unknown): string | null {
  const ms = Date.parse(textOf(value) ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch */
async function ruledGate(
  repo: string,
  rules: readonly Readonly<Record<string, unknown>>[],
  get: Get,
): Promise<Gate> {
  const found = rules.flatMap((rule) => {
    const check = checkIn(objectOf(rule['parameters'])['required_status_checks']);
    return rule['type'] === 'required_status_checks' && check !== null ? [{ rule, check }] : [];
  });
  const [first] = found;
  if (first === undefined) return GATE_MISSING;
  const id = Number(first.rule['ruleset_id']);
  const ruleset = await get(`/repos/${repo}/rulesets/${id}?includes_parents=true`);
  const actors = ruleset.status === 200 ? objectOf(ruleset.json)['bypass_actors'] : null;
  return {
    gate: 'required',
    gate_source: Number.isSafeInteger(first.check['integration_id']) ? 'app' : 'anybody',
    // Shown only to users with the right to change the ruleset.
    bypass: Array.isArray(actors) ? actors.map(objectOf).map(actorOf) : null,
  };
}

/**
 * The older protection, as everybody sees it who may read the branch:
 * https://docs.github.com/en/rest/branches/branches#get-a-branch
 */
function classicGate({ status, json }: Answer): Gate | null {
  if (status !== 200) return null;
  const protection = objectOf(objectOf(json)['protection']);
  const required = objectOf(protection['required_status_checks']);
  const check = checkIn(required['checks']);
  const contexts: unknown = required['contexts'];
  const isNamed = Array.isArray(contexts) && contexts.includes(REQUIRED_STATUS);
  const level = required['enforcement_level'];
  if ((check === null && !isNamed) || level === 'off') return GATE_MISSING;
  const appId = check?.['app_id'];
  return {
    gate: 'required',
    gate_source: Number.isSafeInteger(appId) && Number(appId) > 0 ? 'app' : 'anybody',
    bypass: level === 'everyone' ? [] : ['administrators'],
  };
}

function checkIn(checks: unknown): Readonly<Record<string, unknown>> | null {
  return listOf(checks).find(({ context }) => context === REQUIRED_STATUS) ?? null;
}

/** Names of our own: an id, and a kind that the host documents. */
function actorOf({ actor_type, actor_id }: Readonly<Record<string, unknown>>): string {
  const kind = ACTORS[textOf(actor_type) ?? ''] ?? 'actor';
  return Number.isSafeInteger(actor_id) ? `${kind} ${actor_id}` : kind;
}

const ACTORS: Readonly<Record<string, string>> = {
  OrganizationAdmin: 'organization administrators',
  RepositoryRole: 'repository role',
  Team: 'team',
  Integration: 'app',
  DeployKey: 'deploy keys',
};
