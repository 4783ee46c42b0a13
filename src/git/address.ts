import { createHash } from 'node:crypto';
import { FULL_SHA, REPO_FULL_NAME, type VcsHost } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { FIELDS } from '../model/limits.ts';
import type { SourceRepository } from '../rpc/source-contract.ts';
import { GIT } from './limits.ts';

/** A repository on a configured host. */
export interface Address {
  host: VcsHost;
  /** The configured URL and the repository's name, nothing else; without credentials. */
  url: string;
  /** The one protocol that git may speak. */
  protocol: 'https' | 'http' | 'file';
  /** Name of its mirrors: a hash of host and name. */
  key: string;
}

const PROTOCOLS = ['https', 'http', 'file'] as const;

/**
 * Where a repository is. Throws NOT_FOUND for a host that is not configured, INVALID_ARGUMENT for
 * a name or URL that git must not see.
 */
export function addressOf(hosts: readonly VcsHost[], repository: SourceRepository): Address {
  const { host: id, repo_full_name: name } = repository;
  const host = hosts.find((one) => one.id === id);
  if (host === undefined) throw refuse('NOT_FOUND', 'the host is not configured');
  if (name.length > FIELDS.REPO_NAME_CHARS_MAX || !REPO_FULL_NAME.test(name)) {
    throw refuse('INVALID_ARGUMENT', 'the name of the repository is not valid at a host');
  }
  const protocol = PROTOCOLS.find((one) => host.url.startsWith(`${one}://`));
  // `file://host/path` is a path, too; a name or token in a URL would be in command lines.
  const isPlain = /^[^@?#\s]+$/.test(host.url) && !/^file:\/\/[^/]/.test(host.url);
  if (protocol === undefined || !isPlain) {
    throw refuse(
      'INVALID_ARGUMENT',
      `the URL of host ${id} must begin with https://, http:// or file:///`,
    );
  }
  const key = createHash('sha256').update(`${id}\0${name}`).digest('hex');
  return { host, url: `${host.url}/${name}.git`, protocol, key };
}

/** Throws INVALID_ARGUMENT unless all are full ids of commits. */
export function checkIds(ids: readonly (string | null)[]): void {
  if (ids.some((id) => id !== null && !FULL_SHA.test(id))) {
    throw refuse('INVALID_ARGUMENT', 'a commit must be named by its full id');
  }
}

/** Throws INVALID_ARGUMENT unless all are full names of refs. */
export function checkRefs(refs: readonly string[]): void {
  if (!refs.every(isRefName)) {
    throw refuse('INVALID_ARGUMENT', 'a ref must be named in full, as refs/heads/main');
  }
}

function refuse(code: 'NOT_FOUND' | 'INVALID_ARGUMENT', reason: string): CraError {
  return new CraError(code, reason, { details: { reason } });
}

/** No part of a ref's name holds these: https://git-scm.com/docs/git-check-ref-format */
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
