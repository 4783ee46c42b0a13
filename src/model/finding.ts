/** Severities, worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export type GateName = 'risk' | 'ast' | 'llm';

/** Who or what took a finding out of the verdict, and why. The finding stays visible. */
export interface Suppression {
  by: string;
  reason: string;
}

/** A finding as a gate reports it, before the RFC gives it an id. Every field is present. */
export interface GateFinding {
  /** Rule id: `secret-...`, `risk-...`, `vuln-01`..`vuln-10`, `ast-...`, `diff-...`. */
  id: string;
  gate: GateName;
  severity: Severity;
  message: string;
  /** Path in the new tree (old path for deletions); null when the finding is about the diff. */
  file: string | null;
  /** 1-based line in the new file; null when it is absent. */
  line: number | null;
  end_line: number | null;
  /** 1-based byte column; null when it is absent. */
  column: number | null;
  /** The text found, redacted and clipped; null when it is absent. */
  excerpt: string | null;
  /** Keyed HMAC of rule and match, hex. Holds no line number, so it survives moves. */
  fingerprint: string;
  cwe: string | null;
  fix: string | null;
  suppressed: Suppression | null;
  /**
   * Gate 3 only: what a model says of it, at most 400 plain characters. Untrusted: the author of a
   * change may have chosen it.
   */
  why?: string;
}

/** A finding as stored and shown. */
export interface Finding extends GateFinding {
  finding_id: string;
  resolved: { by: string; at: string } | null;
}

/** Order of severities for sorting: 0 is worst. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** A finding of which only these fields matter; the others say "none". */
export function plainFinding(
  fields: Pick<GateFinding, 'id' | 'gate' | 'severity' | 'message'> & Partial<GateFinding>,
): GateFinding {
  return {
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

/** Whether an id names a grave vulnerability (spec: `vuln-01` to `vuln-10`): nothing lowers it. */
export function isVulnerability(id: string): boolean {
  return id.startsWith('vuln-');
}

/** The families of rules about text that was read. */
const FAMILIES = /^(?:secret|risk|ast)-/;

/** Of these families, but about what was not looked at. */
const UNSEEN: ReadonlySet<string> = new Set(['risk-unscanned', 'risk-undecoded', 'ast-unparsed']);

/**
 * Whether anything may suppress findings of this id: never the vulnerabilities `vuln-01` to
 * `vuln-10`, and never a finding about content that was not looked at (`diff-unreadable`,
 * `binary-file`, `scan-crashed`, ...), as nobody could know what is waved through with it.
 */
export function isSuppressible(id: string): boolean {
  return FAMILIES.test(id) && !UNSEEN.has(id);
}

/** Rules about code that is fetched and run, gives others a shell, or works for them. */
const REMOTE_CODE: ReadonlySet<string> = new Set([
  'risk-environment-sent',
  'risk-install-download',
  'risk-miner',
  'risk-pipe-to-shell',
  'risk-reverse-shell',
  'risk-run-decoded',
  'risk-submodule-command',
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

/**
 * Whether a decision may accept this finding for its repository: it still counts, has a
 * fingerprint, and is not about the diff as a whole.
 */
export function isAcceptable({ id, file, fingerprint, suppressed }: GateFinding): boolean {
  const isOpen = suppressed === null && file !== null && fingerprint !== '';
  return isOpen && (isSuppressible(id) || id.startsWith('llm-'));
}
