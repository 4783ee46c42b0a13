import type { Document } from 'mongodb';

/** The stages and indexes of the plan that won. */
export function planOf(explained: Document): { stages: string[]; indexes: string[] } {
  const stages: string[] = [];
  const indexes: string[] = [];
  const visit = (stage: Document): void => {
    stages.push(stage['stage']);
    if (stage['stage'] === 'IDHACK') indexes.push('_id_');
    if (stage['stage'] === 'IXSCAN') indexes.push(stage['indexName']);
    const inner: Document[] = stage['inputStages'] ?? [stage['inputStage']];
    for (const input of inner) if (input !== undefined) visit(input);
  };
  const { winningPlan } = explained['queryPlanner'];
  visit(winningPlan.queryPlan ?? winningPlan);
  return { stages, indexes };
}
