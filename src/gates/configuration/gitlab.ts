import {
  entriesOf,
  itemsOf,
  type Node,
  type ScalarNode,
  scalarsOf,
  valuesOf,
  walk,
} from './document.ts';
import { assignmentsOf, evaluates, readsVariable } from './evaluated.ts';
import { type Observation, observe } from './observation.ts';

/** Predefined variables whose text the author of a commit or merge request chooses. */
const CHOSEN = [
  'CI_MERGE_REQUEST_TITLE',
  'CI_MERGE_REQUEST_DESCRIPTION',
  'CI_COMMIT_MESSAGE',
  'CI_COMMIT_TITLE',
  'CI_COMMIT_DESCRIPTION',
  'CI_COMMIT_AUTHOR',
  'CI_COMMIT_TAG_MESSAGE',
  'GITLAB_USER_NAME',
  'CI_COMMIT_REF_NAME',
  'CI_COMMIT_BRANCH',
  'CI_COMMIT_TAG',
  'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
  'CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME',
  'CI_BUILD_REF_NAME',
];
const SCRIPTS = /^(?:script|before_script|after_script|pre_get_sources_script)$/;

/** Checks of pipelines of GitLab. */
export function inspectGitlab(roots: readonly Node[]): Observation[] {
  const found: Observation[] = [];
  for (const root of roots) {
    const variables = chosenVariables(root);
    const seen = new Set<ScalarNode>();
    walk(root, (node) => {
      if (node.kind !== 'map') return;
      const scripts = node.entries.flatMap(({ key, value }) => (SCRIPTS.test(key) ? [value] : []));
      for (const script of scalarsOf([...scripts, ...valuesOf(node, 'run').filter(isSteps)])) {
        if (seen.has(script)) continue;
        seen.add(script);
        found.push(...injections(script, variables));
      }
      if (node === root || node.entries.some(({ key }) => key === 'trigger' || key === 'include')) {
        found.push(...remotes(valuesOf(node, 'include')));
      }
    });
  }
  return found;
}

const isSteps = (node: Node) => node.kind === 'list';

/** Predefined variables, and variables made from them. */
function chosenVariables(root: Node): ReadonlySet<string> {
  const chosen = new Set(CHOSEN);
  walk(root, (node) => {
    for (const { key, value } of entriesOf(valuesOf(node, 'variables'))) {
      for (const text of scalarsOf(value.kind === 'map' ? valuesOf(value, 'value') : [value])) {
        const named = text.value.match(/\$\{?\w+/g) ?? [];
        if (named.some((name) => chosen.has(name.replace(/^\$\{?/, '')))) chosen.add(key);
      }
    }
  });
  return chosen;
}

/** GitLab hands its variables over as such: a script is open where it makes code of one. */
function injections(node: ScalarNode, variables: ReadonlySet<string>): Observation[] {
  const names = new Set(variables);
  for (const [name, value] of assignmentsOf(node.value)) {
    const isPlain = !value.startsWith('$(') && !value.startsWith("'");
    if (isPlain && [...names].some((one) => readsVariable(value, one))) names.add(name);
  }
  return [...names].flatMap((name) => {
    const match = node.value.includes(name) ? evaluates(node.value, name) : null;
    if (match === null) return [];
    return [{ ...observe('risk-gitlab-script-injection', node, match), within: match }];
  });
}

function remotes(includes: readonly Node[]): Observation[] {
  return itemsOf(includes).flatMap((node) => {
    const named = node.kind === 'map' ? valuesOf(node, 'remote') : [node];
    return scalarsOf(named).flatMap((one) => {
      if (!/^https?:\/\//i.test(one.value)) return [];
      return [observe('risk-ci-remote-include', one, one.value)];
    });
  });
}
