import { hash, randomUUID } from 'node:crypto';
import { retry } from '../core/retry.ts';
import { gitHost } from '../hosts/hosts.ts';
import type { DeployRequest, VcsHost, VcsSettings } from '../hosts/settings.ts';
import {
  type DeliveryHeaders,
  startSignatureCheck,
  type WebhookSecret,
} from '../hosts/signature.ts';
import {
  type DeliveryKind,
  deliveryKind,
  readCheckBody,
  readDeployBody,
  readPushBody,
  readStatusBody,
} from '../hosts/webhook.ts';
import { CraError } from '../model/errors.ts';
import { BODY } from '../model/limits.ts';
import {
  isJudgedRef,
  isPullRequestRef,
  type PushEvent,
  repositoryKey,
  type StatusEvent,
} from '../model/push.ts';
import { recordText } from '../model/records.ts';
import type { AcceptedPush, PushStore } from '../store/contract/pushes.ts';
import { PUSHES } from './limits.ts';
import { newPushRecord } from './push-record.ts';
import { type Recheck, type RecheckOptions, recheckCommit } from './recheck.ts';

/** Takes webhooks in: one durable insert each, no git and no network. */
export interface Intake {
  /**
   * Starts with the headers of a delivery, before its body arrives. Throws UNAUTHENTICATED when
   * they alone cannot belong to a valid delivery.
   */
  open(headers: DeliveryHeaders): Delivery;
  /**
   * Takes in a pull request that the host lists, as an event with this payload would be; null: it
   * is nothing to judge.
   */
  takeUp(host: VcsHost, payload: object): Promise<AcceptedPush | null>;
}

/** One webhook on its way in. */
export interface Delivery {
  /** The headers alone have proved the sender. */
  readonly isProven: boolean;
  /** The bytes of its body as they arrive, which are signed. */
  update(chunk: Uint8Array): void;
  /** Throws UNAUTHENTICATED when the signature does not hold over the body as it arrived. */
  verify(): void;
  /**
   * Takes the push in, once the body is whole. UNAUTHENTICATED as `verify` says; INVALID_ARGUMENT
   * for a malformed payload; UNAVAILABLE or RESOURCE_EXHAUSTED when it cannot be stored: a sweep
   * looks for the push later.
   */
  accept(body: Uint8Array): Promise<IntakeAnswer>;
}

/** The push became (or was) an RFC, or the delivery is about something that makes no RFC. */
export type IntakeAnswer =
  | { rfc_id: string; outcome: AcceptedPush['outcome'] | Recheck['outcome'] }
  | { ignored: string };

export interface IntakeOptions {
  pushes: Pick<PushStore, 'acceptPush' | 'newestPushes'> & RecheckOptions['pushes'];
  settings: Pick<VcsSettings, 'hosts' | 'judgesTags'>;
  secrets: readonly WebhookSecret[];
  /** Reads a payload that is too large for this thread, or has texts to search for secrets. */
  readLarge(input: LargeDelivery): Promise<PushEvent | null>;
  rulesRevision(): string;
  now(): Date;
  /** Whether there is room for more pushes. */
  isFull(): boolean;
  onAccepted(push: AcceptedPush, place: PushPlace): void;
  /** The push was not stored: its repository must be swept once the store is back. */
  onRefused(place: PushPlace): void;
  /** A status was set under the name of the service, by itself or by another client. */
  onStatus(host: VcsHost, event: StatusEvent): void;
  /** A host asks whether a job may deploy. */
  onDeployAsked(host: VcsHost, request: DeployRequest): void;
  /** A signed delivery makes no RFC: the event or ref, and the id that its host gave it. */
  onIgnored(what: string, deliveryId: string | null): void;
  /** A push is judged again, or its verdict is shown again. */
  onRechecked(recheck: Recheck): void;
}

export interface LargeDelivery {
  body: Uint8Array;
  /** Null: no header names the event, the payload decides. */
  provider: DeliveryKind['provider'] | null;
  is_form: boolean;
  is_pull_request: boolean;
}

/** Where a push was made. */
export interface PushPlace {
  host: VcsHost;
  repoFullName: string;
  /** Its repository, as its heads are kept. */
  repoKey: string;
  ref: string;
  pullRequest: PushEvent['pullRequest'];
}

/** Creates the service. */
export function createIntake(options: IntakeOptions): Intake {
  const { secrets, settings, now } = options;
  const { judgesTags } = settings;

  async function store(event: PushEvent, after: string, delivery: StoredDelivery) {
    const { host, id, bodyHash } = delivery;
    const { repoFullName, ref, pullRequest } = event;
    const source = event.says === 'moved' ? 'webhook' : 'pull-request';
    const { id: hostId, provider, tenantId, apiUrl } = host;
    const record = newPushRecord(
      {
        host: { id: hostId, provider, tenantId, hasStatuses: apiUrl !== null },
        repoFullName,
        ref,
        sha: after,
        pusherEmail: event.pusherEmail,
        rulesRevision: options.rulesRevision(),
        pullRequest,
        info: {
          source,
          delivery_id: id,
          before: event.before,
          default_branch: event.defaultBranch,
          pusher: event.pusher,
          repository_id: event.repositoryId,
        },
      },
      now(),
    );
    const repoKey = repositoryKey(record);
    const place = { host, repoFullName, repoKey, ref, pullRequest };
    // The webhook of the push will come for a branch that a pull request has shown.
    const isAwaited = source === 'pull-request' && !isPullRequestRef(ref);
    const keys = {
      repo_key: repoKey,
      ref,
      delivery: `${host.id} ${id}`,
      source,
      body_hash: isAwaited ? null : bodyHash,
      before: event.before,
    } as const;
    const accept = async () => {
      const push = { ...keys, behind: source === 'webhook' ? null : await newest() };
      return await options.pushes.acceptPush({ record: recordText(record), push }, WAIT);
    };
    const newest = async () => {
      const place = { tenant_id: tenantId, repo_key: repoKey, refs: [ref] };
      const { pushes } = await options.pushes.newestPushes(place, WAIT);
      return pushes[0]?.rfc_id ?? null;
    };
    try {
      if (options.isFull()) throw full();
      const accepted = await withRetries(accept);
      options.onAccepted(accepted, place);
      return accepted;
    } catch (thrown) {
      options.onRefused(place);
      throw notStored(thrown);
    }
  }

  function ignore(kind: DeliveryKind, event: PushEvent | null): IntakeAnswer {
    const isDelete = event !== null && event.after === null;
    const ignored = isDelete ? 'delete' : (event?.ref ?? kind.event ?? NOT_A_PUSH);
    options.onIgnored(ignored, kind.deliveryId);
    return { ignored };
  }

  /** Null: it asks for nothing of ours. */
  async function recheckFor(
    body: Uint8Array,
    kind: DeliveryKind,
    isForm: boolean,
    holding: readonly WebhookSecret[],
  ): Promise<Recheck | null> {
    if (body.length > BODY.SMALL_BYTES_MAX) return null;
    const request = readCheckBody(body, { provider: kind.provider, isForm });
    if (request === null) return null;
    const host = hostOf(settings.hosts, kind, request, holding);
    // Other Apps have checks of their own.
    if (host.app === undefined || !request.appIds.includes(host.app.appId)) return null;
    const recheck = await withRetries(() => recheckCommit(host, request, options));
    if (recheck !== null) options.onRechecked(recheck);
    return recheck;
  }

  return {
    open(headers) {
      const check = startSignatureCheck(headers, secrets, now().getTime());
      if (check === null) throw unsigned();
      let holding: readonly WebhookSecret[] | null = null;
      const verify = () => {
        holding ??= check.finish();
        if (holding.length === 0) throw unsigned();
        return holding;
      };
      return {
        isProven: check.isProven,
        update: check.update,
        verify,
        async accept(body) {
          const secretsThatHold = verify();
          const kind = deliveryKind(headers, check.kind);
          const isForm = isFormType(headers.values.get('content-type') ?? '');
          if (kind.isStatus && body.length <= BODY.SMALL_BYTES_MAX) {
            const { provider } = kind;
            const status = readStatusBody(body, { provider, isForm });
            if (status !== null) {
              const host = hostOf(settings.hosts, kind, status, secretsThatHold);
              if (mayReplaceOurs(status, host)) options.onStatus(host, status);
            }
          }
          if (kind.isCheck) {
            const recheck = await recheckFor(body, kind, isForm, secretsThatHold);
            return recheck ?? ignore(kind, null);
          }
          if (kind.isDeploy && body.length <= BODY.SMALL_BYTES_MAX) {
            const { provider } = kind;
            const request = readDeployBody(body, { provider, isForm });
            if (request !== null) {
              options.onDeployAsked(
                hostOf(settings.hosts, kind, request, secretsThatHold),
                request,
              );
            }
          }
          const isRead = kind.isPush || kind.isPullRequest;
          const event = isRead ? await readEvent(body, kind, isForm, options) : null;
          const after = event?.after ?? null;
          const isJudged =
            event !== null && (event.pullRequest !== null || isJudgedRef(event.ref, judgesTags));
          if (!isJudged || after === null) {
            return ignore(kind, event);
          }
          const host = hostOf(settings.hosts, kind, event, secretsThatHold);
          const bodyHash = hash('sha256', `${host.id}\n${check.bodyDigest().toString('hex')}`);
          const id = kind.deliveryId ?? `body:${bodyHash}`;
          const { rfc_id, outcome } = await store(event, after, { host, id, bodyHash });
          return { rfc_id, outcome };
        },
      };
    },
    async takeUp(host, payload) {
      const body = Buffer.from(JSON.stringify(payload));
      const { provider } = host;
      const what = { body, provider, is_form: false, is_pull_request: true };
      const event = await options.readLarge(what);
      if (event === null || event.after === null) return null;
      return await store(event, event.after, { host, id: `sweep ${randomUUID()}`, bodyHash: null });
    },
  };
}

/** A check run stands beside commit statuses, and only its App changes it. */
function mayReplaceOurs({ appIds }: StatusEvent, { app }: VcsHost): boolean {
  if (app === undefined) return appIds === null;
  return appIds !== null && !appIds.includes(app.appId);
}

/** The push or pull request in a body; a large one is read on another thread. */
async function readEvent(
  body: Uint8Array,
  kind: DeliveryKind,
  isForm: boolean,
  { readLarge }: Pick<IntakeOptions, 'readLarge'>,
): Promise<PushEvent | null> {
  // Without an event header the payload decides.
  const provider = kind.event === null ? null : kind.provider;
  const { isPullRequest } = kind;
  const isSmall = body.length <= BODY.SMALL_BYTES_MAX;
  if (isSmall && !isPullRequest) return readPushBody(body, { provider, isForm });
  return await readLarge({ body, provider, is_form: isForm, is_pull_request: isPullRequest });
}

/** Answered to a payload that names no event in a header and is not the push of a ref. */
const NOT_A_PUSH = 'not a push';

interface StoredDelivery {
  host: VcsHost;
  id: string;
  /** Null: its body came from a list, and may come again. */
  bodyHash: string | null;
}

function isFormType(contentType: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

/**
 * The configured host of a delivery; the secret of one host proves nothing for another. Without an
 * event header every host that signs in the same way is possible.
 */
function hostOf(
  hosts: readonly VcsHost[],
  { provider, event: named }: DeliveryKind,
  { origin }: Pick<PushEvent, 'origin'>,
  holding: readonly WebhookSecret[],
): VcsHost {
  const sender = gitHost(provider);
  const isOfKind = (host: VcsHost) => {
    const { signature, family } = gitHost(host.provider);
    return named === null ? signature === sender.signature : family === sender.family;
  };
  const possible = hosts.filter(
    (host) =>
      isOfKind(host) && holding.some((secret) => secret.host === null || secret.host === host.id),
  );
  const [only] = possible;
  if (only !== undefined && possible.length === 1) return only;
  const found = possible.find(({ url }) => originOf(url) === origin);
  if (found !== undefined) return found;
  const which = possible.length === 0 ? `no host of kind ${provider}` : 'no such host';
  const message = `${which} is configured for this webhook: add it to SERVICE_VCS_CONFIG`;
  throw new CraError('INVALID_ARGUMENT', message);
}

function originOf(url: string): string {
  return new URL(url).origin;
}

const WAIT = { timeoutMs: PUSHES.STORE_WAIT_MS };

/** Hosts do not send a webhook again, so the write waits for a store that is briefly away. */
function withRetries<Output>(write: () => Promise<Output>): Promise<Output> {
  const lastAt = performance.now() + PUSHES.STORE_WAIT_MS - PUSHES.STORE_RETRY_MS;
  return retry(write, {
    delayMs(error) {
      const isAway = error instanceof CraError && error.code === 'UNAVAILABLE';
      return isAway && performance.now() <= lastAt ? PUSHES.STORE_RETRY_MS : null;
    },
  });
}

/** The same sentence whatever was wrong, so that nobody learns by trying. */
function unsigned(): CraError {
  return new CraError('UNAUTHENTICATED', 'the webhook is not signed with a secret known here');
}

function notStored(thrown: unknown): unknown {
  if (!(thrown instanceof CraError) || thrown.code !== 'DEADLINE_EXCEEDED') return thrown;
  return new CraError('UNAVAILABLE', 'the push could not be stored in time', { cause: thrown });
}

function full(): CraError {
  return new CraError('RESOURCE_EXHAUSTED', 'too many pushes wait for their analysis');
}
