import type { Use } from '../../../rules/catalogue/line.ts';
import { isServedPath } from '../sinks/value.ts';
import type { Run } from './run.ts';
import { changed, clip, mapOrigins, type Origin, type Shape, UNKNOWN } from './value.ts';

/** A client can't put another host or scheme into these; what is cut out of them it can. */
export const SAME_HOST_USES: readonly Use[] = ['url', 'redirect'];
/** The same of a path, but for two slashes at its begin, behind which a redirect finds a host. */
export const SERVED_PATH: Pick<Origin, 'safeFor' | 'claimedFor'> = {
  safeFor: ['url'],
  claimedFor: ['redirect'],
};
const PATHS: readonly Use[] = ['path'];
/** Members of members of a parameter that are kept apart. */
const PARTS_MAX = 4;

/**
 * Data under a key: a check of it tells nothing of the rest, and it is no longer bound to the
 * sender's own place. `name` null: under any key.
 */
export function memberOfData(run: Run, shape: Shape, name: string | null): Shape {
  const { knowledge } = run;
  const isKey = knowledge.traits.has('keys');
  const isHost = name !== null && knowledge.is('host', name);
  // `match.string` is the text that was searched.
  const isWhole = name !== null && knowledge.has('whole-match', name);
  const holdsFor = ({ text }: Origin) => !isWhole && (!isKey || isOfMatch(text, name));
  return mapOrigins(changed(UNKNOWN, { origins: shape.origins }), (origin): Origin => {
    const isStored = knowledge.is('stored', origin.text) && knowledge.has('stored', name ?? '');
    const isOwnHost = isHost && knowledge.is('headers', origin.text);
    const isOfUrl = origin.isUrl && (isHost || name === null || knowledge.is('address-part', name));
    return {
      ...origin,
      text: partText(origin, name),
      // Where members are keys they may be text as well.
      isWhole: origin.isWhole && !isKey,
      safeFor: isOwnHost
        ? SAME_HOST_USES
        : isStored
          ? PATHS
          : holdsFor(origin)
            ? origin.safeFor
            : [],
      hostOf: isOfUrl ? origin.text : null,
      isUrl: false,
      isResolved: false,
    };
  });
}

/** Whether a member of what `match` and `exec` give is what the pattern matches, or a group. */
function isOfMatch(text: string, name: string | null): boolean {
  if (/\.(?:exec|match)\(\)\.groups$/.test(text)) return true;
  return /\.(?:exec|match)\(\)$/.test(text) && /^(?:\d+|groups)$/.test(name ?? '');
}

/** Parts of parts have no name of their own: a walk through a tree would make new ones for ever. */
function partText({ text, strength }: Origin, name: string | null): string {
  if (name === null) return `${text}[...]`;
  if (text === 'parameter') return name;
  const part = `${text}.${name.replace(/[^\w-]+/g, '_')}`;
  if (strength !== 'weak') return clip(part);
  const isWithin = `${text}.`.includes(`.${name}.`);
  return isWithin || part.split(/[.[]/).length > PARTS_MAX ? text : clip(part);
}

/** Whether all data in a value are paths of requests. */
export function arePaths({ origins }: Shape): boolean {
  return origins.length > 0 && origins.every(isServedPath);
}
