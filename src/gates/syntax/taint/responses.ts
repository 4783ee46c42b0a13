import type { CallSite } from '../sinks/sink.ts';
import { words } from '../words.ts';
import type { Run } from './run.ts';
import { narrow } from './scope.ts';
import { type Role, type Value, withRole } from './value.ts';

const RESPONSES = /^(?:\w+\.)?(?:res|resp|response|reply)$/;
/** Methods of a response that give it back. */
const CHAINING = words(`
  status code set header setHeader type contentType cookie clearCookie append vary links location
  attachment headers sendStatus
`);

/**
 * What a method of a response gives back: the response, as a page or as plain data, once its
 * content type is known. The type holds for what the scope does with it afterwards. Null for all
 * else.
 */
export function responseOf(run: Run, site: CallSite): Value | null {
  const { receiverPath, receiver, name } = site;
  const isResponse = RESPONSES.test(receiverPath ?? '');
  const role = receiver?.role ?? null;
  if (!isResponse && role !== 'page' && role !== 'plain') return null;
  const type = contentType(site);
  if (type === null && !CHAINING.has(name)) return null;
  const isReply = receiverPath?.endsWith('reply') === true;
  const known = type === null ? role : roleOfContent(type);
  if (known === null) return isReply ? null : withRole('page');
  if (type !== null && receiverPath !== null) narrow(run.scope, receiverPath, withRole(known));
  return withRole(known);
}

function roleOfContent(type: string): Role {
  return /html|xml|svg/i.test(type) ? 'page' : 'plain';
}

/** The content type that a call sets; '' when it is computed, null when it sets none. */
function contentType({ name, args }: CallSite): string | null {
  const [first, second] = args;
  if (name === 'type' || name === 'contentType') return first?.constant ?? '';
  if (
    /^(?:set|header|setHeader)$/.test(name) &&
    first?.constant?.toLowerCase() === 'content-type'
  ) {
    return second?.constant ?? '';
  }
  if (!/^(?:set|writeHead|headers|header)$/.test(name)) return null;
  for (const argument of args) {
    for (const [header, value] of argument.properties ?? []) {
      if (header.toLowerCase() === 'content-type') return value.constant ?? '';
    }
  }
  return null;
}
