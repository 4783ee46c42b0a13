import { ACCESS, AuthRefusal } from '../../auth/access.ts';
import { AUTH } from '../../auth/limits.ts';
import {
  type FailedAttempts,
  LOCAL_ADMIN,
  type OneTimeLink,
  type PasswordCheck,
} from '../../auth/login.ts';
import { CALLBACK_PATH, type OidcLogin, returnPath } from '../../auth/oidc-login.ts';
import { cookieName, readCookie, type Sessions, writeCookie } from '../../auth/sessions.ts';
import { CraError } from '../../model/errors.ts';
import type { LoginEvent, Principal } from '../../model/principal.ts';
import { TEXT } from '../../model/schema.ts';
import { isOwnPage } from '../server/admit.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import type { Request } from '../server/exchange.ts';
import { dataReply, type Reply, retryAfter } from '../server/reply.ts';
import { NO_BODY } from './endpoint.ts';

const PAGE = 'text/html; charset=utf-8';
const HTML = { type: 'string', description: 'A page, or a redirect to the next one' } as const;

const RETURN_QUERY = { type: 'object', properties: { return_to: TEXT } } as const;

const WITHOUT_BODY = { ...NO_BODY, query: null } as const;

/** A form of the login page; its field is the credential. */
const FORM = {
  method: 'POST',
  auth: ACCESS.everybody,
  query: null,
  bodyType: 'application/x-www-form-urlencoded',
  bodyBytesMax: AUTH.LOGIN_FORM_BYTES_MAX,
  data: HTML,
  contentType: PAGE,
  refusals: [401, 403, 404, 429],
} as const;

/** Its fields; `name` is the secret one. */
function formBody(name: 'password' | 'token') {
  return {
    type: 'object',
    description: `At most ${AUTH.LOGIN_FORM_BYTES_MAX} bytes, as application/x-www-form-urlencoded`,
    required: [name],
    properties: { [name]: TEXT, return_to: TEXT },
  } as const;
}

/** Endpoints of browsers: logging in and out. */
export const LOGIN_ROUTES = [
  {
    ...WITHOUT_BODY,
    name: 'login',
    method: 'GET',
    path: '/api/cra/auth/login',
    summary: 'The login page',
    auth: ACCESS.everybody,
    query: { type: 'object', properties: { return_to: TEXT, link: TEXT } },
    data: HTML,
    contentType: PAGE,
    refusals: [404],
  },
  {
    ...WITHOUT_BODY,
    name: 'login-oidc',
    method: 'GET',
    path: '/api/cra/auth/oidc',
    summary: 'Redirects to the identity provider',
    auth: ACCESS.everybody,
    query: RETURN_QUERY,
    data: HTML,
    contentType: PAGE,
    refusals: [404],
  },
  {
    ...WITHOUT_BODY,
    name: 'login-callback',
    method: 'GET',
    path: CALLBACK_PATH,
    summary: 'Where the identity provider sends the browser back to',
    auth: ACCESS.everybody,
    data: HTML,
    contentType: PAGE,
    refusals: [401, 404],
  },
  {
    ...FORM,
    name: 'login-password',
    path: '/api/cra/auth/password',
    summary: 'Logs the local admin in by password',
    body: formBody('password'),
  },
  {
    ...FORM,
    name: 'login-link',
    path: '/api/cra/auth/link',
    summary: 'Logs the local admin in by the one-time link that the start printed',
    body: formBody('token'),
  },
  {
    ...WITHOUT_BODY,
    name: 'logout',
    method: 'POST',
    path: '/api/cra/auth/logout',
    summary: 'Ends the session; ?everywhere=true ends those on other browsers, too',
    auth: ACCESS.person,
    refusals: [404],
    query: {
      type: 'object',
      properties: { everywhere: { type: 'string', enum: ['true', 'false'] } },
    },
    data: {
      type: 'object',
      required: ['logged_out', 'logout_url'],
      properties: {
        logged_out: { type: 'boolean' },
        logout_url: {
          type: ['string', 'null'],
          description: 'Where the session with the identity provider ends',
        },
      },
      additionalProperties: false,
    },
  },
] as const satisfies readonly Route[];

export interface LoginOptions {
  sessions: Sessions;
  /** The ways to log in; null if one is not configured. */
  oidc: OidcLogin | null;
  password: PasswordCheck | null;
  link: OneTimeLink | null;
  /** Limits attempts with passwords and links. */
  attempts: FailedAttempts;
  /** Limits the log entries of failed returns from the issuer. */
  failures: FailedAttempts;
  /** The origin under which browsers reach the service. */
  ownOrigin: string;
  onEvent(event: LoginEvent): void;
}

const SECOND_MS = 1_000;

type LoginHandlers = Readonly<Record<(typeof LOGIN_ROUTES)[number]['name'], Handler>>;

/**
 * Handlers of logging in and out; null: logging in is not configured. `stylesheet` is the path of
 * the style that the page has; null: it is plain.
 */
export function createLoginHandlers(
  options: LoginOptions | null,
  stylesheet: string | null,
): LoginHandlers {
  if (options === null) return NO_LOGIN;
  const flow = createLoginFlow(options, stylesheet);
  return {
    login: async ({ query }) =>
      flow.page({
        linkToken: options.link === null ? '' : String(query['link'] ?? ''),
        returnTo: returnPath(String(query['return_to'] ?? '')),
      }),
    ...issuerHandlers(options, flow),
    ...localHandlers(options, flow),
    ...sessionHandlers(options),
  };
}

/** What all ways to log in have in common. */
interface LoginFlow {
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

function createLoginFlow(
  { sessions, oidc, password, onEvent }: LoginOptions,
  stylesheet: string | null,
): LoginFlow {
  const offered = { hasIssuer: oidc !== null, hasPassword: password !== null };
  const plain = { ...offered, stylesheet, linkToken: '', returnTo: returnPath(''), problem: null };
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
  { page, failed, enter }: LoginFlow,
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
        const reply = page({ problem: 'The login failed. Try again.' }, 401);
        return { ...reply, headers: [...reply.headers, ['Set-Cookie', clear]] };
      }
    },
  };
}

function localHandlers(
  { password, link, attempts, ownOrigin }: LoginOptions,
  { page, failed, enter }: LoginFlow,
): Pick<LoginHandlers, 'login-password' | 'login-link'> {
  /** One attempt: from our own page, within the limit, with the right secret. */
  async function attempt(
    request: Request,
    how: 'password' | 'link',
    isRight: (form: URLSearchParams) => Promise<boolean> | boolean,
  ): Promise<Reply> {
    if (!isOwnPage(request.headers, ownOrigin)) {
      throw new CraError(
        'PERMISSION_DENIED',
        'only the login page of this service may send this form',
      );
    }
    const form = new URLSearchParams(Buffer.from(await request.body()).toString('utf8'));
    const returnTo = returnPath(form.get('return_to') ?? '');
    // Counted before the check, so that concurrent attempts cannot exceed the limit.
    const waitSeconds = attempts.add(request.remoteAddress);
    if (waitSeconds > 0) {
      const reply = page({ returnTo, problem: `Too many attempts: wait ${waitSeconds} s.` }, 429);
      return { ...reply, headers: [...reply.headers, retryAfter(waitSeconds)] };
    }
    if (!(await isRight(form))) {
      failed(request, how, how === 'password' ? 'wrong password' : 'wrong or used link');
      return page(
        {
          returnTo,
          problem: how === 'password' ? 'The password is wrong.' : 'The link is wrong or was used.',
        },
        401,
      );
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
      // Our own session ends even if the issuer does not answer.
      const logout_url = (await oidc?.logoutUrl().catch(() => null)) ?? null;
      const reply = dataReply(JSON.stringify({ logged_out: true, logout_url }));
      return { ...reply, headers: [['Set-Cookie', cookie]] };
    },
  };
}

function noIssuer(): CraError {
  return new CraError('NOT_FOUND', 'no identity provider is configured');
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

/** What the login page offers. */
interface LoginPage {
  hasIssuer: boolean;
  hasPassword: boolean;
  /** The token of the one-time link that led here; empty when absent. */
  linkToken: string;
  /** The path to go on to. */
  returnTo: string;
  /** What went wrong before; null: nothing. */
  problem: string | null;
  /** The path of its style; null: it is plain. */
  stylesheet: string | null;
}

/** No script, no frame, nothing inline, nothing from elsewhere. */
const PAGE_HEADERS = [
  [
    'Content-Security-Policy',
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
] as const;

/** The login page, as a reply with this status. */
function loginPage(page: LoginPage, status = 200): Reply {
  const { stylesheet } = page;
  const style = stylesheet === null ? '' : `<link rel="stylesheet" href="${stylesheet}">\n`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in - Change-Risk Analysis</title>
${style}</head>
<body><main class="login">
<h1>Change-Risk Analysis</h1>
${page.problem === null ? '' : `<p role="alert">${escaped(page.problem)}</p>\n`}${ways(page)}
</main></body>
</html>
`;
  return { status, contentType: 'text/html; charset=utf-8', body, headers: PAGE_HEADERS };
}

/** 303 to a path or address, with these cookies. */
function redirectReply(location: string, cookies: readonly string[]): Reply {
  const headers = [
    ['Location', location] as const,
    ...cookies.map((cookie) => ['Set-Cookie', cookie] as const),
    ...PAGE_HEADERS,
  ];
  return { status: 303, contentType: 'text/plain', body: '', headers };
}

function ways({ hasIssuer, hasPassword, linkToken, returnTo }: LoginPage): string {
  const back = `<input type="hidden" name="return_to" value="${escaped(returnTo)}">`;
  const offered = [
    hasIssuer &&
      `<p><a href="/api/cra/auth/oidc?return_to=${encodeURIComponent(returnTo)}">Log in with your organisation</a></p>`,
    linkToken !== '' &&
      `<form method="post" action="/api/cra/auth/link">${back}
<input type="hidden" name="token" value="${escaped(linkToken)}">
<button>Log in as the local admin</button></form>`,
    hasPassword &&
      `<form method="post" action="/api/cra/auth/password">${back}
<label>Password of the local admin
<input type="password" name="password" autocomplete="current-password" required autofocus></label>
<button>Log in</button></form>`,
  ].filter((way) => way !== false);
  if (offered.length > 0) return offered.join('\n');
  return '<p>Open the link that the service printed when it started.</p>';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
