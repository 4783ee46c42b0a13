import { compileComponents, componentProblems } from '../gates/patterns/component-paths.ts';
import type { AnalyzeRequest } from '../model/change.ts';
import { type Component, componentMap, isOfBranch } from '../model/components.ts';
import { CraError } from '../model/errors.ts';
import { RULES } from '../model/limits.ts';
import { RULES_FILE, type RuleSet, refusedModes } from '../model/rules.ts';
import { createProblemFinder, requireUniqueNames } from '../model/validate.ts';
import { MAP_PATH, type OwnMap } from './change.ts';
import { CLI, printable } from './terminal.ts';

const MAP = {
  type: 'object',
  required: ['components'],
  additionalProperties: false,
  properties: { components: RULES_FILE.properties.components },
} as const;

/** Reads `{"components": [...]}`. Throws INVALID_ARGUMENT that names every problem. */
function parseOwnMap({ text, place }: OwnMap, rules: RuleSet): readonly Component[] {
  const refuse = (problems: string) => new CraError('INVALID_ARGUMENT', `${place}: ${problems}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw refuse(printable((thrown as Error).message.split('\n', 1)[0] ?? ''));
  }
  requireUniqueNames(text, value, place);
  const wrong = createProblemFinder(MAP, 'map')(value);
  const fields = wrong.map(({ field, problem }) => `${field}: ${problem}`);
  const { components = [] } = fields.length > 0 ? {} : (value as Pick<RuleSet, 'components'>);
  const [grave] = refusedModes({ ...rules, components });
  const modes = grave === undefined ? [] : [`modes lower ${grave}, which blocks`];
  const problems = [...fields, ...componentProblems(components), ...modes];
  if (problems.length > 0) {
    throw refuse(problems.slice(0, RULES.PROBLEMS_SHOWN_MAX).map(printable).join('; '));
  }
  return components;
}

/**
 * The rules that a change is judged by: their own components where they name any for its
 * repository, else the components of its map. They keep their revision: its patterns are the same,
 * and its keywords are prepared for them.
 */
export function withOwnMap<T extends { rules: RuleSet }>(
  source: T,
  repoName: string,
  map: OwnMap | null,
): T {
  if (map === null || componentMap(source.rules, repoName) !== null) return source;
  return { ...source, rules: { ...source.rules, components: parseOwnMap(map, source.rules) } };
}

/** One component of a change, as `--component` asks for it. */
export interface RequestedComponent {
  id: string;
  /** Whether a file counts for it; null: what belongs to the change as a whole does. */
  owns(file: string | null): boolean;
}

/**
 * The component of a repository that was asked for. Throws FAILED_PRECONDITION where the map
 * does not name it, and where it is not judged on the branch: nobody would have judged it.
 */
export function findComponent(
  rules: RuleSet,
  id: string,
  { repo_name: repoName, branch }: Pick<AnalyzeRequest, 'repo_name' | 'branch'>,
): RequestedComponent {
  const { components = [] } = componentMap(rules, repoName) ?? {};
  const found = components.find((one) => one.id === id);
  if (found !== undefined) {
    if (!isOfBranch(found, branch)) {
      const message = `--component: ${id} is judged on other branches than ${branch} (--branch says which one it is)`;
      throw new CraError('FAILED_PRECONDITION', printable(message));
    }
    const paths = compileComponents(components);
    return { id, owns: (file) => file === null || paths.ownersOf(file).has(id) };
  }
  const known = components.slice(0, CLI.LISTED_MAX).map((one) => one.id);
  const more =
    components.length > known.length ? ` and ${components.length - known.length} more` : '';
  const why =
    components.length === 0
      ? `no components of ${repoName} are known: ${MAP_PATH} is not there where the change begins, and SERVICE_RULES_PATH names no rules with components of it; --repo-name says which repository it is (docs/how-to/monorepo.md)`
      : `there is no component ${id} of ${repoName}: ${known.join(', ')}${more}`;
  throw new CraError('FAILED_PRECONDITION', printable(`--component: ${why}`));
}
