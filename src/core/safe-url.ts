/** Whether nobody on the way can read or change what is exchanged: https, or this very machine. */
export function isSafeUrl(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** Whether a host name, as `URL` writes it, is this very machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return LOOPBACK.test(hostname);
}

/** As `URL` writes addresses: four numbers, whatever the form that they were given in. */
const LOOPBACK = /^127(?:\.\d{1,3}){3}$/;
