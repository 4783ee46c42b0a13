import {
  GENERIC_SECRETS,
  isGenericSecret,
  mayLowerSeverity,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import { allPatterns, type RuleSet, type SeverityMap } from '../../model/rules.ts';
import { compilePath, type Matches, pathProblem } from './component-paths.ts';

/** What the rules file says of the severity of findings, by rule and path. */

/** Of a finding what its severity may depend on. */
interface Graded {
  id: string;
  severity: Severity;
  file: string | null;
}

/**
 * The finding with the severity that the rules give to its rule at its path. `path` is its file
 * where the finding itself names it otherwise.
 */
export type Grade = <T extends Graded>(finding: T, path?: string | null) => T;

/** One severity of the map. */
interface Entry {
  rule: string;
  /** Null: at every path, and for findings without one. */
  path: string | null;
  severity: Severity;
}

/** Compiles the map; SyntaxError for a path that cannot be compiled. */
export function compileSeverities(map: SeverityMap = {}): Grade {
  const entries = entriesOf(map).map((entry) => ({
    ...entry,
    matches: entry.path === null ? EVERYWHERE : compilePath(entry.path),
  }));
  // The first that fits is the most specific; where two are alike, the later one.
  entries.reverse().sort((one, other) => moreSpecific(one, other));
  if (entries.length === 0) return (finding) => finding;
  return (finding, path = finding.file) => {
    const { id, severity: own } = finding;
    const found = entries.find(({ rule, path: glob, matches }) => {
      return names(rule, id) && (glob === null || (path !== null && matches(path)));
    });
    if (found === undefined || found.severity === own || id.startsWith('vuln-')) return finding;
    const isLower = severityRank(found.severity) > severityRank(own);
    return isLower && !mayLowerSeverity(finding)
      ? finding
      : { ...finding, severity: found.severity };
  };
}

const EVERYWHERE: Matches = () => true;

function entriesOf(map: SeverityMap): Entry[] {
  return Object.entries(map).flatMap(([rule, value]): Entry[] => {
    if (typeof value === 'string') return [{ rule, path: null, severity: value }];
    return Object.entries(value).map(([path, severity]) => ({ rule, path, severity }));
  });
}

function moreSpecific(one: Entry, other: Entry): number {
  return pathRank(other.path) - pathRank(one.path) || ruleRank(other.rule) - ruleRank(one.rule);
}

/** The more of a path is said without wildcards, the more specific it is; a whole name most. */
function pathRank(path: string | null): number {
  if (path === null) return -1;
  if (path.startsWith('re:')) return 0;
  const isWhole = !/[*?]/.test(path);
  return isWhole ? Number.MAX_SAFE_INTEGER : path.replace(/[*?]/g, '').length;
}

function ruleRank(rule: string): number {
  return rule.endsWith('*') ? rule.length : Number.MAX_SAFE_INTEGER;
}

/** Whether a name of the map stands for the id of a rule. */
function names(rule: string, id: string): boolean {
  if (rule === GENERIC_SECRETS && isGenericSecret(id)) return true;
  return rule.endsWith('*') ? id.startsWith(rule.slice(0, -1)) : id === rule;
}

/** Problems of the map of a rule set, in sentences. */
export function severityProblems(set: RuleSet): string[] {
  const entries = entriesOf(set.severities ?? {});
  const own = new Map(allPatterns(set).map(({ id, severity }) => [id, severity]));
  return entries.flatMap(({ rule, path, severity }) => {
    const at = `severities: ${rule}`;
    const problem = path === null ? null : pathProblem(path);
    if (problem !== null) return [`${at}: ${problem}`];
    if (!/^[a-z]+-[A-Za-z0-9._-]*\*?$/.test(rule)) {
      return [`${at}: give the id of a rule, or its family and the beginning of ids with * behind`];
    }
    if (rule.startsWith('vuln-')) return [`${at}: vuln-01 to vuln-10 are always critical`];
    // Beginnings of ids, and rules without a pattern, are checked finding by finding.
    const known = own.get(rule);
    if (known === undefined || severityRank(severity) <= severityRank(known)) return [];
    if (mayLowerSeverity({ id: rule, severity: known })) return [];
    return [
      `${at}: ${severity} is less than ${known}, and nothing lowers vulnerabilities, private keys, ` +
        'keys of providers, or remote code',
    ];
  });
}

/** Rules that the map names and the set has not, in sentences: such an entry does nothing. */
export function idleSeverities(set: RuleSet): string[] {
  const ids = allPatterns(set).map(({ id, report_as }) => report_as ?? id);
  const rules = Object.keys(set.severities ?? {}).filter((rule) => {
    return /^(?:secret|risk)-/.test(rule) && !ids.some((id) => names(rule, id));
  });
  return rules.map((rule) => `severities names ${rule}, and there is no such rule`);
}
