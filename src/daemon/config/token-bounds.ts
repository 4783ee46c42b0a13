import { AUTH } from '../../auth/limits.ts';
import { BOUND_KINDS, type TokenBounds } from '../../model/principal.ts';
import { isObject, type Reader } from './reader.ts';

const SETTING = 'SERVICE_API_TOKEN_BOUNDS';

/**
 * What API tokens are bound to: a JSON object, by the first digits of the SHA-256 of each token,
 * of lists of names. `digests`: SHA-256 of all API tokens, hex.
 */
export function readTokenBounds(reader: Reader, digests: readonly string[]): TokenBounds {
  const text = reader.text(SETTING, '');
  if (text === '') return {};
  const given = parsed(text);
  if (!isObject(given)) {
    reader.problem(SETTING, 'must be a JSON object, like {"1a2b3c4d":{"environments":["prod"]}}');
    return {};
  }
  const labels = digests.map((digest) => digest.slice(0, AUTH.TOKEN_LABEL_DIGITS));
  const bounds = Object.entries(given).map(([label, kinds]) => {
    // A label that is mistyped would leave its token without bounds.
    if (!labels.includes(label)) {
      const digits = `the first ${AUTH.TOKEN_LABEL_DIGITS} digits of the SHA-256 of an API token`;
      reader.problem(SETTING, `names "${label}", which are not ${digits}`);
    }
    if (!isObject(kinds) || !Object.entries(kinds).every(isBound)) {
      const known = BOUND_KINDS.join(', ');
      reader.problem(SETTING, `must have lists of names under "${label}", by ${known}`);
      return [label, {}];
    }
    const lists = Object.entries(kinds as Record<string, string[]>);
    return [label, Object.fromEntries(lists.map(([kind, names]) => [kind, names.map(lower)]))];
  });
  return Object.fromEntries(bounds) as TokenBounds;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isBound([kind, names]: [string, unknown]): boolean {
  const isKnown = BOUND_KINDS.some((known) => known === kind);
  return isKnown && Array.isArray(names) && names.every((name) => typeof name === 'string');
}

function lower(name: string): string {
  return name.toLowerCase();
}
