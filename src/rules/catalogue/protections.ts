import type { Package } from './line.ts';

/** Protections of a site that are off: origins, headers, forged requests, checks of input. */
export const protections: readonly Package[] = [
  {
    package: 'cors',
    link: 'https://github.com/expressjs/cors#configuration-options',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        options: 'origin',
        value: /^true$/,
        when: 'credentials',
      },
    ],
  },
  {
    package: '@koa/cors',
    link: 'https://github.com/koajs/cors',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        versions: '<5',
        args: [0],
        options: 'origin',
        missing: true,
        when: 'credentials',
      },
    ],
  },
  {
    package: '@nestjs/core',
    link: 'https://docs.nestjs.com/security/cors',
    sinks: [
      {
        exports: '*.enableCors',
        kind: 'exposure',
        options: 'origin',
        value: /^true$/,
        when: 'credentials',
      },
    ],
  },
  {
    package: '@elysiajs/cors',
    link: 'https://elysiajs.com/plugins/cors',
    sinks: [
      {
        exports: 'cors',
        kind: 'exposure',
        options: 'origin',
        value: /^true$/,
        when: 'credentials',
      },
    ],
  },
  {
    package: 'socket.io',
    link: 'https://socket.io/docs/v4/handling-cors',
    sinks: [
      {
        exports: 'Server',
        kind: 'exposure',
        options: 'cors.origin',
        value: /^true$/,
        when: 'cors.credentials',
      },
    ],
  },
  {
    package: 'helmet',
    link: 'https://helmetjs.github.io',
    aliases: 'helmet',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        options: 'contentSecurityPolicy',
        value: /^false$/,
        link: '/#content-security-policy',
      },
      {
        exports: 'default',
        kind: 'exposure',
        options: 'frameguard xFrameOptions',
        value: /^false$/,
        link: '/#x-frame-options',
      },
      {
        exports: 'default',
        kind: 'exposure',
        options: 'hsts strictTransportSecurity',
        value: /^false$/,
        severity: 'low',
        link: '/#strict-transport-security',
      },
      {
        exports: 'default',
        kind: 'exposure',
        options: 'noSniff xContentTypeOptions',
        value: /^false$/,
        severity: 'low',
        link: '/#x-content-type-options',
      },
    ],
  },
  {
    package: 'koa-helmet',
    link: 'https://github.com/venables/koa-helmet',
    sinks: [
      { exports: 'default', kind: 'exposure', options: 'contentSecurityPolicy', value: /^false$/ },
    ],
  },
  {
    package: 'lusca',
    link: 'https://github.com/krakenjs/lusca',
    sinks: [{ exports: 'default', kind: 'exposure', options: 'csrf', value: /^false$/ }],
  },
  {
    package: 'csrf-csrf',
    link: 'https://github.com/Psifi-Solutions/csrf-csrf',
    sinks: [
      {
        exports: 'doubleCsrf',
        kind: 'cookie',
        options: 'cookieOptions.httpOnly',
        value: /^false$/,
        link: '#configuration',
      },
      {
        exports: 'doubleCsrf',
        kind: 'cookie',
        options: 'cookieOptions.secure',
        value: /^false$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'tiny-csrf',
    link: 'https://github.com/valexandersaulys/tiny-csrf',
    sinks: [{ exports: 'default', kind: 'secret', args: [0] }],
  },
  {
    package: '@apollo/server',
    link: 'https://www.apollographql.com/docs/apollo-server/api/apollo-server',
    sinks: [
      {
        exports: 'ApolloServer',
        kind: 'exposure',
        options: 'csrfPrevention',
        value: /^false$/,
        link: '#csrfprevention',
      },
      {
        exports: 'ApolloServer',
        kind: 'exposure',
        options: 'includeStacktraceInErrorResponses',
        value: /^true$/,
        severity: 'low',
        link: '#includestacktraceinerrorresponses',
      },
    ],
  },
  {
    package: 'graphql-yoga',
    link: 'https://the-guild.dev/graphql/yoga-server/docs/features/error-masking',
    sinks: [
      {
        exports: 'createYoga',
        kind: 'exposure',
        options: 'maskedErrors',
        value: /^false$/,
        severity: 'low',
      },
    ],
  },
  {
    package: '@nestjs/common',
    link: 'https://docs.nestjs.com/techniques/validation',
    sinks: [
      {
        exports: 'ValidationPipe',
        kind: 'exposure',
        options: 'forbidUnknownValues',
        value: /^false$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'class-validator',
    link: 'https://github.com/typestack/class-validator#passing-options',
    sinks: [
      {
        exports: 'validate validateOrReject validateSync',
        kind: 'exposure',
        options: 'forbidUnknownValues',
        value: /^false$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'qs',
    link: 'https://github.com/ljharb/qs',
    sinks: [
      {
        exports: 'parse',
        kind: 'exposure',
        options: 'allowPrototypes',
        value: /^true$/,
        link: '#parsing-objects',
      },
    ],
  },
];
