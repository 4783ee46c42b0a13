import { type Node, valuesAt } from '../document.ts';
import { isEmpty, placedAt, type Resolve } from './resource.ts';

/**
 * Values of a chart of Helm, which `values.yaml` gives by default: the user of the chart may give
 * others. The values stand below the key `.Values` of one of the roots.
 */
export function chartValuesOf(roots: readonly Node[]): Resolve {
  const charts = roots.filter((root) => valuesAt(root, '.Values').length > 0);
  return (node) => {
    if (charts.length === 0 || node.kind !== 'scalar' || node.computed !== true) return node;
    if (!node.value.startsWith('.Values.')) return node;
    const path = node.value.split('.').slice(1);
    const [known] = charts.flatMap((chart) => valuesAt(chart, `.${path[0]}`, ...path.slice(1)));
    return known === undefined || isEmpty(known) ? node : placedAt(known, node, 'default');
  };
}
