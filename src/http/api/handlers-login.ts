import { LOCAL_ADMIN, type PasswordCheck } from '../../auth/admin-password.ts';
import { cookieName, readCookie, writeCookie } from '../../auth/cookies.ts';
import type { FailedAttempts } from '../../auth/failed-attempts.ts';
import type { OidcLogin } from '../../auth/oidc-login.ts';
import type { OneTimeLink } from '../../auth/one-time-link.ts';
import { AuthRefusal } from '../../auth/refusal.ts';
import { returnPath } from '../../auth/return-path.ts';
import type { Sessions } from '../../auth/sessions.ts';
import { AUTH } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { LoginEvent } from '../../model/session.ts';
import { isOwnPage } from '../server/cross-site.ts';
import type { Handler } from '../server/dispatch.ts';
import type { Request } from '../server/exchange.ts';
import { dataReply, type Reply } from '../server/reply.ts';
import { type LoginPage, loginPage, redirectReply } from './login-page.ts';
import type { LoginRouteName } from './login-routes.ts';

export interface LoginOptions {
  sessions: Sessions;
  /** The ways in; null: there is none of that kind. */
  oidc: OidcLogin | null;
  password: PasswordCheck | null;
  link: OneTimeLink | null;
  /** Counts tries of passwords and links. */
  attempts: FailedAttempts;
  /** Counts what comes back from the issuer and does not fit. */
  failures: FailedAttempts;
  /** The origin that browsers reach the service by. */
  ownOrigin: string;
  onEvent(event: LoginEvent): void;
}

const SECOND_MS = 1_000;

type LoginHandlers = Readonly<Record<LoginRouteName, Handler>>;

/** Handlers of logging in and out; without options, nobody can. */
export function createLoginHandlers(options: LoginOptions | null): LoginHandlers {
  if (options === null) return NO_LOGIN;
  const desk = createDesk(options);
  return {
    login: async ({ query }) =>
      desk.page({
        linkToken: options.link === null ? '' : String(query['link'] ?? ''),
        returnTo: returnPath(String(query['return_to'] ?? '')),
      }),
    ...issuerHandlers(options, desk),
    ...localHandlers(options, desk),
    ...sessionHandlers(options),
  };
}

/** What every way in ends with. */
interface Desk {
  page(over: Partial<LoginPage>, status?: number): Reply;
  failed(request: Request, how: LoginEvent['how'], reason: string): void;
  enter(
    request: Request,
    how: LoginEvent['how'],
    principal: Principal,
    returnTo: string,
    cookies?: readonly string[],
  ): Promise<Reply>;
}

function createDesk({ sessions, oidc, password, onEvent }: LoginOptions): Desk {
  const offered = { hasIssuer: oidc !== null, hasPassword: password !== null };
  const plain = { ...offered, linkToken: '', returnTo: returnPath(''), problem: null };
  return {
    page: (over, status = 200) => loginPage({ ...plain, ...over }, status),
    failed({ remoteAddress }, how, reason) {
      onEvent({ event: 'login failed', how, principal: null, reason, remoteAddress });
    },
    async enter({ headers, remoteAddress }, how, principal, returnTo, cookies = []) {
      const session = await sessions.start(principal, headers.cookies);
      onEvent({ event: 'login', how, principal, reason: null, remoteAddress });
      return redirectReply(returnTo, [session, ...cookies]);
    },
  };
}

function issuerHandlers(
  { oidc, failures, ownOrigin }: LoginOptions,
  { page, failed, enter }: Desk,
): Pick<LoginHandlers, 'login-oidc' | 'login-callback'> {
  const manner = { isSecure: ownOrigin.startsWith('https:') };
  const name = cookieName('cra_login', manner);
  const clear = writeCookie(name, '', 0, manner);
  return {
    async 'login-oidc'({ query }) {
      if (oidc === null) throw noIssuer();
      const { location, transaction } = await oidc.begin(String(query['return_to'] ?? ''));
      const seconds = AUTH.LOGIN_MS / SECOND_MS;
      return redirectReply(location, [writeCookie(name, transaction, seconds, manner)]);
    },
    async 'login-callback'({ request }) {
      if (oidc === null) throw noIssuer();
      const { remoteAddress } = request;
      try {
        const transaction = readCookie(request.headers.cookies, name) ?? '';
        const { principal, returnTo } = await oidc.finish(request.query, transaction);
        return await enter(request, 'oidc', principal, returnTo, [clear]);
      } catch (thrown) {
        if (!(thrown instanceof AuthRefusal)) throw thrown;
        if (failures.add(remoteAddress) === 0) failed(request, 'oidc', thrown.reason);
        const reply = page({ problem: 'The login failed. Begin again.' }, 401);
        return { ...reply, headers: [...reply.headers, ['Set-Cookie', clear]] };
      }
    },
  };
}

function localHandlers(
  { password, link, attempts, ownOrigin }: LoginOptions,
  { page, failed, enter }: Desk,
): Pick<LoginHandlers, 'login-password' | 'login-link'> {
  /** One try: from a page of ours, not too often, and right. */
  async function attempt(
    request: Request,
    how: 'password' | 'link',
    isRight: (form: URLSearchParams) => Promise<boolean> | boolean,
  ): Promise<Reply> {
    if (!isOwnPage(request.headers, ownOrigin)) {
      throw new CraError('PERMISSION_DENIED', 'only the login page of this service may send this');
    }
    const form = new URLSearchParams(Buffer.from(await request.body()).toString('utf8'));
    const returnTo = returnPath(form.get('return_to') ?? '');
    // Counted before it is tried: many at once must not all get their chance.
    const waitSeconds = attempts.add(request.remoteAddress);
    if (waitSeconds > 0) {
      const reply = page({ returnTo, problem: `Too often: wait ${waitSeconds} s.` }, 429);
      return { ...reply, headers: [...reply.headers, ['Retry-After', String(waitSeconds)]] };
    }
    if (!(await isRight(form))) {
      failed(request, how, how === 'password' ? 'wrong password' : 'wrong or used link');
      return page({ returnTo, problem: 'That was not right.' }, 401);
    }
    attempts.forgive(request.remoteAddress);
    return enter(request, how, LOCAL_ADMIN, returnTo);
  }

  return {
    'login-password': ({ request }) =>
      attempt(request, 'password', (form) => password?.(form.get('password') ?? '') ?? false),
    'login-link': ({ request }) =>
      attempt(request, 'link', (form) => link?.redeem(form.get('token') ?? '') ?? false),
  };
}

function sessionHandlers({ sessions, oidc, onEvent }: LoginOptions): Pick<LoginHandlers, 'logout'> {
  return {
    async logout({ request, principal, query }) {
      const { headers, remoteAddress } = request;
      const cookie = await sessions.end(headers.cookies);
      if (query['everywhere'] === 'true') await sessions.endAll(principal);
      onEvent({ event: 'logout', how: 'session', principal, reason: null, remoteAddress });
      // The own session is over, whether the issuer can be asked or not.
      const logout_url = (await oidc?.logoutUrl().catch(() => null)) ?? null;
      const reply = dataReply(JSON.stringify({ logged_out: true, logout_url }));
      return { ...reply, headers: [['Set-Cookie', cookie]] };
    },
  };
}

function noIssuer(): CraError {
  return new CraError('NOT_FOUND', 'there is no identity provider to log in with');
}

const noLogin: Handler = () =>
  Promise.reject(new CraError('NOT_FOUND', 'logging in with a browser is not configured'));

const NO_LOGIN: LoginHandlers = {
  login: noLogin,
  'login-oidc': noLogin,
  'login-callback': noLogin,
  'login-password': noLogin,
  'login-link': noLogin,
  logout: noLogin,
};
