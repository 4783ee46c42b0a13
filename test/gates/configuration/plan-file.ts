/** Parts of a plan as `terraform show -json` writes it. */

interface Change {
  address: string;
  actions: string[];
  before?: unknown;
  after?: unknown;
  after_unknown?: unknown;
  before_sensitive?: unknown;
  after_sensitive?: unknown;
  replace_paths?: unknown;
  action_reason?: string;
  mode?: string;
}

/** One of `resource_changes`; type, name and module are read off its address. */
export function planned({ address, mode = 'managed', action_reason, ...change }: Change) {
  const [, module, type, name] =
    /^(.*?)\.?(?:data\.)?(\w+)\.([\w-]+)(?:\[.*\])?$/.exec(address) ?? [];
  return {
    address,
    ...(module ? { module_address: module } : {}),
    mode,
    type,
    name,
    provider_name: 'registry.terraform.io/hashicorp/aws',
    change: { before: null, after: null, after_unknown: {}, ...change },
    ...(action_reason === undefined ? {} : { action_reason }),
  };
}

/** A plan with these changes; `configuration`: its root module. */
export function plan(changes: readonly unknown[], root_module: unknown = {}, more = {}): Buffer {
  const head = { format_version: '1.2', terraform_version: '1.11.4', planned_values: {} };
  const configuration = { root_module };
  return Buffer.from(
    JSON.stringify({ ...head, resource_changes: changes, configuration, ...more }),
  );
}
