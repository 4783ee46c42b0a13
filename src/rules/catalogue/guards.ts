import type { Package } from './line.ts';

/** Sessions, tokens and headers: options that switch a protection off. */
export const guards: readonly Package[] = [
  {
    package: 'express-jwt',
    link: 'https://github.com/auth0/express-jwt',
    sinks: [
      {
        exports: 'expressjwt default',
        kind: 'token',
        args: [0],
        options: 'algorithms',
        missing: true,
        severity: 'medium',
        link: '#required-parameters',
      },
      {
        exports: 'default expressjwt',
        kind: 'token',
        args: [],
        options: 'algorithms',
        value: /^none$/i,
        link: '#required-parameters',
      },
      {
        exports: 'expressjwt default',
        kind: 'exposure',
        args: [],
        options: 'credentialsRequired',
        value: /^false$/,
        severity: 'low',
        link: '#customizing-token-location',
      },
    ],
  },
  {
    package: 'jsonwebtoken',
    link: 'https://github.com/auth0/node-jsonwebtoken',
    sinks: [
      {
        exports: 'verify',
        kind: 'token',
        args: [],
        options: 'algorithms',
        value: /^none$/i,
        link: '#jwtverifytoken-secretorpublickey-options-callback',
      },
      {
        exports: 'verify',
        kind: 'exposure',
        args: [],
        options: 'clockTolerance',
        value: /^\d{5,}$/,
        severity: 'low',
        link: '#jwtverifytoken-secretorpublickey-options-callback',
      },
    ],
  },
  {
    package: 'jws',
    link: 'https://github.com/auth0/node-jws',
    sinks: [
      {
        exports: 'verify',
        kind: 'token',
        args: [1],
        value: /^none$/i,
        link: '#jwsverifysignature-algorithm-secretorkey',
      },
      {
        exports: 'createVerify',
        kind: 'token',
        args: [],
        options: 'algorithm',
        value: /^none$/i,
        link: '#jwscreateverifyoptions',
      },
    ],
  },
  {
    package: 'fast-jwt',
    link: 'https://github.com/nearform/fast-jwt',
    sinks: [
      {
        exports: 'createVerifier',
        kind: 'token',
        args: [],
        options: 'algorithms',
        value: /^none$/i,
        link: '#createverifier',
      },
    ],
  },
  {
    package: 'csurf',
    link: 'https://github.com/expressjs/csurf',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'ignoreMethods',
        value: /^(?:POST|PUT|PATCH|DELETE)$/,
        severity: 'medium',
        link: '#ignoremethods',
      },
      {
        exports: 'default',
        kind: 'cookie',
        args: [],
        options: 'cookie.httpOnly cookie.secure',
        value: /^false$/,
        link: '#cookie',
      },
    ],
  },
  {
    package: 'express-rate-limit',
    link: 'https://express-rate-limit.mintlify.app/reference/configuration',
    sinks: [
      {
        exports: 'default rateLimit',
        kind: 'exposure',
        args: [],
        options: 'max limit',
        value: /^(?:0|\d{5,}|Infinity)$/,
        severity: 'low',
        link: '#limit',
      },
    ],
  },
  {
    package: '@fastify/cors',
    link: 'https://github.com/fastify/fastify-cors',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'origin',
        value: /^(?:\*|true)$/,
        when: 'credentials',
        link: '#options',
      },
    ],
  },
  {
    package: 'cors',
    link: 'https://github.com/expressjs/cors',
    aliases: 'cors',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'origin',
        value: /^(?:\*|null)$/,
        when: 'credentials',
        link: '#configuration-options',
      },
    ],
  },
  {
    package: 'express-session',
    link: 'https://github.com/expressjs/session',
    sinks: [
      {
        exports: 'default',
        kind: 'cookie',
        args: [],
        options: 'cookie.sameSite',
        value: /^(?:none|false)$/,
        severity: 'low',
        link: '#cookiesamesite',
      },
      { exports: 'default', kind: 'random', args: [], options: 'genid', link: '#genid' },
    ],
  },
  {
    package: 'cookie-session',
    link: 'https://github.com/expressjs/cookie-session',
    sinks: [{ exports: 'default', kind: 'secret', args: [], options: 'secret', link: '#options' }],
  },
  {
    package: '@fastify/session',
    link: 'https://github.com/fastify/session',
    sinks: [
      { exports: 'default', kind: 'secret', args: [], options: 'secret', link: '#options' },
      {
        exports: 'default',
        kind: 'cookie',
        args: [],
        options: 'cookie.secure cookie.httpOnly',
        value: /^false$/,
        link: '#options',
      },
    ],
  },
  {
    package: 'next-auth',
    link: 'https://next-auth.js.org/configuration/options',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'debug',
        value: /^true$/,
        severity: 'low',
        link: '#debug',
      },
      {
        exports: 'default',
        kind: 'cookie',
        args: [],
        options: 'cookies.sessionToken.options.httpOnly cookies.sessionToken.options.secure',
        value: /^false$/,
        link: '#cookies',
      },
    ],
  },
  {
    package: 'iron-session',
    link: 'https://github.com/vvo/iron-session',
    sinks: [
      {
        exports: 'getIronSession',
        kind: 'cookie',
        args: [],
        options: 'cookieOptions.secure',
        value: /^false$/,
        link: '#session-options',
      },
      {
        exports: 'getIronSession',
        kind: 'exposure',
        args: [],
        options: 'ttl',
        value: /^0$/,
        severity: 'low',
        link: '#session-options',
      },
    ],
  },
  {
    package: '@hapi/cookie',
    link: 'https://hapi.dev/module/cookie/api/',
    sinks: [
      {
        exports: 'default *.strategy',
        kind: 'cookie',
        args: [],
        options: 'cookie.isSecure cookie.isHttpOnly',
        value: /^false$/,
        link: '#usage',
      },
    ],
  },
  {
    package: 'simple-oauth2',
    link: 'https://github.com/lelylan/simple-oauth2',
    sinks: [
      {
        exports: 'AuthorizationCode ClientCredentials ResourceOwnerPassword',
        kind: 'secret',
        args: [],
        options: 'client.secret',
        link: 'https://github.com/lelylan/simple-oauth2/blob/master/API.md#options',
      },
      {
        exports: 'AuthorizationCode ClientCredentials',
        kind: 'request',
        args: [],
        options: 'auth.tokenHost',
        link: 'https://github.com/lelylan/simple-oauth2/blob/master/API.md#options',
      },
    ],
  },
  {
    package: 'oidc-provider',
    link: 'https://github.com/panva/node-oidc-provider/tree/main/docs',
    sinks: [
      {
        exports: 'default Provider',
        kind: 'secret',
        args: [],
        options: 'cookies.keys',
        link: '#cookieskeys',
      },
    ],
  },
  {
    package: 'helmet',
    link: 'https://helmetjs.github.io/',
    aliases: 'helmet',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'referrerPolicy xDnsPrefetchControl hidePoweredBy xPoweredBy',
        value: /^false$/,
        severity: 'low',
        link: 'https://helmetjs.github.io/#reference',
      },
      {
        exports: 'default contentSecurityPolicy',
        kind: 'escaping',
        args: [],
        options: 'contentSecurityPolicy.directives.scriptSrc directives.scriptSrc',
        value: /^'unsafe-(?:inline|eval)'$/,
        severity: 'low',
        link: 'https://helmetjs.github.io/#content-security-policy',
      },
    ],
  },
];
