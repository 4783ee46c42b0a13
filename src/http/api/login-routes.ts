import { ACCESS } from '../../auth/access.ts';
import { CALLBACK_PATH } from '../../auth/oidc-login.ts';
import { AUTH } from '../../limits.ts';
import type { Route } from '../server/route.ts';

const PAGE = 'text/html; charset=utf-8';
const TEXT = { type: 'string' } as const;
const HTML = { type: 'string', description: 'A page, or a redirect to the next one' } as const;

const RETURN_QUERY = { type: 'object', properties: { return_to: TEXT } } as const;

const WITHOUT_BODY = { query: null, body: null, bodyBytesMax: 0 } as const;

/** A form of the login page: it proves who somebody is, so it asks for no credential. */
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

export type LoginRouteName = (typeof LOGIN_ROUTES)[number]['name'];
