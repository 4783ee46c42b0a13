import { GIT } from '../limits.ts';

/** What no part of a ref's name may hold: https://git-scm.com/docs/git-check-ref-format */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git's rule names them
const FORBIDDEN = /\.\.|@\{|\/\/|[\x00-\x20\x7f~^:?*[\\]|\/$|\.$/;

/** Whether a text is the full name of a ref, `refs/heads/main`, by git's own rules. */
export function isRefName(name: string): boolean {
  if (name.length > GIT.REF_CHARS_MAX || !name.startsWith('refs/') || FORBIDDEN.test(name)) {
    return false;
  }
  const parts = name.split('/');
  return (
    parts.length > 2 && parts.every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
  );
}
