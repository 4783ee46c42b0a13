import type { Reply } from '../server/reply.ts';

/** What the login page offers. */
export interface LoginPage {
  hasIssuer: boolean;
  hasPassword: boolean;
  /** The token of the one-time link that led here; empty: none did. */
  linkToken: string;
  /** The path to go on to. */
  returnTo: string;
  /** What went wrong before; null: nothing. */
  problem: string | null;
}

/** No script, no style, no frame, nothing from elsewhere. */
const PAGE_HEADERS = [
  [
    'Content-Security-Policy',
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
] as const;

/** The login page, as a reply with this status. */
export function loginPage(page: LoginPage, status = 200): Reply {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Log in - Change-Risk Analysis</title></head>
<body><main>
<h1>Change-Risk Analysis</h1>
${page.problem === null ? '' : `<p role="alert">${escaped(page.problem)}</p>\n`}${ways(page)}
</main></body>
</html>
`;
  return { status, contentType: 'text/html; charset=utf-8', body, headers: PAGE_HEADERS };
}

/** 303 to a path or address, with these cookies. */
export function redirectReply(location: string, cookies: readonly string[]): Reply {
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
