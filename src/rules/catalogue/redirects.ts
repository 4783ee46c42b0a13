import type { Package } from './line.ts';

/** Where frameworks send browsers, and requests that they pass on. */
export const redirects: readonly Package[] = [
  {
    package: 'hono',
    link: 'https://hono.dev/docs/api/context',
    sinks: [{ exports: '*.redirect', kind: 'redirect', link: '#redirect' }],
  },
  {
    package: 'koa',
    link: 'https://koajs.com/',
    sinks: [
      {
        exports: '*.redirect *.response.redirect',
        kind: 'redirect',
        link: '#response-redirect-url-alt-',
      },
    ],
  },
  {
    package: '@sveltejs/kit',
    link: 'https://svelte.dev/docs/kit/@sveltejs-kit#redirect',
    sinks: [{ exports: 'redirect', kind: 'redirect', args: [1] }],
  },
  {
    package: 'next',
    link: 'https://nextjs.org/docs/app/api-reference/functions',
    sinks: [
      {
        exports: 'redirect permanentRedirect navigation.redirect navigation.permanentRedirect',
        kind: 'redirect',
        link: 'https://nextjs.org/docs/app/api-reference/functions/redirect',
      },
      {
        exports: 'NextResponse.redirect server.NextResponse.redirect',
        kind: 'redirect',
        link: 'https://nextjs.org/docs/app/api-reference/functions/next-response#redirect',
      },
      {
        exports: 'NextResponse.rewrite server.NextResponse.rewrite',
        kind: 'request',
        link: 'https://nextjs.org/docs/app/api-reference/functions/next-response#rewrite',
      },
      {
        exports: 'useRouter.push useRouter.replace',
        kind: 'redirect',
        severity: 'medium',
        receivers: 'router',
        link: 'https://nextjs.org/docs/app/api-reference/functions/use-router',
      },
    ],
  },
  {
    package: '@remix-run/node',
    link: 'https://remix.run/docs/en/main/utils/redirect',
    sinks: [{ exports: 'redirect redirectDocument replace', kind: 'redirect' }],
  },
  {
    package: 'react-router',
    link: 'https://reactrouter.com/api/utils/redirect',
    sinks: [{ exports: 'redirect redirectDocument replace', kind: 'redirect' }],
  },
  {
    package: 'h3',
    link: 'https://v1.h3.dev/utils/response',
    sinks: [
      { exports: 'sendRedirect', kind: 'redirect', args: [1], link: '#redirects' },
      {
        exports: 'sendProxy proxyRequest',
        kind: 'request',
        args: [1],
        link: 'https://v1.h3.dev/utils/proxy',
      },
    ],
  },
];
