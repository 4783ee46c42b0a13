import { CraError } from '../../domain/errors.ts';
import { GIT } from '../../limits.ts';
import { PLAIN } from './environment.ts';
import type { Git } from './git.ts';

/** Debian 12 has 2.39, which knows all that is asked of it here and was tried. */
const OLDEST = [2, 39] as const;

/** Rejects with FAILED_PRECONDITION when git is missing or too old. */
export async function checkVersion(git: Git): Promise<void> {
  const options = { env: PLAIN, bytesMax: GIT.ANSWER_BYTES_MAX, stop: () => null };
  const said = await git.run(['version'], options).catch((cause) => {
    throw new CraError('FAILED_PRECONDITION', `${NEEDED}, and it cannot be run`, { cause });
  });
  const text = said.bytes.toString('latin1').trim();
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text)?.map(Number) ?? [];
  if (major === undefined || minor === undefined || isOlder(major, minor)) {
    throw new CraError('FAILED_PRECONDITION', `${NEEDED}, and it says "${text}"`);
  }
}

const NEEDED = `git ${OLDEST.join('.')} or later must be in /usr/bin or another usual place`;

function isOlder(major: number, minor: number): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
