import type { Package } from './line.ts';

/** Tokens and logins: keys in the program, checks that are off. */
export const tokens: readonly Package[] = [
  {
    package: 'jsonwebtoken',
    link: 'https://github.com/auth0/node-jsonwebtoken',
    sinks: [
      {
        exports: 'sign',
        kind: 'exposure',
        options: 'allowInsecureKeySizes',
        value: /^true$/,
        link: '#jwtsignpayload-secretorprivatekey-options-callback',
      },
      {
        exports: 'sign verify',
        kind: 'exposure',
        options: 'allowInvalidAsymmetricKeyTypes',
        value: /^true$/,
      },
      {
        exports: 'verify',
        kind: 'exposure',
        options: 'ignoreNotBefore',
        value: /^true$/,
        severity: 'low',
        link: '#jwtverifytoken-secretorpublickey-options-callback',
      },
      { exports: 'sign', kind: 'random', args: [1] },
    ],
  },
  {
    package: 'jose',
    link: 'https://github.com/panva/jose',
    sinks: [
      {
        exports: 'JWT.verify',
        kind: 'token',
        versions: '<3',
        options: 'ignoreExp',
        value: /^true$/,
        severity: 'high',
        link: 'https://github.com/panva/jose/blob/v2.x/docs/README.md#jwtverifytoken-keyorstore-options',
      },
    ],
  },
  {
    package: 'koa-jwt',
    link: 'https://github.com/koajs/jwt',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        options: 'passthrough',
        value: /^true$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'passport-jwt',
    link: 'https://github.com/mikenicholson/passport-jwt',
    sinks: [
      { exports: 'Strategy', kind: 'secret', options: 'secretOrKey', link: '#configure-strategy' },
      {
        exports: 'ExtractJwt.fromUrlQueryParameter',
        kind: 'exposure',
        severity: 'low',
        link: '#included-extractors',
      },
    ],
  },
  {
    package: 'passport-google-oauth20',
    link: 'https://www.passportjs.org/packages/passport-google-oauth20',
    sinks: [{ exports: 'Strategy', kind: 'secret', options: 'clientSecret', severity: 'medium' }],
  },
  {
    package: 'passport-facebook',
    link: 'https://www.passportjs.org/packages/passport-facebook',
    sinks: [{ exports: 'Strategy', kind: 'secret', options: 'clientSecret', severity: 'medium' }],
  },
  {
    package: 'passport-github2',
    link: 'https://www.passportjs.org/packages/passport-github2',
    sinks: [{ exports: 'Strategy', kind: 'secret', options: 'clientSecret', severity: 'medium' }],
  },
  {
    package: 'passport-oauth2',
    link: 'https://www.passportjs.org/packages/passport-oauth2',
    sinks: [{ exports: 'Strategy', kind: 'secret', options: 'clientSecret', severity: 'medium' }],
  },
  {
    package: 'passport-twitter',
    link: 'https://www.passportjs.org/packages/passport-twitter',
    sinks: [{ exports: 'Strategy', kind: 'secret', options: 'consumerSecret', severity: 'medium' }],
  },
  {
    package: '@node-saml/node-saml',
    link: 'https://github.com/node-saml/node-saml',
    sinks: [
      {
        exports: 'SAML',
        kind: 'token',
        options: 'wantAssertionsSigned',
        value: /^false$/,
        severity: 'high',
        link: '#config-parameter-details',
      },
      {
        exports: 'SAML',
        kind: 'hash',
        options: 'signatureAlgorithm digestAlgorithm',
        value: /^sha1$/,
        severity: 'medium',
      },
      { exports: 'SAML', kind: 'exposure', options: 'audience', value: /^false$/ },
    ],
  },
  {
    package: '@node-saml/passport-saml',
    link: 'https://github.com/node-saml/passport-saml',
    sinks: [
      {
        exports: 'Strategy MultiSamlStrategy',
        kind: 'token',
        options: 'wantAssertionsSigned',
        value: /^false$/,
        severity: 'high',
      },
      {
        exports: 'Strategy MultiSamlStrategy',
        kind: 'hash',
        options: 'digestAlgorithm signatureAlgorithm',
        value: /^sha1$/,
        severity: 'medium',
      },
      {
        exports: 'Strategy MultiSamlStrategy',
        kind: 'exposure',
        options: 'audience',
        value: /^false$/,
      },
    ],
  },
  {
    package: 'fast-jwt',
    link: 'https://github.com/nearform/fast-jwt',
    sinks: [
      { exports: 'createSigner', kind: 'secret', options: 'key', link: '#createsigner' },
      { exports: 'createVerifier', kind: 'secret', options: 'key', link: '#createverifier' },
      {
        exports: 'createSigner',
        kind: 'token',
        options: 'algorithm',
        value: /^none$/,
        severity: 'high',
      },
      {
        exports: 'createVerifier',
        kind: 'exposure',
        options: 'ignoreNotBefore',
        value: /^true$/,
        severity: 'low',
      },
    ],
  },
  {
    package: '@nestjs/jwt',
    link: 'https://github.com/nestjs/jwt',
    types: 'JwtService',
    sinks: [
      { exports: 'JwtService', kind: 'secret', options: 'secret privateKey' },
      {
        exports: 'JwtService.sign JwtService.signAsync JwtService.verify JwtService.verifyAsync',
        kind: 'secret',
        options: 'secret privateKey',
      },
    ],
  },
  {
    package: 'njwt',
    link: 'https://github.com/jwtk/njwt',
    sinks: [
      { exports: 'create', kind: 'secret', args: [1] },
      { exports: 'verify', kind: 'secret', args: [1] },
    ],
  },
  {
    package: 'jwt-simple',
    link: 'https://github.com/hokaccha/node-jwt-simple',
    sinks: [
      { exports: 'encode', kind: 'secret', args: [1] },
      { exports: 'decode', kind: 'secret', args: [1] },
    ],
  },
  {
    package: 'jws',
    link: 'https://github.com/auth0/node-jws',
    sinks: [
      { exports: 'sign', kind: 'secret', options: 'secret', link: '#jwssignoptions' },
      { exports: 'sign', kind: 'token', options: 'header.alg', value: /^none$/, severity: 'high' },
      {
        exports: 'verify',
        kind: 'secret',
        args: [2],
        link: '#jwsverifysignature-algorithm-secretorkey',
      },
    ],
  },
  {
    package: '@tsndr/cloudflare-worker-jwt',
    link: 'https://github.com/tsndr/cloudflare-worker-jwt',
    sinks: [
      { exports: 'sign', kind: 'secret', args: [1], link: '#sign' },
      { exports: 'verify', kind: 'secret', args: [1], link: '#verify' },
    ],
  },
  {
    package: 'hono/jwt',
    link: 'https://hono.dev/docs/helpers/jwt',
    sinks: [
      { exports: 'sign', kind: 'secret', args: [1], link: '#sign' },
      { exports: 'verify', kind: 'secret', args: [1], link: '#verify' },
      {
        exports: 'jwt',
        kind: 'secret',
        options: 'secret',
        link: 'https://hono.dev/docs/middleware/builtin/jwt',
      },
    ],
  },
  {
    package: '@elysiajs/jwt',
    link: 'https://elysiajs.com/plugins/jwt',
    sinks: [{ exports: 'jwt', kind: 'secret', options: 'secret' }],
  },
  {
    package: 'express-openid-connect',
    link: 'https://github.com/auth0/express-openid-connect/blob/master/EXAMPLES.md',
    sinks: [{ exports: 'auth', kind: 'secret', options: 'secret clientSecret' }],
  },
  {
    package: 'express-oauth2-jwt-bearer',
    link: 'https://auth0.github.io/node-oauth2-jwt-bearer',
    sinks: [{ exports: 'auth', kind: 'secret', options: 'secret' }],
  },
  {
    package: 'openid-client',
    link: 'https://github.com/panva/openid-client/blob/main/docs/functions/allowInsecureRequests.md',
    sinks: [{ exports: 'allowInsecureRequests', kind: 'tls', versions: '>=6', severity: 'medium' }],
  },
  {
    package: 'oauth2-server',
    link: 'https://oauth2-server.readthedocs.io/en/latest/api/oauth2-server.html',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        options: 'allowBearerTokensInQueryString',
        value: /^true$/,
        severity: 'low',
      },
    ],
  },
  {
    package: '@node-oauth/oauth2-server',
    link: 'https://node-oauthoauth2-server.readthedocs.io/en/master/api/oauth2-server.html',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        options: 'allowBearerTokensInQueryString',
        value: /^true$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'cookie-signature',
    link: 'https://github.com/tj/node-cookie-signature',
    sinks: [
      { exports: 'sign', kind: 'secret', args: [1] },
      { exports: 'unsign', kind: 'secret', args: [1] },
    ],
  },
  {
    package: '@hapi/iron',
    link: 'https://hapi.dev/module/iron/api',
    sinks: [
      { exports: 'seal', kind: 'secret', args: [1] },
      { exports: 'unseal', kind: 'secret', args: [1] },
    ],
  },
  {
    package: 'iron-webcrypto',
    link: 'https://github.com/brc-dd/iron-webcrypto',
    sinks: [{ exports: 'seal unseal', kind: 'secret', args: [2] }],
  },
  {
    package: 'iron-session',
    link: 'https://github.com/vvo/iron-session',
    sinks: [
      { exports: 'getIronSession', kind: 'secret', options: 'password' },
      { exports: 'sealData unsealData', kind: 'secret', options: 'password' },
      {
        exports: 'getIronSession',
        kind: 'cookie',
        options: 'cookieOptions.httpOnly',
        value: /^false$/,
      },
    ],
  },
  {
    package: 'next-auth',
    link: 'https://next-auth.js.org/configuration/options',
    sinks: [
      { exports: 'default', kind: 'secret', options: 'secret', link: '#secret' },
      {
        exports: 'default',
        kind: 'cookie',
        options: 'useSecureCookies',
        value: /^false$/,
        severity: 'low',
        link: '#usesecurecookies',
      },
      {
        exports: 'default',
        kind: 'exposure',
        options: 'allowDangerousEmailAccountLinking',
        value: /^true$/,
        link: 'https://next-auth.js.org/configuration/providers/oauth#allowdangerousemailaccountlinking-option',
      },
    ],
  },
  {
    package: 'better-auth',
    link: 'https://www.better-auth.com/docs/reference/options',
    sinks: [
      {
        exports: 'betterAuth',
        kind: 'exposure',
        options: 'advanced.disableCSRFCheck',
        value: /^true$/,
        link: '#advanced',
      },
      {
        exports: 'betterAuth',
        kind: 'cookie',
        options: 'advanced.useSecureCookies',
        value: /^false$/,
        severity: 'low',
      },
      { exports: 'betterAuth', kind: 'secret', options: 'secret', link: '#secret' },
    ],
  },
];
