import { GIT } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { PLAIN } from './environment.ts';
import type { Git } from './git.ts';

/** Debian 12 has 2.39, which knows all that is asked of it here and was tried. */
const OLDEST = [2, 39] as const;

/** What is needed, for callers. */
export const NO_GIT = `git ${OLDEST.join('.')} or newer is not installed on the service`;

/**
 * The version of the git that is found, as `2.39.5`. Rejects with FAILED_PRECONDITION when there
 * is none, or it is too old (`details.version`). `path` is where to look for it.
 */
export async function findVersion(git: Git, path: string = PLAIN.PATH): Promise<string> {
  const env = { ...PLAIN, PATH: path };
  const options = { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop: () => null };
  const said = await git.run(['version'], options).catch((cause) => {
    throw refusal(`there is no git in ${path}`, null, cause);
  });
  const text = said.bytes.toString('latin1').trim();
  const [version = null, major, minor] = /(\d+)\.(\d+)(?:\.\d+)*/.exec(text) ?? [];
  if (version === null || isOlder(Number(major), Number(minor))) {
    throw refusal(`it says "${text.slice(0, GIT.REASON_CHARS_MAX)}"`, version);
  }
  return version;
}

function refusal(found: string, version: string | null, cause?: unknown): CraError {
  return new CraError('FAILED_PRECONDITION', `${NO_GIT}: ${found}`, {
    details: { version },
    cause,
  });
}

function isOlder(major: number, minor: number): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
