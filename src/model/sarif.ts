import { type Finding, type FlowStep, lineInResult, type Severity } from './finding.ts';
import { findingsOf, helpUrl, type Outcome } from './records.ts';
import { FOREIGN_MARKERS, OWN_MARKER } from './rules.ts';

/** Media type of a SARIF log (SARIF 2.1.0, appendix on its registration). */
export const SARIF_TYPE = 'application/sarif+json';

const SCHEMA =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

const LEVEL = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
} as const satisfies Record<Severity, string>;

/**
 * What GitHub sorts security alerts by: above 9.0 critical, 7.0 high, 4.0 medium, else low
 * (docs.github.com, "SARIF support for code scanning", `security-severity`).
 */
const SECURITY_SEVERITY = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.0',
} as const satisfies Record<Severity, string>;

/** The names of classes of gate 2; titles of their findings are about one place only. */
export const CLASSES: Readonly<Record<string, string>> = {
  'vuln-01': 'Command injection',
  'vuln-02': 'Code injection',
  'vuln-03': 'SQL or NoSQL injection',
  'vuln-04': 'Cross-site scripting',
  'vuln-05': 'Path traversal',
  'vuln-06': 'Server-side request forgery',
  'vuln-07': 'Unsafe deserialisation or XML entities',
  'vuln-08': 'Prototype pollution',
  'vuln-09': 'Broken TLS or cryptography',
  'vuln-10': 'Broken check of tokens',
  'ast-backtracking': 'Regular expression that backtracks',
  'ast-code': 'Code injection',
  'ast-command': 'Command injection',
  'ast-cookie': 'Cookie without its protections',
  'ast-cors': 'Any origin may read answers',
  'ast-crypto': 'Weak cryptography',
  'ast-deserialise': 'Unsafe deserialisation',
  'ast-header': 'Header injection',
  'ast-key': 'Hard-coded cryptographic key',
  'ast-ldap': 'LDAP injection',
  'ast-limit': 'Uncontrolled use of resources',
  'ast-log': 'Log injection',
  'ast-mass-assignment': 'Mass assignment',
  'ast-nosql': 'NoSQL injection',
  'ast-path': 'Path traversal',
  'ast-prototype': 'Prototype pollution',
  'ast-query': 'Query injection',
  'ast-random': 'Predictable secret',
  'ast-redirect': 'Open redirect',
  'ast-regex': 'Regular expression from outside',
  'ast-setting': 'Protection is switched off',
  'ast-sql': 'SQL injection',
  'ast-ssrf': 'Server-side request forgery',
  'ast-token': 'Broken check of tokens',
  'ast-trust': 'Unchecked value in a session',
  'ast-xss': 'Cross-site scripting',
  'ast-xxe': 'XML external entities',
};

/**
 * The SARIF 2.1.0 log of an analysis: one run, a rule for each id that was found, every finding as
 * a result. Suppressed ones are there with their `suppressions`; all others have an empty list, as
 * the standard asks (3.27.23). The invocation names the gates that did not run. `baseUrl` is the
 * service whose handbook the rules name; with null they name no page.
 */
export function toSarif(outcome: Outcome, baseUrl: string | null = null) {
  const findings = findingsOf(outcome);
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const own = rules.get(finding.id);
    if (own === undefined) rules.set(finding.id, [finding]);
    else own.push(finding);
  }
  const index = new Map([...rules.keys()].map((id, at) => [id, at]));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cra',
            fullName: 'Change-Risk Analysis',
            rules: [...rules].map(([id, own]) => ruleOf(id, own, baseUrl)),
          },
        },
        invocations: [invocationOf(outcome)],
        columnKind: 'unicodeCodePoints',
        results: findings.map((finding) => resultOf(finding, index.get(finding.id) ?? -1)),
        properties: propertiesOf(outcome),
      },
    ],
  };
}

function ruleOf(id: string, findings: readonly Finding[], baseUrl: string | null) {
  const [first] = findings;
  const cwes = [...new Set(findings.map(({ cwe }) => cwe).filter((cwe) => cwe !== null))];
  const severity = first?.severity ?? 'info';
  const name = CLASSES[id] ?? first?.title ?? sentence(id);
  return {
    id,
    shortDescription: { text: name },
    help: { text: first?.fix ?? 'The message of each result says what to look at.' },
    ...(baseUrl === null ? {} : { helpUri: helpUrl(baseUrl, id) }),
    defaultConfiguration: { level: levelOf(severity) },
    properties: {
      tags: ['security', familyOf(id), ...cwes.map(cweTag)],
      'security-severity': SECURITY_SEVERITY[severity] ?? SECURITY_SEVERITY.medium,
    },
  };
}

/** `risk-drop-table`: "Risk: drop table". */
function sentence(id: string): string {
  const family = familyOf(id);
  const rest = id.slice(family.length + 1).replaceAll(/[-_]/g, ' ');
  const name = family.charAt(0).toUpperCase() + family.slice(1);
  return rest === '' ? name : `${name}: ${rest}`;
}

function familyOf(id: string): string {
  return id.split('-', 1)[0] || 'finding';
}

/** `external/cwe/cwe-078`: how CodeQL's queries write it, and GitHub reads it. */
function cweTag(cwe: string): string {
  const number = /\d+/.exec(cwe)?.[0] ?? '0';
  return `external/cwe/cwe-${number.padStart(3, '0')}`;
}

/** A newer server may know more severities. */
function levelOf(severity: Severity): string {
  return LEVEL[severity] ?? 'warning';
}

function resultOf(finding: Finding, ruleIndex: number) {
  const { id, gate, severity, file, fingerprint, suppressed, cwe, fix, flow } = finding;
  return {
    ruleId: id,
    ruleIndex,
    level: levelOf(severity),
    message: { text: plainText(textOf(finding)) },
    locations: file === null ? [] : [{ physicalLocation: placeOf(file, finding) }],
    ...(flow === undefined ? {} : { codeFlows: [codeFlowOf(flow)] }),
    ...(fingerprint ? { partialFingerprints: { 'craFingerprint/v1': fingerprint } } : {}),
    suppressions: suppressed === null ? [] : [suppressionOf(suppressed)],
    properties: {
      gate,
      severity,
      finding_id: finding.finding_id,
      cwe,
      fix,
      resolved: finding.resolved,
    },
  };
}

/** Where space is short, viewers show the first sentence (3.11.3). */
function textOf({ title, message }: Finding): string {
  return title === undefined || title === message ? message : `${title}. ${message}`;
}

/** Steps have a line and no column: of theirs only bytes are known. */
function codeFlowOf(flow: readonly FlowStep[]) {
  const locations = flow.map(({ file, line, what }) => {
    const artifactLocation = artifactOf(file);
    const physicalLocation =
      line === null ? { artifactLocation } : { artifactLocation, region: { startLine: line } };
    return { location: { physicalLocation, message: { text: plainText(what) } } };
  });
  return { threadFlows: [{ locations }] };
}

/**
 * Messages quote the change, so nothing in them may be taken for a placeholder (3.11.5: braces are
 * doubled) or for a link (3.11.6: `[text](target)`).
 */
function plainText(text: string): string {
  return text.replace(/[{}]/g, '$&$&').replaceAll('](', '] (');
}

function placeOf(file: string, finding: Finding) {
  const artifactLocation = artifactOf(file);
  const { end_line: endLine, excerpt } = finding;
  const line = lineInResult(finding);
  if (line === null) return { artifactLocation };
  const region = {
    startLine: line,
    ...columnOf(finding),
    ...(endLine !== null && endLine > line ? { endLine } : {}),
    ...(excerpt === null ? {} : { snippet: { text: excerpt } }),
  };
  return { artifactLocation, region };
}

function artifactOf(file: string) {
  return { uri: uriOf(file), uriBaseId: '%SRCROOT%' };
}

/**
 * Our columns count bytes, SARIF's characters: they are the same only where what stands before is
 * ASCII, and what is known of the line is its excerpt, from its first visible character.
 */
function columnOf({ column, excerpt }: Finding): { startColumn?: number } {
  const isKnown = excerpt !== null && /^[\x20-\x7e]/.test(excerpt);
  const isPlain = isKnown && /^[\x20-\x7e\u2026]*$/.test(excerpt);
  return column !== null && isPlain ? { startColumn: column } : {};
}

/** A relative reference (RFC 3986, 4.2): no sign in a path makes it another host or scheme. */
function uriOf(path: string): string {
  const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return encoded.replace(/^\/+/, (slashes) => slashes.replaceAll('/', '%2F'));
}

const MARKER_WORDS: ReadonlySet<string> = new Set([OWN_MARKER, ...FOREIGN_MARKERS]);

function suppressionOf({ by, reason }: { by: string; reason: string }) {
  const kind = MARKER_WORDS.has(by) ? 'inSource' : 'external';
  return { kind, status: 'accepted', justification: `${by}: ${reason}` };
}

function invocationOf({ gates, overall_status: status }: Outcome) {
  const isDraft = status === 'DRAFT';
  const skipped = Object.entries(gates).filter(([, gate]) => gate.skip_reason !== null);
  const notes = skipped.map(([name, gate]) => ({
    level: 'note',
    message: { text: `gate ${name} did not run: ${gate.skip_reason}` },
  }));
  const draft = { level: 'error', message: { text: 'the analysis has not ended yet' } };
  return {
    executionSuccessful: !isDraft,
    toolExecutionNotifications: isDraft ? [draft, ...notes] : notes,
  };
}

function propertiesOf(outcome: Outcome) {
  const { rfc_id, diff_hash, overall_status, risk_score, stats } = outcome;
  const { repo_name, branch, commit_sha, rules_revision } = outcome;
  const known = { repo_name, branch, commit_sha, rules_revision };
  return { rfc_id, diff_hash, overall_status, risk_score, stats, ...known };
}
