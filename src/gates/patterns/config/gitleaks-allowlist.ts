import type { Allowlist } from '../../../model/rules.ts';
import type { TomlTable } from './toml-table.ts';

/** Receives what an allowlist does differently here: an error makes the file wrong, a note not. */
export interface AllowlistReport {
  error(message: string): void;
  note(message: string): void;
}

/**
 * An allowlist of gitleaks as ours; null when nothing of it can hold here. A diff has no commits,
 * so what is allowed for some commits only is not allowed.
 */
export function convertAllowlist(table: TomlTable, report: AllowlistReport): Allowlist | null {
  const condition = conditionOf(table.text('condition'), report);
  const regexTarget = targetOf(table.text('regexTarget'), report);
  const description = table.text('description');
  const commits = table.texts('commits');
  const paths = table.texts('paths');
  const regexes = table.texts('regexes');
  const stopwords = table.texts('stopwords').map((word) => word.toLowerCase());
  const hasTexts = paths.length + regexes.length + stopwords.length > 0;
  if (commits.length > 0) {
    report.note('allowlist commits: a diff names no commit, so these do not apply');
    if (condition === 'AND' || !hasTexts) return null;
  }
  if (!hasTexts) {
    report.error('an allowlist holds none of commits, paths, regexes, stopwords');
    return null;
  }
  return {
    ...(description === '' ? {} : { description }),
    ...(condition === 'AND' ? { condition } : {}),
    ...(paths.length === 0 ? {} : { paths }),
    ...(regexes.length === 0 ? {} : { regexes }),
    ...(regexTarget === 'secret' ? {} : { regexTarget }),
    ...(stopwords.length === 0 ? {} : { stopwords }),
  };
}

function conditionOf(text: string, report: AllowlistReport): 'OR' | 'AND' {
  switch (text.toUpperCase()) {
    case '':
    case 'OR':
    case '||':
      return 'OR';
    case 'AND':
    case '&&':
      return 'AND';
    default:
      report.error(`allowlist condition "${text}" is neither AND nor OR`);
      return 'AND';
  }
}

function targetOf(text: string, report: AllowlistReport): 'secret' | 'match' | 'line' {
  if (text === 'match' || text === 'line') return text;
  if (text !== '' && text !== 'secret') {
    report.error(`allowlist regexTarget "${text}" is none of secret, match, line`);
  }
  return 'secret';
}
