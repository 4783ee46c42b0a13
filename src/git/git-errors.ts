import { CraError } from '../model/errors.ts';
import type { Address } from './address.ts';
import { secretsOf } from './environment.ts';
import { GitFailure } from './git.ts';
import { GIT } from './limits.ts';

const PROXY = 'look at HTTPS_PROXY and NO_PROXY';

/** Messages of git about a host, and their meaning for people. The first that fits counts. */
const MEANINGS: readonly (readonly [stderr: RegExp, reason: (match: RegExpExecArray) => string])[] =
  [
    [/No space left on device|Disk quota exceeded/, () => 'the disk of the mirrors is full'],
    [
      /returned error: (401|403)|Authentication failed|could not read (?:Username|Password)/,
      (match) =>
        `the host refuses access (HTTP ${match[1] ?? 401}): look at the token of this host in the settings`,
    ],
    [
      /returned error: 404|repository '[^']*' not found|does not appear to be a git repository/,
      () => 'the host has no such repository, or hides it from this token',
    ],
    [
      /returned error: (3\d\d)|redirect/,
      () => 'the host redirects to another place, which is not followed: set its final URL',
    ],
    [/returned error: (\d{3})/, (match) => `the host answered with HTTP ${match[1]}`],
    [
      /HTTP code (\d{3}) from proxy|CONNECT tunnel failed, response (\d{3})/,
      (match) =>
        `the proxy refuses to connect to the host (HTTP ${match[1] ?? match[2]}): ${PROXY}`,
    ],
    [/Could not resolve proxy/, () => `the name of the proxy cannot be resolved: ${PROXY}`],
    [/Proxy CONNECT aborted/, () => `the proxy closed the connection: ${PROXY}`],
    [/Could not resolve host/, () => 'the name of the host cannot be resolved'],
    [/[Cc]onnection refused|Failed to connect/, () => 'the host cannot be connected to'],
    [/Operation too slow|timed out|[Tt]imeout/, () => 'the host does not answer in time'],
    [
      /Problem with the SSL CA cert|error (?:setting|adding) (?:certificate|trust)/,
      () => 'the certificates that git trusts cannot be read: look at ca_file in the settings',
    ],
    [
      /[Cc]ertificate|SSL|TLS/,
      () => 'the certificate of the host is not trusted: name a private authority in ca_file',
    ],
    [/dubious ownership/, () => 'the repository belongs to another user of this machine'],
    [/transport '[^']*' not allowed/, () => 'the protocol of the URL is not allowed'],
    [/not valid: is this a git/, () => 'the host answered with something that is not git'],
    [/shallow/, () => 'the repository of the host lacks a part of its history (it is shallow)'],
    [
      /object ([0-9a-f]{40,64}): (\w+):/,
      (match) => `the host sent a malformed object (${match[2]} in ${match[1]})`,
    ],
    [
      /early EOF|hung up|unexpected disconnect|RPC failed|Recv failure|Empty reply|transfer closed/,
      () => 'the connection to the host was lost',
    ],
  ];

/** Messages of git about a damaged mirror. */
const DAMAGE =
  /bad object|bad (?:tree|config|signature|revision)|unable to (?:read|open|parse|resolve)|could not (?:read|parse|open)|corrupt|data stream error|not a (?:git repository|valid object|commit|tree)|missing (?:blob|tree|commit|object)|is empty|too small|far too short|mismatch|invalid (?:object|sha1|commit)|did not send all|broken|cannot be (?:accessed|mapped)|does not match/i;

/** Failures of the connection or of the host's objects: a new mirror would not help. */
const NO_DAMAGE =
  /early EOF|hung up|disconnect|RPC failed|Recv failure|fsck error|unable to access|No space left|returned error/;

/** Whether the mirror itself may be damaged. */
export function isDamage(failure: GitFailure): boolean {
  const own = failure.stderr.replace(/^(?:remote:|fatal: remote error:).*$/gm, '');
  return DAMAGE.test(own) && !NO_DAMAGE.test(own);
}

const NOT_OURS =
  /(?:not our ref|unadvertised object|no such remote ref|couldn't find remote ref) ([0-9a-f]{40,64})/g;

/** The commits that the host refuses to give. */
export function refusedIds(failure: GitFailure): string[] {
  return [...failure.stderr.matchAll(NOT_OURS)].map((match) => match[1] ?? '');
}

/** A failure on the way to a host, as UNAVAILABLE with a sentence that is safe. */
export function unavailable(thrown: unknown, address: Address): CraError {
  if (!(thrown instanceof GitFailure)) return CraError.fromUnknown(thrown);
  const reason = reasonOf(thrown.stderr, secretsOf(address.host));
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

/** A mirror that cannot be read, as DATA_LOSS with a sentence that is safe. */
export function unreadable(thrown: unknown): CraError {
  if (!(thrown instanceof GitFailure)) return CraError.fromUnknown(thrown);
  const reason = `the mirror cannot be read: ${ownWords(thrown.stderr, [])}`;
  return new CraError('DATA_LOSS', reason, { details: { reason } });
}

/** A sentence on why a call of a host failed: no URL, no credentials. */
export function reasonOf(stderr: string, secrets: readonly string[]): string {
  // Lines of the host itself are hostile text.
  const own = stderr.replace(/^remote:.*$/gm, '');
  for (const [pattern, reason] of MEANINGS) {
    const match = pattern.exec(own);
    if (match !== null) return reason(match);
  }
  return `git failed: ${ownWords(own, secrets)}`;
}

/** The first line has the reason, the others explain it. */
function ownWords(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines[0] ?? 'no message';
  let text = line.replace(/^(?:fatal|error): /, '');
  for (const secret of secrets) text = text.replaceAll(secret, '***');
  return text
    .replace(/\w+:\/\/[^\s'"]+/g, 'the host')
    .replace(/'?\/[^\s'"]+'?/g, 'a file')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, GIT.REASON_CHARS_MAX);
}
