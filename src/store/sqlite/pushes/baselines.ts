import type { AuditEvent } from '../../../model/audit.ts';
import type { AdoptInput, Baseline, Repository } from '../../contract/pushes.ts';
import { repoKey } from '../../repo-key.ts';
import type { Connection } from '../database.ts';
import { PUSH_QUERIES } from './queries.ts';

interface BaselineRow {
  host: string;
  sha: string | null;
  adopted_at: string;
  heads: string;
}

/** Finds the baseline of a repository. */
export function createBaselineFinder(database: Connection): (repo: Repository) => Baseline | null {
  const find = database.prepare<[string, string], BaselineRow>(PUSH_QUERIES.baseline);
  return ({ tenant_id, repo_name }) => {
    const row = find.get(tenant_id, repoKey(repo_name));
    if (row === undefined) return null;
    const { host, sha, adopted_at } = row;
    return { host, sha, adopted_at, heads: JSON.parse(row.heads) as Record<string, string> };
  };
}

/** The step that keeps a baseline, within a transaction; `append` writes to the trail. */
export function createAdoptStep(
  database: Connection,
  append: (event: AuditEvent) => unknown,
): (input: AdoptInput) => { baseline: Baseline; adopted: boolean } {
  const find = createBaselineFinder(database);
  const add = database.prepare(PUSH_QUERIES.addBaseline);
  return ({ tenant_id, repo_name, baseline, event }) => {
    const known = find({ tenant_id, repo_name });
    if (known !== null) return { baseline: known, adopted: false };
    if (event !== null) append(event);
    const { host, sha, adopted_at, heads } = baseline;
    add.run(tenant_id, repoKey(repo_name), host, sha, adopted_at, JSON.stringify(heads));
    return { baseline, adopted: true };
  };
}
