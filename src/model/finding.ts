import type { Static } from 'typebox';
import { FLOW } from './limits.ts';
import { exactly, TEXT, TEXT_OR_NULL, TIME } from './schema.ts';

/** Severities, worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

const POSITIVE_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;

/** A place on the way of data from where it comes in to where it does harm. */
const FLOW_STEP = exactly({
  file: TEXT,
  // In the new file, from 1; null where it is not known. The column counts bytes.
  line: POSITIVE_OR_NULL,
  column: POSITIVE_OR_NULL,
  what: {
    type: 'string',
    maxLength: FLOW.WHAT_CHARS_MAX,
    description: 'What the data is or becomes there; quotes the change, secrets are redacted',
  },
});
export type FlowStep = Static<typeof FLOW_STEP>;

/** The fields that every finding has; `FINDING` adds optional ones. */
const PLAIN_FINDING = exactly({
  // Of the rule: `secret-...`, `risk-...`, `vuln-01` to `vuln-10`, `ast-...`, `diff-...`.
  id: { type: 'string', description: 'Rule' },
  finding_id: TEXT,
  gate: { type: 'string', enum: ['risk', 'ast', 'llm'] },
  severity: { type: 'string', enum: [...SEVERITIES] },
  message: TEXT,
  // Path in the new tree (old path for deletions); null when the finding is about the diff.
  file: TEXT_OR_NULL,
  // In the new file, from 1; the column counts bytes.
  line: POSITIVE_OR_NULL,
  end_line: POSITIVE_OR_NULL,
  column: POSITIVE_OR_NULL,
  excerpt: { type: ['string', 'null'], description: 'Secrets are redacted' },
  // Keyed HMAC of rule and match, hex. Holds no line number, so it survives moves.
  fingerprint: TEXT,
  cwe: TEXT_OR_NULL,
  fix: TEXT_OR_NULL,
  // Who or what took it out of the verdict. The finding stays visible.
  suppressed: { anyOf: [{ type: 'null' }, exactly({ by: TEXT, reason: TEXT })] },
  resolved: { anyOf: [{ type: 'null' }, exactly({ by: TEXT, at: TIME })] },
});

export const FINDING = {
  ...PLAIN_FINDING,
  properties: {
    ...PLAIN_FINDING.properties,
    title: {
      type: 'string',
      maxLength: FLOW.TITLE_CHARS_MAX,
      description: 'One line for lists; absent in findings of older versions, and of own rules',
    },
    flow: {
      type: 'array',
      minItems: 2,
      maxItems: FLOW.STEPS_MAX,
      items: FLOW_STEP,
      description: 'Source, steps, sink; absent where no data is followed',
    },
    // The author of a change may have chosen it.
    why: {
      type: 'string',
      maxLength: 400,
      description: 'Only of gate llm: text of a model, untrusted',
    },
    commit: {
      type: 'string',
      description: 'The commit of the push that has the line; absent: the result has it',
    },
    carried: {
      type: 'boolean',
      enum: [true],
      description: 'Only of gate llm: an earlier review blocked this line',
    },
  },
} as const;

/** A finding as stored and shown. */
export type Finding = Static<typeof FINDING>;
export type GateName = Finding['gate'];
export type Suppression = NonNullable<Finding['suppressed']>;

/** A finding as a gate reports it, before the RFC gives it an id. */
export type GateFinding = Omit<Finding, 'finding_id' | 'resolved'>;

/** Who says something about an RFC, as readers see it. */
export const AUTHOR = exactly({ id: TEXT, name: TEXT_OR_NULL });
export type Author = Static<typeof AUTHOR>;

const PERSON_SEVERITIES = ['medium', 'low', 'info'] as const satisfies readonly Severity[];
export const PERSON_SEVERITY = { type: 'string', enum: [...PERSON_SEVERITIES] } as const;

/**
 * A finding that a person adds: shown beside findings of the gates, of no weight in the verdict.
 */
export const PERSON_FINDING = exactly({
  finding_id: TEXT,
  severity: PERSON_SEVERITY,
  message: { type: 'string', description: 'Secrets are redacted' },
  file: TEXT_OR_NULL,
  line: POSITIVE_OR_NULL,
  by: AUTHOR,
  at: TIME,
});
export type PersonFinding = Static<typeof PERSON_FINDING>;

const PLAIN_COMMENT = exactly({
  comment_id: TEXT,
  finding_id: {
    ...TEXT,
    description:
      'Of a push that is judged again: the finding with the same fingerprint, or the fingerprint ' +
      'while no finding has it',
  },
  text: { type: 'string', description: 'Plain text; secrets are redacted' },
  by: AUTHOR,
  at: TIME,
});

export const FALSE_ALARM = {
  type: 'boolean',
  description: 'true: the finding is a false alarm; false: it is not, whatever was said before',
} as const;

/** What a person says about one finding, of a gate or a person. */
export const COMMENT = {
  ...PLAIN_COMMENT,
  properties: { ...PLAIN_COMMENT.properties, false_alarm: FALSE_ALARM },
} as const;
export type FindingComment = Static<typeof COMMENT>;

/** A person who was asked to decide; a search for `asked:me` of that person finds the RFC. */
export const DECISION_REQUEST = exactly({
  request_id: TEXT,
  asked: { type: 'string', description: 'E-mail address of a login, or id of a person' },
  by: AUTHOR,
  at: TIME,
});
export type DecisionRequested = Static<typeof DECISION_REQUEST>;

const SAID = exactly({
  findings: { type: 'array', items: PERSON_FINDING },
  comments: { type: 'array', items: COMMENT },
});

/** What people say about an RFC, in the order in which they did. */
export const DISCUSSION = {
  ...SAID,
  properties: {
    ...SAID.properties,
    requests: {
      type: 'array',
      items: DECISION_REQUEST,
      description: 'Who was asked to decide; absent: nobody',
    },
  },
  description: 'What people say; absent while nobody has said anything. It moves no verdict',
} as const;
export type Discussion = Static<typeof DISCUSSION>;

/** The comments that say last of their findings that these are false alarms. */
export function falseAlarms({ comments }: Pick<Discussion, 'comments'>): FindingComment[] {
  const last = new Map<string, FindingComment>();
  for (const comment of comments) {
    if (comment.false_alarm !== undefined) last.set(comment.finding_id, comment);
  }
  return [...last.values()].filter((comment) => comment.false_alarm === true);
}

/** Order of severities for sorting: 0 is worst. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** How much room the steps of a finding take, bytes of JSON. */
export function flowBytes({ flow }: Pick<GateFinding, 'flow'>): number {
  return flow === undefined ? 0 : Buffer.byteLength(JSON.stringify(flow));
}

/** A finding for whose steps there is no room: its message says so. */
export function withoutFlow(finding: GateFinding): GateFinding {
  const { flow: _flow, ...rest } = finding;
  return { ...rest, message: `${rest.message} There is no room to list its steps.` };
}

/** What stands for a finding where one line is shown: its title, else its message. */
export function headlineOf({ title, message }: Pick<GateFinding, 'title' | 'message'>): string {
  return title ?? message;
}

/**
 * Titles of findings that come of no rule, by their ids: unread content, and notes. Rules
 * and sinks have their own.
 */
export const TITLES: ReadonlyMap<string, string> = new Map([
  ['ast-hunks-only', 'File was checked for injection by its changed lines only'],
  ['ast-program-partial', 'Flows into other files were followed in part'],
  ['ast-unparsed', 'Code was not checked for injection'],
  ['baseline-adopted', 'Repository was seen for the first time'],
  ['binary-file', 'Binary file was not looked at'],
  ['commit-rejected', 'Commit was rejected in another RFC'],
  ['config-known', 'Resources that were weak before the change'],
  ['config-unread', 'Configuration file could not be read'],
  ['migration-altered', 'Migration that was there before is altered'],
  ['dependencies-hunks-only', 'Lockfile was compared by its changed lines only'],
  ['diff-context-unread', 'Lines around the change were not read'],
  ['diff-too-large', 'Diff is too large'],
  ['diff-unavailable', 'Diff could not be made'],
  ['diff-unreadable', 'Part of the diff could not be read'],
  ['findings-overflow', 'More findings than are listed'],
  ['gate-pending', 'Gate has not run yet'],
  ['generated-mark-added', 'Change marks files as generated'],
  ['history-unscanned', 'Commits of this push were not all searched for secrets'],
  ['llm-held', 'Models gave no valid answer to a part of the change'],
  ['llm-unlocated', 'Answer of the model has entries that are not findings'],
  ['llm-unreviewed', 'Change is larger than one review'],
  ['lockfile-unread', 'Lockfile was not read'],
  ['marker-added', 'Change adds markers that suppress findings'],
  ['marker-invalid', 'Marker suppresses nothing'],
  ['marker-used', 'Markers in the code suppress findings'],
  ['no-changes', 'Change is empty'],
  ['other-host', 'Commit lies on another host'],
  ['outside-diff', 'Content that the diff does not show'],
  ['plan-incomplete', 'Plan of Terraform is not complete'],
  ['plan-read', 'Plan of Terraform'],
  ['report-missing', 'Report that the rules require did not come'],
  ['plan-unlisted', 'Plan of Terraform has more findings than are listed'],
  ['report-unlisted', 'Report of another tool has more findings than are listed'],
  ['risk-lock-alone', 'Lockfile changes without its manifest'],
  ['risk-lock-downgrade', 'Dependency goes back to an older version'],
  ['risk-lock-foreign-source', 'Lockfile brings a package from outside a registry'],
  ['risk-lock-imitated-name', 'Name of a new package imitates a well-known package'],
  ['risk-lock-imitated-own-name', 'Name of a new package imitates a package of the repository'],
  ['risk-lock-install-script', 'New package runs a script on install'],
  ['risk-install-guard-removed', 'Setting that makes installations safer goes'],
  ['risk-lock-integrity-added', 'Lockfile accepts another checksum for the same version'],
  ['risk-lock-integrity-changed', 'Checksum of a locked package changed at the same version'],
  ['risk-lock-integrity-removed', 'Lockfile loses the checksum of a package'],
  ['risk-lock-known-install-script', 'Known install script, or a new version of one'],
  ['risk-lock-major', 'Dependencies go to another major version'],
  ['risk-lock-name-mismatch', 'Lockfile resolves a name to another package'],
  ['risk-lock-scope-source', 'New package of a scope comes from another server'],
  ['risk-lock-source-changed', 'Locked package comes from another server'],
  ['risk-lock-stale', 'Manifest changes without its lockfile'],
  ['risk-lock-unexplained', 'Lockfile has a package that nothing asks for'],
  ['risk-pin-moved', 'Another commit under the same version of an action'],
  ['risk-pin-removed', 'Action, image or module is no longer pinned'],
  ['risk-plan-deleted', 'Plan of Terraform deletes a resource'],
  ['risk-plan-replaced', 'Plan of Terraform replaces a resource'],
  ['registry-unanswered', 'Registry did not answer about new packages'],
  ['risk-registry-absent', 'Registry does not have a new version'],
  ['risk-registry-new-publisher', 'New version comes from a new maintainer'],
  ['risk-registry-published-lately', 'New version was published a short time ago'],
  ['risk-registry-withdrawn', 'New version is deprecated or yanked'],
  ['risk-undecoded', 'Encoded text was not all searched'],
  ['risk-unscanned', 'Part of the diff was not searched'],
  ['rules-empty', 'Rules in force leave out a whole list'],
  ['rules-weaker', 'Rules in force may lower vulnerabilities and private keys'],
  ['scan-crashed', 'Analysis of the change did not end'],
]);

/** The title of a finding that comes of no rule; null: its rule has one. */
export function titleOfId(id: string): string | null {
  return TITLES.get(id) ?? null;
}

/** A finding of which only these fields matter; the others say "none". */
export function plainFinding(
  fields: Pick<GateFinding, 'id' | 'gate' | 'severity' | 'message'> & Partial<GateFinding>,
): GateFinding {
  const title = titleOfId(fields.id);
  return {
    ...(title === null ? {} : { title }),
    file: null,
    line: null,
    end_line: null,
    column: null,
    excerpt: null,
    fingerprint: '',
    cwe: null,
    fix: null,
    suppressed: null,
    ...fields,
  };
}

/** Whether a finding counts against its gate. */
export function isBlocking(
  { severity, suppressed }: Pick<GateFinding, 'severity' | 'suppressed'>,
  { block_severities }: { readonly block_severities: readonly Severity[] },
): boolean {
  return suppressed === null && block_severities.includes(severity);
}

/** The line of a finding in the result of the change; null where it has no line there. */
export function lineInResult({
  line,
  commit,
}: Pick<GateFinding, 'line' | 'commit'>): number | null {
  return commit === undefined ? line : null;
}

/** Whether an id names a grave vulnerability (spec: `vuln-01` to `vuln-10`): nothing lowers it. */
export function isVulnerability(id: string): boolean {
  return id.startsWith('vuln-');
}

/** The families of rules about text that was read. */
const FAMILIES = /^(?:secret|risk|ast)-/;

/** Ids of these families that are about unread text. */
const UNSEEN: ReadonlySet<string> = new Set([
  'risk-unscanned',
  'risk-undecoded',
  'ast-unparsed',
  'ast-hunks-only',
  'ast-program-partial',
]);

/**
 * Whether anything may suppress findings of this id: never the vulnerabilities `vuln-01` to
 * `vuln-10`, and never a finding about content that was not looked at (`diff-unreadable`,
 * `binary-file`, `scan-crashed`, ...), as its suppression would accept unread content.
 */
export function isSuppressible(id: string): boolean {
  return FAMILIES.test(id) && !UNSEEN.has(id);
}

/**
 * Whether a finding says that a part of the change was not looked at, and nobody knows of which
 * file. What a person rejected was looked at.
 */
export function hidesContent({ id, file, severity }: GateFinding): boolean {
  return file === null && severity !== 'info' && id !== 'commit-rejected' && !isSuppressible(id);
}

/** Rules about code that is fetched and run, gives others a shell, or works for them. */
const REMOTE_CODE: ReadonlySet<string> = new Set([
  'risk-environment-sent',
  'risk-fetch-and-run',
  'risk-generate-fetch-and-run',
  'risk-install-download',
  'risk-miner',
  'risk-pipe-to-shell',
  'risk-reverse-shell',
  'risk-run-decoded',
  'risk-submodule-command',
  'risk-workflow-secret-sent',
]);

const PRIVATE_KEY = /^secret-(?:.*-)?(?:private-key|jwk)$/;

/** Rules for secrets of no certain kind: what they find may be a sample. */
const GENERIC_SECRET =
  /^secret-(?:password|assignment|key-literal|config-(?:password|value)|markup-value|connection-(?:string|settings)|url-(?:password|parameter)|(?:bearer|basic)-header|command-password|netrc|pgpass|npmrc|pypirc|docker-auth|htpasswd|kubernetes-secret|terraform-default|jwt|jwe)$/;

/**
 * Whether a comment in the code may lower a finding that is suppressible: no private key, no key
 * of a provider (a secret of a certain kind that is high or critical), no remote code.
 */
export function isMarkable({ id, severity }: Pick<GateFinding, 'id' | 'severity'>): boolean {
  if (severity === 'critical' || REMOTE_CODE.has(id) || PRIVATE_KEY.test(id)) return false;
  return !(severity === 'high' && id.startsWith('secret-') && !GENERIC_SECRET.test(id));
}

/** Rules for what looks like a secret by its name or its surroundings alone. */
const GENERIC_KIND =
  /^secret-(?:scheme-value|basic-value|cookie|pair|inline-value|vendor-uuid|word-password|word-setting|list|markup-lines)$|^secret-(?:.*-)?generic-/;

/** The name of all of these in `severities` of the rules. */
export const GENERIC_SECRETS = 'secret-generic-*';

/** Whether a rule is for secrets of no certain kind. */
export function isGenericSecret(id: string): boolean {
  return GENERIC_SECRET.test(id) || GENERIC_KIND.test(id);
}

/**
 * Whether the rules may give a finding a lesser severity than its own: no vulnerability, private
 * key or key of a provider, no remote code, and not what was not looked at.
 */
export function mayLowerSeverity({ id, severity }: Pick<GateFinding, 'id' | 'severity'>): boolean {
  if (id.startsWith('llm-')) return true;
  if (!isSuppressible(id) || isGraveRule(id) || REMOTE_CODE.has(id)) return false;
  const isGrave = severityRank(severity) <= severityRank('high');
  return !(isGrave && id.startsWith('secret-') && !isGenericSecret(id));
}

/** Whether no mode lowers findings of this id unless the rules say `allow_weaker`. */
export function isGraveRule(id: string): boolean {
  return isVulnerability(id) || PRIVATE_KEY.test(id);
}

/**
 * Whether a decision may accept this finding for its repository: it still counts, has a
 * fingerprint, and is not about the diff as a whole.
 */
export function isAcceptable({ id, file, fingerprint, suppressed }: GateFinding): boolean {
  const isOpen = suppressed === null && file !== null && fingerprint !== '';
  return isOpen && (isSuppressible(id) || id.startsWith('llm-'));
}

/** Ids of findings that are not critical, by the id of the critical ones of their class. */
const LESSER_IDS: Readonly<Record<string, string>> = {
  'vuln-01': 'ast-command',
  'vuln-02': 'ast-code',
  'vuln-03': 'ast-sql',
  'vuln-04': 'ast-xss',
  'vuln-05': 'ast-path',
  'vuln-06': 'ast-ssrf',
  'vuln-07': 'ast-deserialise',
  'vuln-08': 'ast-prototype',
  'vuln-09': 'ast-crypto',
  'vuln-10': 'ast-token',
};

/** Where a class holds two kinds of mistakes, the second one by its CWE. */
const LESSER_IDS_BY_CWE: Readonly<Record<string, string>> = {
  'CWE-943': 'ast-nosql',
  'CWE-611': 'ast-xxe',
};

/** The id of a vulnerability that turned out to be less than critical. */
export function lesserId({ id, cwe }: { id: string; cwe: string }): string {
  if (!id.startsWith('vuln-')) return id;
  return LESSER_IDS_BY_CWE[cwe] ?? LESSER_IDS[id] ?? id;
}
