import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { readClientSettings, readServer, type ServerAddress } from '../daemon/config/reader.ts';
import { CraError } from '../model/errors.ts';
import { adviceFor, parseEnvelope, type Refusal, refusalText, whyNoAnswer } from './no-answer.ts';
import { CLI, onInterrupt, printable, readAll } from './terminal.ts';

/** What a service answered, refusals included. */
export interface ServiceReply {
  status: number;
  /** `data` of the envelope; null when the request failed. */
  data: unknown;
  /** Why there is no data, safe to print; null when there is. */
  error: string | null;
  /** Continues a list; null: it is not one, or this is its last page. */
  nextCursor: string | null;
  /** How often the request was sent again because of 503. */
  retries: number;
  /** From sending the request that was answered to the end of its answer. */
  latencyMs: number;
}

/** A running service. Every call throws UNAVAILABLE when no answer comes. */
export interface ServiceClient {
  /** Posts the JSON body of `analyze`. A 503 is tried again when the service says. */
  analyze(body: Buffer, signal: AbortSignal): Promise<ServiceReply>;
  /** Posts a plan of Terraform for an RFC; the answer is that of `analyze`. */
  addPlan(rfcId: string, plan: Buffer, signal: AbortSignal): Promise<ServiceReply>;
  /** The same with the SARIF report of another tool. */
  addReport(rfcId: string, report: Buffer, signal: AbortSignal): Promise<ServiceReply>;
  /** Sends such a report about a commit. */
  addCommitReport(
    query: URLSearchParams,
    report: Buffer,
    signal: AbortSignal,
  ): Promise<ServiceReply>;
  /** Reads an RFC; with `waitSeconds` a DRAFT is answered when it is final or the time is over. */
  rfc(rfcId: string, waitSeconds: number, signal: AbortSignal): Promise<ServiceReply>;
  /** A page of `GET exceptions`. */
  exceptions(query: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
  /** Tries a rules file on the newest `limit` RFCs; null: the number that the service takes. */
  tryRules(body: Buffer, limit: number | null, signal: AbortSignal): Promise<ServiceReply>;
  /** `GET coverage`. */
  coverage(signal: AbortSignal): Promise<ServiceReply>;
  /** Posts a report of a deploy. */
  reportDeploy(report: Buffer, signal: AbortSignal): Promise<ServiceReply>;
  /** `GET prod-check` of a repository. */
  prodCheck(repo: string, query: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
  /** `GET score`. */
  score(signal: AbortSignal): Promise<ServiceReply>;
  /** A page of `GET rfcs`. */
  rfcs(query: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
  /** A bundle of evidence, whose text is `data`; the path is behind `api/cra/`. */
  evidence(path: string, signal: AbortSignal): Promise<ServiceReply>;
  health(signal: AbortSignal): Promise<ServiceReply>;
  close(): void;
}

interface ServiceClientOptions {
  baseUrl: string;
  /** Empty when absent. */
  token: string;
  /** Connections that are kept open. */
  connections: number;
}

/**
 * Runs a command with a client of the service that its options name, else the settings, until the
 * command ends or the user interrupts it.
 */
export async function withService<Result>(
  { server, token }: { server?: string; token?: string },
  run: (client: ServiceClient, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const settings = readClientSettings();
  const client = createServiceClient({
    baseUrl: server ?? settings.baseUrl,
    token: token ?? settings.token,
    connections: 1,
  });
  const { signal, release } = onInterrupt();
  try {
    return await run(client, signal);
  } finally {
    release();
    client.close();
  }
}

/** What the service answered. Throws FAILED_PRECONDITION with its words where it refused. */
export function dataOf({ data, error }: ServiceReply): unknown {
  if (error !== null) throw new CraError('FAILED_PRECONDITION', `the service says ${error}`);
  return data;
}

/** Creates the client of a service. Throws INVALID_ARGUMENT for an invalid address. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const address = readServer(options.baseUrl);
  const { base, socketPath } = address;
  const isTls = base.protocol === 'https:';
  const agent = new (isTls ? TlsAgent : Agent)({
    keepAlive: true,
    maxSockets: options.connections,
  });
  const authorization = options.token === '' ? {} : { authorization: `Bearer ${options.token}` };

  function send(path: string, body: Buffer | null, signal: AbortSignal): ClientRequest {
    const sent = (isTls ? tlsRequest : httpRequest)(new URL(path, base), {
      agent,
      ...(socketPath !== undefined && { socketPath }),
      method: body === null ? 'GET' : 'POST',
      headers: {
        ...authorization,
        ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      },
      signal,
    });
    return sent.end(body ?? undefined);
  }

  /** One request and its reply; sent again at once when the connection had died in the pool. */
  async function once(path: string, body: Buffer | null, signal: AbortSignal): Promise<RawReply> {
    for (;;) {
      const sent = send(path, body, signal);
      const late = setTimeout(() => sent.destroy(new Error(TIMEOUT)), CLI.HTTP_TIMEOUT_MS);
      let message: IncomingMessage | null = null;
      try {
        message = await replyTo(sent);
        return { message, bytes: await readAll(message, CLI.REPLY_BYTES_MAX, 'the reply') };
      } catch (thrown) {
        if (message !== null || !isStale(sent, thrown)) throw unreachable(address, thrown, signal);
      } finally {
        clearTimeout(late);
      }
    }
  }

  /**
   * Sends a request again while the service answers 503, as it says. undici's RetryAgent is not
   * used: to load undici takes 90 ms of CPU more than `node:http` in each command, and its agent
   * keeps the last refusal and the number of retries to itself.
   */
  async function call(
    path: string,
    body: Buffer | null,
    signal: AbortSignal,
    isBare = false,
  ): Promise<ServiceReply> {
    for (let retries = 0; ; retries += 1) {
      const start = performance.now();
      const { message, bytes } = await once(path, body, signal);
      const status = message.statusCode ?? 0;
      if (status === 503 && retries < CLI.RETRIES_MAX) {
        await pauseFor(retryAfterMs(message), signal);
        continue;
      }
      return {
        status,
        ...(isBare && status === 200
          ? { data: bytes.toString(), error: null, nextCursor: null }
          : readEnvelope(message, bytes, (refusal) =>
              adviceFor(refusal, options.token !== '', address),
            )),
        retries,
        latencyMs: performance.now() - start,
      };
    }
  }

  return {
    analyze: (body, signal) => call('api/cra/analyze', body, signal),
    addPlan: (rfcId, plan, signal) =>
      call(`api/cra/rfc/${encodeURIComponent(rfcId)}/terraform-plan`, plan, signal),
    addReport: (rfcId, report, signal) =>
      call(`api/cra/rfc/${encodeURIComponent(rfcId)}/reports`, report, signal),
    addCommitReport: (query, report, signal) => call(`api/cra/reports?${query}`, report, signal),
    rfc(rfcId, waitSeconds, signal) {
      const wait = waitSeconds > 0 ? `?wait=${waitSeconds}` : '';
      return call(`api/cra/rfc/${encodeURIComponent(rfcId)}${wait}`, null, signal);
    },
    coverage: (signal) => call('api/cra/coverage', null, signal),
    exceptions: (query, signal) => call(`api/cra/exceptions?${query}`, null, signal),
    tryRules(body, limit, signal) {
      const query = limit === null ? '' : `?limit=${limit}`;
      return call(`api/cra/rules/dry-run${query}`, body, signal);
    },
    reportDeploy: (report, signal) => call('api/cra/deploys', report, signal),
    prodCheck: (repo, query, signal) =>
      call(`api/cra/prod-check/${encodeURIComponent(repo)}?${query}`, null, signal),
    score: (signal) => call('api/cra/score', null, signal),
    rfcs: (query, signal) => call(`api/cra/rfcs?${query}`, null, signal),
    evidence: (path, signal) => call(`api/cra/${path}`, null, signal, true),
    health: (signal) => call('api/cra/health', null, signal),
    close: () => agent.destroy(),
  };
}

interface RawReply {
  message: IncomingMessage;
  bytes: Buffer;
}

const TIMEOUT = `no answer in ${CLI.HTTP_TIMEOUT_MS} ms`;

function replyTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
  });
}

/** A server may close a kept connection just when it is used again: nothing was read by then. */
function isStale(sent: ClientRequest, thrown: unknown): boolean {
  return sent.reusedSocket && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
}

function unreachable(address: ServerAddress, thrown: unknown, signal: AbortSignal): CraError {
  if (thrown instanceof CraError) return thrown;
  if (signal.aborted) return new CraError('CANCELLED', 'interrupted', { cause: thrown });
  const { code, message: text } = thrown as NodeJS.ErrnoException;
  const why = printable(code ?? text);
  const message = `the service at ${address.shown} does not answer: ${whyNoAnswer(thrown, address)}`;
  return new CraError('UNAVAILABLE', message, { details: { why }, cause: thrown });
}

/** Waits. Throws CANCELLED when the user interrupts the command. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (thrown) {
    throw new CraError('CANCELLED', 'interrupted', { cause: thrown });
  }
}

function retryAfterMs(message: IncomingMessage): number {
  const seconds = Number(message.headers['retry-after'] ?? 1);
  const isSane = Number.isFinite(seconds) && seconds >= 0;
  return 1000 * Math.min(isSane ? seconds : 1, CLI.RETRY_AFTER_SECONDS_MAX);
}

function readEnvelope(
  message: IncomingMessage,
  bytes: Buffer,
  advise: (refusal: Refusal) => string,
): Pick<ServiceReply, 'data' | 'error' | 'nextCursor'> {
  const { statusCode: status = 0 } = message;
  const envelope = parseEnvelope(bytes);
  const isGood = status >= 200 && status < 300 && envelope['ok'] === true;
  const cursor = envelope['next_cursor'];
  const nextCursor = typeof cursor === 'string' ? cursor : null;
  if (isGood) return { data: envelope['data'] ?? null, error: null, nextCursor };
  const error = `HTTP ${refusalText(message, bytes, advise)}`;
  return { data: null, error, nextCursor: null };
}
