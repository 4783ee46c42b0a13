import { createRedact } from '../analysis/job.ts';
import { createDeployCheck } from '../deploys/deploy-check.ts';
import { createFreezeFinder } from '../deploys/freezes.ts';
import { createDeployLedger } from '../deploys/ledger.ts';
import { createProdJudge } from '../heads/prod-check.ts';
import type { Base, Deploys, Parts } from './parts.ts';

/** Opens the ledger of deploys and the check before one; it runs nothing of its own. */
export function openDeploys({
  stores,
  scan,
  git,
  keeper,
  baseUrl,
}: Base & Pick<Parts, 'stores' | 'keeper' | 'scan' | 'git'>): Deploys {
  const { deploys, trail, events, store: records, pushes } = stores;
  const { source } = git;
  const rules = () => keeper.source.rules;
  const now = Date.now;
  const findFreezes = createFreezeFinder(rules);
  const redact = createRedact(scan);
  const recording = { deploys, trail, events, records, redact, findFreezes, now };
  const ledger = createDeployLedger(recording);
  const judging = createProdJudge({ pushes, trail, records }, rules, keeper.earlierMap);
  const range = { ...judging, source, pushes, records };
  const check = createDeployCheck({ ...range, ledger, findFreezes, now, baseUrl });
  return { ledger, findFreezes, judging, check };
}
