import { AUTH } from '../limits.ts';

/** Where a login leads without a return path, or with one that is not ours. */
const HOME = '/cra';

/** Visible ASCII without the backslash, which browsers take for a slash. */
const PATH = /^\/(?!\/)[!-[\]-~]*$/;

/** The path to go on to after a login: on this host, whatever the request asked for. */
export function returnPath(wanted: string): string {
  if (wanted.length > AUTH.RETURN_PATH_CHARS_MAX || !PATH.test(wanted)) return HOME;
  return new URL(wanted, 'https://own.invalid').host === 'own.invalid' ? wanted : HOME;
}
