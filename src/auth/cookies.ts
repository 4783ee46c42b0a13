/** How cookies are sent: over https with a name that no other host can set. */
export interface CookieManner {
  /** The service is reached by https; else (plain http on loopback) nothing can be secure. */
  isSecure: boolean;
}

/** The name of a cookie: RFC 6265bis, 4.1.3.2 ties `__Host-` to Secure, Path=/ and this host. */
export function cookieName(base: string, { isSecure }: CookieManner): string {
  return isSecure ? `__Host-${base}` : base;
}

/** The value of a cookie in a `Cookie` header; null when it is absent or comes twice. */
export function readCookie(header: string, name: string): string | null {
  let found: string | null = null;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
    // One of the two was put there by somebody else.
    if (found !== null) return null;
    found = pair.slice(equals + 1).trim();
  }
  return found;
}

/** A `Set-Cookie` value; an age of 0 takes the cookie away. */
export function writeCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  { isSecure }: CookieManner,
): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
