import type { AuditEvent } from '../../../model/audit.ts';
import { baselineId } from '../../../model/push.ts';
import type {
  AdoptInput,
  Baseline,
  BindInput,
  Fallen,
  LowerInput,
  NamedPlace,
  RepositoryPlace,
} from '../../contract/pushes.ts';
import { repoKey } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { PUSH_QUERIES } from './queries.ts';

interface BaselineRow {
  host: string;
  sha: string | null;
  adopted_at: string;
  heads: string;
}

/** Finds the baseline of a repository. */
export function createBaselineFinder(
  database: Connection,
): (repo: RepositoryPlace) => Baseline | null {
  const find = database.prepare<[string, string], BaselineRow>(PUSH_QUERIES.baseline);
  return ({ tenant_id, repo_key }) => {
    const row = find.get(tenant_id, repo_key);
    if (row === undefined) return null;
    const { host, sha, adopted_at } = row;
    return { host, sha, adopted_at, heads: JSON.parse(row.heads) as Record<string, string> };
  };
}

/** Finds which host owns a name: the one whose repository of that name was seen first. */
export function createNameFinder(database: Connection): (repo: NamedPlace) => string | null {
  const find = database.prepare<[string, string], { host: string }>(PUSH_QUERIES.hostOfName);
  return ({ tenant_id, repo_name }) => find.get(tenant_id, repoKey(repo_name))?.host ?? null;
}

/** The steps on baselines, within a transaction; `append` writes to the trail. */
export function createBaselineSteps(database: Connection, append: (event: AuditEvent) => unknown) {
  const find = createBaselineFinder(database);
  const add = database.prepare(PUSH_QUERIES.addBaseline);
  const replaceSha = database.prepare(PUSH_QUERIES.lowerBaseline);
  const bindRow = database.prepare(PUSH_QUERIES.bindRepository);
  const bindPushes = database.prepare(PUSH_QUERIES.bindPushes);
  const bindFallen = database.prepare(PUSH_QUERIES.bindFallen);
  const addFallen = createFallenWriter(database);

  return {
    adopt({ tenant_id, repo_key, repo_name, baseline, event }: AdoptInput) {
      const known = find({ tenant_id, repo_key });
      if (known !== null) return { baseline: known, adopted: false };
      if (event !== null) append(event);
      const { host, sha, adopted_at } = baseline;
      const heads = JSON.stringify(baseline.heads);
      add.run(tenant_id, repo_key, repoKey(repo_name), host, sha, adopted_at, heads);
      return { baseline, adopted: true };
    },

    lower({ tenant_id, repo_key, from, to, event, at_ms }: LowerInput): { lowered: boolean } {
      if (find({ tenant_id, repo_key })?.sha !== from) return { lowered: false };
      append(event);
      replaceSha.run(to, tenant_id, repo_key, from);
      addFallen({
        ...{ tenant_id, repo_key, id: baselineId(from), sha: from },
        ...{ is_rejected: false, at_ms },
      });
      return { lowered: true };
    },

    bind({ tenant_id, repo_key, repo_name, host }: BindInput): { bound: boolean } {
      const name = repoKey(repo_name);
      if (name === repo_key || find({ tenant_id, repo_key }) !== null) return { bound: false };
      if (bindRow.run(repo_key, tenant_id, name, host).changes === 0) return { bound: false };
      bindPushes.run(repo_key, tenant_id, name);
      bindFallen.run(repo_key, tenant_id, name);
      return { bound: true };
    },
  };
}

/** Notes what was taken back, in the transaction that takes it back. */
export function createFallenWriter(database: Connection): (fallen: Fallen) => void {
  const add = database.prepare(PUSH_QUERIES.addFallen);
  return ({ tenant_id, id, repo_key, sha, is_rejected, at_ms }) => {
    add.run(tenant_id, id, repo_key, sha, is_rejected ? 1 : 0, at_ms);
  };
}
