import type { Severity } from '../../model/finding.ts';

/**
 * What an LLM may report. The model names a class and quotes a line; severity, message and fix are
 * ours, because a model's own severity of one and the same finding changed in 18 % of repeats
 * (snyk-labs/snyk-vulnbench, 250 runs). The finding's id is `llm-` and the class.
 */
export interface ReviewClass {
  id: string;
  /** When input of an attacker reaches it and nothing guards it; one step lower otherwise. */
  severity: Severity;
  /** One line for lists. */
  title: string;
  message: string;
  fix: string;
  cwe: string | null;
  /** The meaning, as the prompt gives it to the model. */
  meaning: string;
}

export const REVIEW_CLASSES: readonly ReviewClass[] = [
  {
    id: 'command-injection',
    severity: 'critical',
    title: 'Input from outside in a command',
    message: 'Input from outside may reach a shell or the arguments of a program.',
    fix: 'Call the program without a shell, with a fixed name and checked arguments.',
    cwe: 'CWE-78',
    meaning: 'untrusted input becomes part of a shell command or of program arguments',
  },
  {
    id: 'code-injection',
    severity: 'critical',
    title: 'Input from outside is run as code',
    message: 'Input from outside may be run as code.',
    fix: 'Do not evaluate input; map it to fixed functions.',
    cwe: 'CWE-94',
    meaning: 'untrusted input is evaluated, compiled, imported or rendered as a template',
  },
  {
    id: 'query-injection',
    severity: 'critical',
    title: 'Input from outside in a database query',
    message: 'Input from outside may change a database query.',
    fix: 'Bind values as parameters; choose names from a fixed list.',
    cwe: 'CWE-89',
    meaning: 'untrusted input becomes part of an SQL, NoSQL, LDAP or XPath query',
  },
  {
    id: 'cross-site-scripting',
    severity: 'high',
    title: 'Input from outside in a page',
    message: 'Input from outside may run as script in a browser.',
    fix: 'Escape for the place where it is put, or use an API that sets text.',
    cwe: 'CWE-79',
    meaning: 'untrusted input becomes HTML, a URL or script in a page without escaping',
  },
  {
    id: 'path-traversal',
    severity: 'high',
    title: 'Input from outside in the path of a file',
    message: 'Input from outside may name a file outside its folder.',
    fix: 'Resolve the path and compare it with the folder before use.',
    cwe: 'CWE-22',
    meaning: 'untrusted input becomes a file path, archive entry or object key',
  },
  {
    id: 'server-side-request',
    severity: 'high',
    title: 'Input from outside in the address of a request',
    message: 'Input from outside may choose where the server sends a request.',
    fix: 'Allow fixed hosts only, and check the address after resolving it.',
    cwe: 'CWE-918',
    meaning: 'untrusted input chooses host, port or scheme of an outgoing request',
  },
  {
    id: 'unsafe-deserialization',
    severity: 'critical',
    title: 'Unsafe deserialisation',
    message: 'Input from outside may be turned into objects that run code.',
    fix: 'Use a data format without types, such as JSON, and check its schema.',
    cwe: 'CWE-502',
    meaning: 'untrusted bytes are deserialized, or XML is parsed with external entities',
  },
  {
    id: 'authentication-weakened',
    severity: 'critical',
    title: 'Authentication is weakened',
    message: 'A check of who calls was removed or can be passed by.',
    fix: 'Restore the check, and test a call without a credential.',
    cwe: 'CWE-287',
    meaning: 'authentication is removed, bypassed, optional, or compares secrets wrongly',
  },
  {
    id: 'authorization-weakened',
    severity: 'critical',
    title: 'Authorisation is weakened',
    message: 'A check of what the caller may do was removed or does not cover this path.',
    fix: 'Restore the check, and test it with a caller who lacks the right.',
    cwe: 'CWE-862',
    meaning: 'a permission, ownership or tenant check is removed, missing or too late',
  },
  {
    id: 'session-or-token',
    severity: 'high',
    title: 'Unsafe session or token',
    message: 'Sessions or tokens are made, checked or kept in an unsafe way.',
    fix: 'Verify signature, issuer, audience and expiry; keep cookies HttpOnly and Secure.',
    cwe: 'CWE-384',
    meaning: 'a token or session is not verified, does not expire, or is exposed',
  },
  {
    id: 'cross-site-request',
    severity: 'high',
    title: 'Cross-site request forgery',
    message: 'A request from another site may be carried out with the rights of the user.',
    fix: 'Check Origin or a token on every request that changes something.',
    cwe: 'CWE-352',
    meaning: 'protection against cross-site requests is removed, or CORS admits any origin',
  },
  {
    id: 'cryptography',
    severity: 'high',
    title: 'Weak cryptography',
    message: 'Encryption, hashing or random numbers are used in a weak way.',
    fix: 'Use an authenticated cipher, a password hash, and a secure random source.',
    cwe: 'CWE-327',
    meaning: 'weak or misused cipher, hash, key, nonce or random source; certificate not checked',
  },
  {
    id: 'secret-exposed',
    severity: 'high',
    title: 'Secret may be exposed',
    message: 'A secret may be logged, sent or stored in the clear.',
    fix: 'Keep it in a secret store; remove it from logs and answers.',
    cwe: 'CWE-532',
    meaning: 'a credential or personal data is logged, returned, sent away or committed',
  },
  {
    id: 'backdoor',
    severity: 'critical',
    title: 'Possible backdoor',
    message: 'Code that looks like a hidden way in.',
    fix: 'Remove it, and find out how it came in.',
    cwe: 'CWE-506',
    meaning: 'hidden credential, hidden endpoint, remote control, obfuscated payload',
  },
  {
    id: 'exfiltration',
    severity: 'critical',
    title: 'Data may be sent to a foreign place',
    message: 'Data may be sent to a place that has no business with it.',
    fix: 'Remove it, and replace the secrets that it could reach.',
    cwe: 'CWE-506',
    meaning: 'environment, files, keys or user data are sent to an unrelated destination',
  },
  {
    id: 'install-script',
    severity: 'critical',
    title: 'Code runs on installation',
    message: 'Code runs while the package is installed or built.',
    fix: 'Remove the script, or have it reviewed line by line.',
    cwe: 'CWE-829',
    meaning: 'an install, build or package hook starts to run code',
  },
  {
    id: 'pipeline-execution',
    severity: 'critical',
    title: 'Pipeline may run untrusted code',
    message: 'A pipeline may run untrusted code with its secrets.',
    fix: 'Check out untrusted code only in jobs without secrets and write access.',
    cwe: 'CWE-829',
    meaning: 'CI runs untrusted input or code with secrets, or its permissions grow',
  },
  {
    id: 'dependency-swap',
    severity: 'high',
    title: 'Dependency from another place or under a similar name',
    message: 'A dependency comes from another place or under a similar name.',
    fix: 'Pin the known package by version and hash, from the known registry.',
    cwe: 'CWE-1357',
    meaning: 'a dependency is replaced, misspelled, unpinned or fetched from another source',
  },
  {
    id: 'destructive-migration',
    severity: 'high',
    title: 'Migration may destroy or lock data',
    message: 'A migration may destroy or lock data.',
    fix: 'Split it into steps that can be undone, and back up first.',
    cwe: null,
    meaning: 'a schema or data change drops, overwrites or locks data in use',
  },
  {
    id: 'race-condition',
    severity: 'medium',
    title: 'Race condition in a check',
    message: 'Two requests at once may pass a check that only one should pass.',
    fix: 'Check and change in one atomic step.',
    cwe: 'CWE-362',
    meaning: 'check and use are apart where money, rights or files are at stake',
  },
  {
    id: 'denial-of-service',
    severity: 'medium',
    title: 'Input may use up time, memory or disk',
    message: 'Input from outside may use up time, memory or disk.',
    fix: 'Bound sizes, counts and times; use linear regular expressions.',
    cwe: 'CWE-400',
    meaning: 'unbounded loop, recursion, allocation, regular expression or upload',
  },
  {
    id: 'memory-safety',
    severity: 'high',
    title: 'Memory may be accessed out of bounds',
    message: 'Memory may be read or written out of bounds, or after it was freed.',
    fix: 'Check lengths, and use types that own their memory.',
    cwe: 'CWE-119',
    meaning: 'buffer overflow, use after free, integer overflow before allocation, unsafe block',
  },
  {
    id: 'infrastructure-exposed',
    severity: 'high',
    title: 'Infrastructure becomes reachable',
    message: 'A service, port, bucket or role becomes reachable by more than it should be.',
    fix: 'Restrict it to the networks and identities that need it.',
    cwe: 'CWE-284',
    meaning: 'infrastructure code opens a network, storage, role or container privilege',
  },
  {
    id: 'safety-check-off',
    severity: 'medium',
    title: 'Safety check is switched off',
    message: 'A test, linter, signature check or alarm is switched off.',
    fix: 'Switch it on again, or say why it may stay off.',
    cwe: 'CWE-693',
    meaning: 'a security control, test or monitoring is disabled or made to pass always',
  },
  {
    id: 'reviewer-directed-text',
    severity: 'high',
    title: 'Text addresses its reviewer',
    message: 'Text in the change addresses its reviewer.',
    fix: 'Remove it.',
    cwe: 'CWE-1427',
    meaning: 'text that tries to instruct, reassure or distract a reviewer or a model',
  },
  {
    id: 'other',
    severity: 'medium',
    title: 'Another risk that a reviewer sees',
    message: 'A reviewer sees another risk in this line.',
    fix: 'Read the explanation, and check it.',
    cwe: null,
    meaning: 'a concrete security defect that no other class names',
  },
];

const BY_ID = new Map(REVIEW_CLASSES.map((each) => [each.id, each]));

/**
 * The class of this name, in whatever spelling models without a strict schema give it (case,
 * separators, marks around it, the `llm-` of rule ids); undefined: the model made it up.
 */
export function reviewClass(name: string): ReviewClass | undefined {
  const words = name
    .normalize('NFKC')
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
  const id = words.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '');
  return BY_ID.get(id.replace(/^llm-/, ''));
}
