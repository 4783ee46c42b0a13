import type { Package } from '../line.ts';

const SERVLET =
  'https://jakarta.ee/specifications/servlet/6.0/apidocs/jakarta.servlet/jakarta/servlet';

/** What answers requests: pages, headers, redirects. */
export const javaAnswers: readonly Package[] = [
  {
    package: 'jakarta.servlet.http',
    types: 'HttpServletResponse HttpServletResponseWrapper HttpSession Cookie',
    link: `${SERVLET}/http/httpservletresponse`,
    sinks: [
      {
        exports:
          'HttpServletResponse.getWriter.print HttpServletResponse.getWriter.println ' +
          'HttpServletResponse.getWriter.write HttpServletResponse.getWriter.append ' +
          'HttpServletResponse.getOutputStream.print HttpServletResponse.getOutputStream.println ' +
          'HttpServletResponse.getOutputStream.write',
        kind: 'page',
      },
      {
        exports: 'HttpServletResponse.getWriter.format HttpServletResponse.getWriter.printf',
        kind: 'page',
        args: [0, 1, 2],
      },
      { exports: 'HttpServletResponse.sendError', kind: 'page', args: [1] },
      { exports: 'HttpServletResponse.sendRedirect', kind: 'redirect', receivers: 'response resp' },
      {
        exports: 'HttpServletResponse.addHeader HttpServletResponse.setHeader',
        kind: 'header',
        args: [1],
      },
      { exports: 'HttpServletResponse.addCookie', kind: 'header' },
    ],
  },
];
