import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Config } from '../../daemon/config/config.ts';
import { isPrivateNumber, lookupPublic, PRIVATE } from '../../events/public-address.ts';
import { HOSTS, type VcsHost } from '../../hosts/settings.ts';
import { type Check, failure, ok, skipped, warning } from './check.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600 * SECOND_MS;
const WAIT_MS = 5 * SECOND_MS;
/** Signatures of webhooks and tokens of Apps bear a minute; more than some seconds is a fault. */
const SKEW_MS_WARNING = 5 * SECOND_MS;
const SKEW_MS_MAX = HOSTS.APP_JWT_SKEW_SECONDS * SECOND_MS;
/** Certificates are renewed a month before their end as a rule: then something did not work. */
const EXPIRES_SOON_DAYS = 14;

/** An address that the service calls. */
interface Place {
  name: string;
  url: string;
  /** PEM file of its certificate authorities; absent: Node's own list. */
  caFile?: string;
  /** It is called through a proxy, and not from here. */
  isProxied: boolean;
  /** The service connects to public addresses alone. */
  isPublic?: boolean;
}

/** Certificates and clocks of all that the service calls, and the address that hosts call. */
export async function checkNetwork(config: Config): Promise<Check[]> {
  const places = placesOf(config);
  const checks = (await Promise.all(places.map(checkPlace))).flat();
  return [...checks, ...(await checkWebhooks(config))];
}

function placesOf({ vcs, auth, llm, subscriptions }: Config): Place[] {
  return [
    ...vcs.hosts.filter(isUsed).map((host) => ({
      name: `host ${host.id}`,
      url: host.apiUrl ?? host.url,
      ...(host.caFile !== undefined && { caFile: host.caFile }),
      isProxied: host.proxy !== undefined,
    })),
    ...(auth.oidc === null ? [] : [{ name: 'OIDC', url: auth.oidc.issuer, isProxied: false }]),
    ...llm.tiers.map((tier) => {
      return { name: `LLM ${tier.name}`, url: tier.baseUrl, isProxied: false };
    }),
    // The path may be a secret.
    ...subscriptions.map(({ id, url, allowPrivate }) => {
      const { origin } = new URL(url);
      return { name: `events ${id}`, url: origin, isProxied: false, isPublic: !allowPrivate };
    }),
  ].filter(({ url }) => /^https?:/.test(url));
}

/** The hosts of a service that names none in its settings have no credential. */
function isUsed({ token, app, webhookSecrets }: VcsHost): boolean {
  return token !== null || app !== undefined || webhookSecrets.length > 0;
}

async function checkPlace(place: Place): Promise<Check[]> {
  const { name, url, isProxied } = place;
  if (isProxied) return [skipped(name, `${url} is reached through a proxy`)];
  let answer: Answer;
  try {
    if (place.isPublic === true && isPrivateNumber(new URL(url))) throw new Error(PRIVATE);
    answer = await ask(url, place);
  } catch (thrown) {
    const says = `${url} does not answer: ${(thrown as Error).message}`;
    return [failure(name, says, 'check the address, the network, firewalls and proxies')];
  }
  const clock = answer.date === null ? [] : [checkClock(name, answer.date, Date.now())];
  const { certificate } = answer;
  if (certificate === null) return [ok(name, `${url} answers`), ...clock];
  return [checkCertificate(name, url, certificate, Date.now()), ...clock];
}

interface Certificate {
  endsAt: Date;
  /** Why a client refuses it; null: it does not. */
  problem: string | null;
}

/** The end of a certificate, and whether it is trusted. */
export function checkCertificate(
  name: string,
  url: string,
  { endsAt, problem }: Certificate,
  now: number,
): Check {
  const days = (endsAt.getTime() - now) / DAY_MS;
  const ends = `the certificate of ${url} ends on ${endsAt.toISOString().slice(0, 10)}`;
  if (days <= 0) return failure(name, `${ends}: it has expired`, 'renew it');
  if (problem !== null) {
    const advice =
      'name its authority: ca_file of the host, or NODE_EXTRA_CA_CERTS for the whole service';
    return failure(name, `the certificate of ${url} is not trusted here (${problem})`, advice);
  }
  return days < EXPIRES_SOON_DAYS ? warning(name, ends, 'renew it') : ok(name, ends);
}

/** This machine's clock against another one's; both as times. */
export function checkClock(name: string, theirs: Date, ours: number): Check {
  const title = `clock against ${name}`;
  const skewMs = Math.abs(ours - theirs.getTime());
  const says = `it differs by ${(skewMs / SECOND_MS).toFixed(1)} s`;
  // A Date header has whole seconds, and comes late.
  if (skewMs < SKEW_MS_WARNING) return ok(title, says);
  const advice = 'set the clock: systemctl enable --now systemd-timesyncd (or chrony), on both';
  return skewMs < SKEW_MS_MAX ? warning(title, says, advice) : failure(title, says, advice);
}

interface Answer {
  status: number;
  date: Date | null;
  /** Null: plain HTTP. */
  certificate: Certificate | null;
  body: string;
}

const ANSWER_BYTES_MAX = 64 * 1024;

/** One GET, whatever its certificate is: it carries no credential. */
function ask(
  url: string,
  { caFile, isPublic = false }: Pick<Place, 'caFile' | 'isPublic'> = {},
): Promise<Answer> {
  const send = url.startsWith('https:') ? tlsRequest : httpRequest;
  const own = {
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
    ...(isPublic ? { lookup: lookupPublic } : {}),
  };
  const signal = AbortSignal.timeout(WAIT_MS);
  return new Promise((resolve, reject) => {
    const sent = send(url, { rejectUnauthorized: false, signal, agent: false, ...own }, (reply) => {
      const { socket } = reply;
      const certificate =
        'getPeerCertificate' in socket ? certificateOf(socket as TLSSocket) : null;
      const date = new Date(reply.headers.date ?? Number.NaN);
      const isDated = !Number.isNaN(date.getTime());
      const common = { status: reply.statusCode ?? 0, date: isDated ? date : null, certificate };
      readText(reply).then((body) => resolve({ ...common, body }), reject);
    });
    sent.on('error', reject).end();
  });
}

function certificateOf(socket: TLSSocket): Certificate {
  const { valid_to } = socket.getPeerCertificate();
  const { authorized, authorizationError } = socket;
  return {
    endsAt: new Date(valid_to),
    problem: authorized ? null : String(authorizationError),
  };
}

async function readText(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/** Whether the service runs, and whether Git hosts can reach it as far as it can be seen here. */
async function checkWebhooks({ host, port, baseUrl, vcs }: Config): Promise<Check[]> {
  const own = await checkRunning(`http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`);
  const remote = vcs.hosts.filter(
    (each) => isUsed(each) && /^https?:/.test(each.url) && !isLoopback(each.url),
  );
  if (remote.length === 0) return [own];
  const name = 'webhooks';
  const advice = 'set SERVICE_BASE_URL to the address at which Git hosts reach the service';
  if (baseUrl === null || isLoopback(baseUrl)) {
    const where = baseUrl === null ? 'SERVICE_BASE_URL is not set' : `${baseUrl} is this machine`;
    return [own, warning(name, `${where}: links in statuses lead nowhere`, advice)];
  }
  const health = `${baseUrl}/api/cra/health`;
  try {
    const { status, certificate } = await ask(health);
    if (status !== 200) return [own, failure(name, `${health} answers ${status}`, advice)];
    const trust =
      certificate === null ? ok(name, `${health} answers`) : certified(baseUrl, certificate);
    return [own, trust];
  } catch (thrown) {
    const says = `${health} does not answer: ${(thrown as Error).message}`;
    return [own, failure(name, says, 'check the front (nginx, Caddy, HAProxy) and its name')];
  }
}

function certified(baseUrl: string, certificate: Certificate): Check {
  return checkCertificate('webhooks', baseUrl, certificate, Date.now());
}

function isLoopback(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

async function checkRunning(url: string): Promise<Check> {
  const name = 'service';
  try {
    const { status, body } = await ask(`${url}/api/cra/health?ready=1`);
    if (status === 200) return ok(name, `it runs at ${url} and is ready`);
    const why = /"error":"([^"\\]{1,200})"/.exec(body)?.[1] ?? `it answers ${status}`;
    const advice = 'read the log of the service, and dispatcher/status';
    return failure(name, `at ${url}: ${why}`, advice);
  } catch {
    return skipped(name, `it does not run at ${url}`);
  }
}
