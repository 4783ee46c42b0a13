import { createHmac } from 'node:crypto';
import { type GateFinding, plainFinding, type Severity } from '../../model/finding.ts';
import { isLesserPath } from '../coverage/paths.ts';
import type { Fact, FactKind } from './compare.ts';

/** What a fact about a package means. Titles stand in `TITLES` of model/finding. */
interface Meaning {
  id: string;
  severity: Severity;
  message: string;
  fix: string;
  cwe: string;
}

const REWRITE = 'Have the package manager write the lockfile from the manifest again, and compare.';

/**
 * Sources: docs.npmjs.com/cli/v11/configuring-npm/package-lock-json, w3.org/TR/sri-2,
 * owasp.org/www-project-top-10-ci-cd-security-risks (CICD-SEC-3), and for imitated names
 * slsa.dev/spec/v1.1/threats.
 */
const MEANINGS: Readonly<Record<FactKind, Meaning>> = {
  'integrity-changed': {
    id: 'risk-lock-integrity-changed',
    severity: 'critical',
    message: 'A published version never changes: another archive is installed under its name.',
    fix: 'Find out which archive the registry has of this version. Install it from an empty cache.',
    cwe: 'CWE-494',
  },
  'integrity-added': {
    id: 'risk-lock-integrity-added',
    severity: 'high',
    message: 'One more archive is accepted as this version.',
    fix: 'Look up the checksum in the registry.',
    cwe: 'CWE-494',
  },
  'integrity-removed': {
    id: 'risk-lock-integrity-removed',
    severity: 'high',
    message: 'An archive that somebody replaced is installed without an error.',
    fix: REWRITE,
    cwe: 'CWE-353',
  },
  'name-mismatch': {
    id: 'risk-lock-name-mismatch',
    severity: 'high',
    message: 'Another package is installed than the name says.',
    fix: REWRITE,
    cwe: 'CWE-829',
  },
  'source-changed': {
    id: 'risk-lock-source-changed',
    severity: 'high',
    message: 'Another server or owner decides what is installed.',
    fix: 'Keep the registry, or have the owner of the dependency confirm the move.',
    cwe: 'CWE-829',
  },
  'foreign-source': {
    id: 'risk-lock-foreign-source',
    severity: 'high',
    message: 'No manifest of the change names this source.',
    fix: 'Use a published version, or name the source in the manifest.',
    cwe: 'CWE-829',
  },
  'install-script': {
    id: 'risk-lock-install-script',
    severity: 'high',
    message: 'Its install script runs on every machine that installs the packages.',
    fix: 'Read the script. Then install with scripts off (npm: ignore-scripts), or accept it.',
    cwe: 'CWE-829',
  },
  'known-install-script': {
    id: 'risk-lock-known-install-script',
    severity: 'low',
    message: 'It runs a script when it is installed, as it always has.',
    fix: 'Install with scripts off where the package works without.',
    cwe: 'CWE-829',
  },
  'imitated-name': {
    id: 'risk-lock-imitated-name',
    severity: 'high',
    message: 'Attackers publish packages under names that are easily mistyped.',
    fix: 'Check the name in the registry: its age, its repository and its owners.',
    cwe: 'CWE-1357',
  },
  'imitated-own-name': {
    id: 'risk-lock-imitated-own-name',
    severity: 'high',
    message: 'Attackers publish packages under the names of packages that only one firm has.',
    fix: 'Name the own package and its registry, or check who published this one.',
    cwe: 'CWE-427',
  },
  'scope-source': {
    id: 'risk-lock-scope-source',
    severity: 'high',
    message: 'The owner of the scope on the other server decides what is installed.',
    fix: 'Bind the scope to its registry (npm: @scope:registry in .npmrc), and install again.',
    cwe: 'CWE-427',
  },
  unexplained: {
    id: 'risk-lock-unexplained',
    severity: 'medium',
    message: 'A package manager writes only what a manifest or another package asks for.',
    fix: REWRITE,
    cwe: 'CWE-829',
  },
  'pin-removed': {
    id: 'risk-pin-removed',
    severity: 'medium',
    message: 'A tag can be moved to other code, which then runs here.',
    fix: 'Name it by the full SHA of a commit, or by the digest of the image.',
    cwe: 'CWE-829',
  },
  'pin-moved': {
    id: 'risk-pin-moved',
    severity: 'high',
    message: 'A version is one commit: another one is a fork, or the tag was moved.',
    fix: 'Look up which commit the tag has in the repository of the action.',
    cwe: 'CWE-829',
  },
  'guard-removed': {
    id: 'risk-install-guard-removed',
    severity: 'medium',
    message: 'From now on installations run or take what they refused.',
    fix: 'Keep the setting, and name the packages that need an exception.',
    cwe: 'CWE-693',
  },
  major: {
    id: 'risk-lock-major',
    severity: 'info',
    message: 'Such a version may behave otherwise.',
    fix: 'Read what its notes say of it.',
    cwe: 'CWE-1395',
  },
  'published-lately': {
    id: 'risk-registry-published-lately',
    severity: 'high',
    message: 'Most attacks by a package are noticed within days.',
    fix: 'Wait, or have a person look at the version and accept it.',
    cwe: 'CWE-829',
  },
  withdrawn: {
    id: 'risk-registry-withdrawn',
    severity: 'medium',
    message: 'Its owners say that it should not be used.',
    fix: 'Take another version.',
    cwe: 'CWE-1104',
  },
  'new-publisher': {
    id: 'risk-registry-new-publisher',
    severity: 'medium',
    message: 'An account that was added lately may be that of an attacker.',
    fix: 'Look whether the project names this person.',
    cwe: 'CWE-829',
  },
  'not-in-registry': {
    id: 'risk-registry-absent',
    severity: 'medium',
    message: 'It is installed from elsewhere, or its owners removed it.',
    fix: REWRITE,
    cwe: 'CWE-829',
  },
  alone: {
    id: 'risk-lock-alone',
    severity: 'info',
    message: 'No person asked for these versions, or the change that does came before.',
    fix: 'Say in the commit why the lockfile is written again.',
    cwe: 'CWE-1357',
  },
  stale: {
    id: 'risk-lock-stale',
    severity: 'low',
    message: 'An installation takes versions that no lockfile of this change names, or fails.',
    fix: 'Have the package manager write the lockfile, and commit it.',
    cwe: 'CWE-1357',
  },
  downgrade: {
    id: 'risk-lock-downgrade',
    severity: 'low',
    message: 'Weaknesses that a later version closed may be open again.',
    fix: 'Say in the commit why the older version is needed.',
    cwe: 'CWE-1395',
  },
};

/** How grave a fact is outside of tests and examples. */
export function factSeverity({ kind, isLesser }: Fact): Severity {
  return lesser(MEANINGS[kind].severity, isLesser);
}

/** Of facts, the finding. Its fingerprint is made of package and version, not of the place. */
export function findingOf(fact: Fact, place: FactPlace): GateFinding {
  const { id, severity, message, fix, cwe } = MEANINGS[fact.kind];
  const { path, line, excerpt, fingerprintKey } = place;
  return plainFinding({
    id,
    gate: 'risk',
    severity: lesser(severity, fact.isLesser || isLesserPath(path)),
    message: `${fact.detail} ${message}`,
    file: path,
    line,
    end_line: line,
    column: line === null ? null : 1,
    excerpt,
    fingerprint: fingerprint(fingerprintKey, id, subjectOf(fact)),
    cwe,
    fix,
  });
}

function subjectOf({ name, version, origin }: Fact): string {
  return `${name}@${version}${origin === undefined ? '' : `\0${origin}`}`;
}

/** Where a finding stands. */
export interface FactPlace {
  path: string;
  line: number | null;
  excerpt: string | null;
  fingerprintKey: Uint8Array;
}

/** A lockfile of a posted diff: there is no repository to read it from. */
export function comparedByHunks(path: string, key: Uint8Array): GateFinding {
  const id = 'dependencies-hunks-only';
  return plainFinding({
    id,
    gate: 'risk',
    severity: 'info',
    message: 'The packages of this lockfile were compared as far as the diff shows them.',
    file: path,
    fingerprint: fingerprint(key, id, path),
    fix: 'Push it to a connected repository, or run cra analyze in one, to have it compared whole.',
  });
}

/** Packages about which a registry said nothing. */
export function registryUnanswered(
  path: string,
  reason: string,
  severity: Severity,
  key: Uint8Array,
): GateFinding {
  const id = 'registry-unanswered';
  return plainFinding({
    id,
    gate: 'risk',
    severity,
    message: `New packages were not all looked up: ${reason}`,
    file: path,
    fingerprint: fingerprint(key, id, path),
    fix: 'Try again when the registry answers.',
  });
}

/** A lockfile or manifest, or a part of it, that was not compared. */
export function unreadLockfile(
  path: string,
  reason: string,
  severity: Severity,
  key: Uint8Array,
): GateFinding {
  return plainFinding({
    id: 'lockfile-unread',
    gate: 'risk',
    severity: lesser(severity, isLesserPath(path)),
    message: `The packages of this file were not all compared: ${reason}`,
    file: path,
    fingerprint: fingerprint(key, 'lockfile-unread', `${path}\0${reason}`),
    fix: 'Have the package manager write the lockfile, or have a person look at it and override.',
  });
}

/** Lockfiles of examples and tests install nothing for others. */
function lesser(severity: Severity, isLesser: boolean): Severity {
  const isGrave = severity === 'critical' || severity === 'high';
  return isGrave && isLesser ? 'medium' : severity;
}

function fingerprint(key: Uint8Array, id: string, text: string): string {
  return createHmac('sha256', key).update(`${id}\0${text}`).digest('hex');
}
