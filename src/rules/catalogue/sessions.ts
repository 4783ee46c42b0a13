import type { Package } from './line.ts';

/** Cookies and sessions: keys in the program, flags that are off. */
export const sessions: readonly Package[] = [
  {
    package: 'express-session',
    link: 'https://github.com/expressjs/session',
    sinks: [
      {
        exports: 'default',
        kind: 'cookie',
        options: 'cookie.httpOnly',
        value: /^false$/,
        link: '#cookiehttponly',
      },
      {
        exports: 'default',
        kind: 'cookie',
        options: 'cookie.secure',
        value: /^false$/,
        severity: 'low',
        link: '#cookiesecure',
      },
    ],
  },
  {
    package: 'cookie-session',
    link: 'https://github.com/expressjs/cookie-session',
    sinks: [
      { exports: 'default', kind: 'cookie', options: 'httpOnly', value: /^false$/ },
      { exports: 'default', kind: 'cookie', options: 'signed', value: /^false$/ },
    ],
  },
  {
    package: 'koa-session',
    link: 'https://github.com/koajs/session',
    sinks: [
      { exports: 'default', kind: 'cookie', options: 'httpOnly', value: /^false$/ },
      { exports: 'default createSession', kind: 'cookie', options: 'signed', value: /^false$/ },
    ],
  },
  {
    package: 'cookie',
    link: 'https://github.com/jshttp/cookie',
    sinks: [
      {
        exports: 'serialize',
        kind: 'cookie',
        options: 'httpOnly',
        value: /^false$/,
        link: '#httponly',
      },
      { exports: 'serialize', kind: 'random', args: [1] },
    ],
  },
  {
    package: 'cookies',
    link: 'https://github.com/pillarjs/cookies',
    sinks: [
      { exports: '*.set', kind: 'cookie', options: 'httpOnly', value: /^false$/ },
      { exports: '*.set', kind: 'cookie', options: 'signed', value: /^false$/, severity: 'low' },
    ],
  },
  {
    package: 'nookies',
    link: 'https://github.com/maticzav/nookies',
    sinks: [{ exports: 'setCookie set', kind: 'cookie', options: 'httpOnly', value: /^false$/ }],
  },
  {
    package: 'hono/cookie',
    link: 'https://hono.dev/docs/helpers/cookie',
    sinks: [
      {
        exports: 'setCookie setSignedCookie',
        kind: 'cookie',
        options: 'httpOnly',
        value: /^false$/,
        link: '#options',
      },
      { exports: 'setSignedCookie', kind: 'secret', args: [3] },
    ],
  },
  {
    package: 'h3',
    link: 'https://h3.dev/utils/request',
    sinks: [
      {
        exports: 'setCookie',
        kind: 'cookie',
        options: 'httpOnly',
        value: /^false$/,
        link: 'https://h3.dev/utils/cookie',
      },
      {
        exports: 'useSession getSession sealSession updateSession',
        kind: 'secret',
        options: 'password',
        link: 'https://h3.dev/examples/handle-session',
      },
    ],
  },
  {
    package: 'next/headers',
    link: 'https://nextjs.org/docs/app/api-reference/functions/cookies',
    sinks: [{ exports: 'cookies.set', kind: 'cookie', options: 'httpOnly', value: /^false$/ }],
  },
  {
    package: '@remix-run/node',
    link: 'https://remix.run/docs/en/main/utils/cookies',
    sinks: [
      { exports: 'createCookie', kind: 'cookie', options: 'httpOnly', value: /^false$/ },
      {
        exports: 'createCookieSessionStorage',
        kind: 'cookie',
        options: 'cookie.httpOnly',
        value: /^false$/,
      },
    ],
  },
  {
    package: 'react-router',
    link: 'https://reactrouter.com/explanation/sessions-and-cookies',
    sinks: [
      { exports: 'createCookie', kind: 'cookie', options: 'httpOnly', value: /^false$/ },
      {
        exports: 'createCookieSessionStorage',
        kind: 'cookie',
        options: 'cookie.httpOnly',
        value: /^false$/,
      },
    ],
  },
  {
    package: 'tough-cookie',
    link: 'https://github.com/salesforce/tough-cookie',
    sinks: [
      {
        exports: 'CookieJar',
        kind: 'exposure',
        options: 'rejectPublicSuffixes',
        value: /^false$/,
        severity: 'low',
      },
      {
        exports: 'CookieJar',
        kind: 'exposure',
        options: 'looseMode',
        value: /^true$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'lucia',
    link: 'https://v3.lucia-auth.com/reference/main/Lucia',
    sinks: [
      {
        exports: 'Lucia',
        kind: 'cookie',
        options: 'sessionCookie.attributes.secure',
        value: /^false$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'fastify',
    link: 'https://fastify.dev/docs/latest/Reference/Plugins',
    receivers: 'fastify',
    sinks: [
      {
        exports: '*.register',
        kind: 'cookie',
        options: 'cookie.httpOnly',
        value: /^false$/,
        link: 'https://github.com/fastify/session#cookie',
      },
      {
        exports: '*.register',
        kind: 'exposure',
        options: 'contentSecurityPolicy',
        value: /^false$/,
        link: 'https://github.com/fastify/fastify-helmet',
      },
      {
        exports: '*.register',
        kind: 'exposure',
        options: 'origin',
        value: /^true$/,
        when: 'credentials',
        link: 'https://github.com/fastify/fastify-cors#options',
      },
    ],
  },
  {
    package: '@fastify/cookie',
    link: 'https://github.com/fastify/fastify-cookie#sending',
    receivers: 'reply',
    sinks: [
      { exports: '*.setCookie *.cookie', kind: 'cookie', options: 'httpOnly', value: /^false$/ },
    ],
  },
];
