import type { IncomingMessage } from 'node:http';
import type { ServerAddress } from '../daemon/config/reader.ts';
import { printable } from './terminal.ts';

/**
 * Why there is no answer from the service at an address, and what to do about it: a part of a
 * sentence, safe to print. `thrown` is what `node:http` or `node:https` gave.
 */
export function whyNoAnswer(thrown: unknown, { base, socketPath }: ServerAddress): string {
  const { code, message = '' } = Object(thrown) as NodeJS.ErrnoException;
  const why = printable(code ?? message);
  const advice =
    socketPath === undefined ? overNetwork(code ?? '', message, base) : SOCKET_ADVICE[code ?? ''];
  return advice === undefined ? why : `${why}: ${advice}`;
}

const WHERE = 'in --server or CRA_BASE_URL';

/** What the errors of a Unix socket call for. */
const SOCKET_ADVICE: Readonly<Record<string, string>> = {
  ENOENT: `there is no such socket: SERVICE_SOCKET of the service names its path, ${WHERE}`,
  ECONNREFUSED: 'no service listens on the socket: is it running?',
  EACCES: 'this user may not use the socket: add it to the group that the socket belongs to',
  ENOTSOCK: `that is not a socket: SERVICE_SOCKET of the service names its path, ${WHERE}`,
};

const NETWORK_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: `nothing listens there: start it (cra serve), or name another address ${WHERE}`,
  ENOTFOUND: `the name of the host is not known: check the address ${WHERE}`,
  EAI_AGAIN: 'the name of the host could not be looked up: check the network',
  EHOSTUNREACH: `there is no way to the host: check the network and the address ${WHERE}`,
  ENETUNREACH: `there is no way to the host: check the network and the address ${WHERE}`,
  ETIMEDOUT: 'the host does not answer: check the network, and firewalls on the way',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID: `its certificate is for another name: use that name ${WHERE}`,
};

/** Codes of certificates of an authority that Node does not know. */
const UNKNOWN_AUTHORITY =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+)$/;

/**
 * A server that does not speak TLS, as OpenSSL sees it, and a server that ended before TLS began.
 */
const NO_TLS = /wrong version number|packet length too long|unknown protocol|http request/i;
const ENDED = /socket hang up|disconnected before secure TLS connection/;

function overNetwork(code: string, message: string, { protocol, host }: URL): string | undefined {
  const isTls = protocol === 'https:';
  if (UNKNOWN_AUTHORITY.test(code)) {
    return 'its certificate is of an authority that is not known here: name the file of that authority in NODE_EXTRA_CA_CERTS';
  }
  if (isTls && (code === 'EPROTO' || NO_TLS.test(message))) {
    return `what listens there does not speak https: write http://${host} ${WHERE}`;
  }
  if (code.startsWith('HPE_')) {
    const other = isTls ? 'check the address' : `if it speaks https, write https://${host}`;
    return `what listens there does not speak HTTP: ${other} ${WHERE}`;
  }
  if (code === 'ECONNRESET' || ENDED.test(message)) {
    const [own, other] = isTls ? ['https', 'http'] : ['http', 'https'];
    return `the connection ended without an answer to ${own}: if the service speaks ${other} there, write ${other}://${host} ${WHERE}`;
  }
  return NETWORK_ADVICE[code];
}

/** What a refusal is made of. */
export interface Refusal {
  status: number;
  /** Of the answer, as text; a proxy before the service answers without its envelope. */
  body: string;
  /** `Location` of a redirect; empty when absent. */
  location: string;
  /** Whether it is an envelope of the service. */
  isOurs: boolean;
}

/** The envelope of an answer; empty when something else than the service answered. */
export function parseEnvelope(bytes: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(bytes.toString('utf8'))) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Of an answer that refuses: its status, the words of the service and what to do; printable. */
export function refusalText(
  { statusCode: status = 0, headers }: IncomingMessage,
  bytes: Buffer,
  advise: (refusal: Refusal) => string,
): string {
  const { error } = parseEnvelope(bytes);
  const isOurs = typeof error === 'string';
  const body = bytes.toString('utf8');
  const advice = advise({ status, body, location: headers.location ?? '', isOurs });
  return printable(`${status}${isOurs ? `: ${error}` : ''}${advice}`);
}

/** Servers that were sent http on a port for https: nginx, Go (Caddy, Traefik), Apache. */
const HTTPS_WANTED =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|plain HTTP to an SSL-enabled/i;

/**
 * What to do about a refusal, beginning with `; `; empty where the sentence of the service says it.
 * `hasToken`: whether a token was sent.
 */
export function adviceFor(refusal: Refusal, hasToken: boolean, { base }: ServerAddress): string {
  const { status, body, location, isOurs } = refusal;
  if (!isOurs && HTTPS_WANTED.test(body)) {
    return `; it speaks https there: write https://${base.host} ${WHERE}`;
  }
  if (!isOurs && status >= 300 && status < 400) {
    const to = URL.canParse(location, base.href) ? new URL(location, base.href) : null;
    return to === null ? '' : `; it is at another address: write ${to.origin} ${WHERE}`;
  }
  if (status === 401) {
    return hasToken
      ? '; a token was sent, and the service does not know it: compare it with CRA_API_TOKEN and SERVICE_API_TOKENS of the service (here it comes from --token, CRA_API_TOKEN or CRA_API_TOKEN_FILE)'
      : '; no token was sent: set CRA_API_TOKEN or CRA_API_TOKEN_FILE to an API token of the service';
  }
  if (status === 403 && isOurs && hasToken) {
    return '; the token that was sent is known, but does not have the right';
  }
  if (!isOurs && status >= 500)
    return '; a proxy answers, which does not reach the service: is it running?';
  return isOurs ? '' : `; what answers there is not a cra service: check the address ${WHERE}`;
}
