import { CHANGE_MARK, type Pattern, type ResourceKind } from '../../model/rules.ts';
import { changedResources } from './changed-resources.ts';
import { DocumentRules } from './document-rules.ts';
import type { ResourceFile } from './kinds.ts';
import { resourcesOf } from './resources/resources.ts';
import { declaredIn } from './weak-resources.ts';
import { loadYaml, type ReadYaml } from './yaml.ts';

/** What documents of a kind stand in. */
function fileOf(kind: ResourceKind): ResourceFile {
  return kind === 'cloudformation' || kind === 'kubernetes' ? 'data' : kind;
}

/**
 * Runs the examples of rules on documents as whole files. Gives what is wrong, as sentences that
 * name the rule and the number of the example.
 */
export async function tryDocumentRules(patterns: readonly Pattern[]): Promise<string[]> {
  const own = patterns.filter(({ document }) => document !== undefined);
  if (own.length === 0) return [];
  const readYaml = await loadYaml();
  return own.flatMap((pattern) => {
    const { id, document, examples } = pattern;
    if (document === undefined) return [];
    const rules = new DocumentRules([{ pattern }]);
    const path = examples.path ?? '';
    const look = (text: string): boolean | string => {
      const { kind } = document;
      if (document.change !== undefined) return lookAtChange(rules, kind, path, text, readYaml);
      const { roots, problem } = declaredIn(fileOf(kind), path, text, readYaml);
      const resources = resourcesOf(kind, roots);
      if (resources.all.length === 0) return problem ?? `no resource of ${kind}`;
      return rules.look(kind, resources, false).length > 0;
    };
    const problems = [
      ...examples.match.map((text, at) => problemOf(look(text), true, `examples.match[${at}]`)),
      ...examples.noMatch.map((text, at) =>
        problemOf(look(text), false, `examples.noMatch[${at}]`),
      ),
    ].filter((one) => one !== null);
    if (examples.match.length === 0) problems.push('has no example that it must match');
    if (examples.noMatch.length === 0) problems.push('has no example that it must not match');
    return problems.map((problem) => `rule ${id} ${problem}`);
  });
}

function lookAtChange(
  rules: DocumentRules,
  kind: ResourceKind,
  path: string,
  example: string,
  readYaml: ReadYaml,
): boolean | string {
  const [before, after, ...more] = example.split(CHANGE_MARK).map((text) => {
    return declaredIn(fileOf(kind), path, text, readYaml);
  });
  if (before === undefined || after === undefined || more.length > 0) {
    return 'it needs the texts before and after the change, with one line => between';
  }
  const problem = before.problem ?? after.problem;
  if (problem !== null) return problem;
  const part = { module: [], isPart: false, place: null };
  const file = {
    path,
    before: [{ ...part, declared: before }],
    after: [{ ...part, declared: after }],
    rest: [],
  };
  const { found, removed } = changedResources(rules, [file]);
  return found.length + removed.length > 0;
}

function problemOf(seen: boolean | string, isWanted: boolean, name: string): string | null {
  if (typeof seen === 'string') return `cannot read ${name}: ${seen}`;
  if (seen === isWanted) return null;
  return isWanted ? `misses ${name}` : `matches ${name}`;
}
