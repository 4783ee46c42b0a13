import { FIELDS } from '../model/limits.ts';
import type { Git } from './git.ts';
import { readId } from './range.ts';

/**
 * The name that a repository has where `origin` is, as its Git host knows it: `acme/shop`. Null:
 * there is no `origin`, it is a folder, or its address is of a form that is not known.
 */
export async function nameAtOrigin(git: Git): Promise<string | null> {
  const address = await readId(git, ['remote', 'get-url', 'origin']);
  return address === null ? null : nameOfAddress(address);
}

/** Letters, digits and what Git hosts allow in names: no separators of addresses. */
const PART = /^(?!\.\.?$)[\p{L}\p{M}\p{N}._+-]+$/u;

/**
 * The name of a repository by the address of a remote: the path without `.git`. Addresses may hold
 * passwords and tokens, which are in no part of a name; where that is in doubt there is no name.
 */
function nameOfAddress(address: string): string | null {
  const path = pathOf(address.trim());
  if (path === null) return null;
  const name = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  const parts = name.split('/').filter((part) => part !== '');
  const isName = parts.length > 0 && parts.every((part) => PART.test(part));
  return isName && name.length <= FIELDS.REPO_NAME_CHARS_MAX ? parts.join('/') : null;
}

/** Forms of git-fetch(1), GIT URLS; null: a folder, or another form. */
function pathOf(address: string): string | null {
  const scheme = /^(?:git\+ssh|ssh\+git|ssh|git|https?|ftps?):\/\//i.exec(address)?.[0];
  if (scheme !== undefined) {
    // A scheme that the web knows: others are read by other rules.
    const text = `https://${address.slice(scheme.length)}`;
    return URL.canParse(text) ? decoded(new URL(text).pathname) : null;
  }
  if (/^[a-z][a-z0-9+.-]*:(?:\/\/|:)/i.test(address)) return null;
  // scp: USER@HOST:PATH, and [USER@HOST:PORT]:PATH. A slash before the colon makes it a folder.
  return (
    /^(?:\[[^\]/]+\]|[^/:@[\]]+@\[[^\]/]+\]|(?:[^/@]*@)?[^/:@[\]]{2,}):(.+)$/s.exec(address)?.[1] ??
    null
  );
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
