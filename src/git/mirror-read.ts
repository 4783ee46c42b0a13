import { CraError } from '../model/errors.ts';
import { localEnvironment } from './environment.ts';
import type { Git, GitOutput } from './git.ts';
import { GIT } from './limits.ts';
import type { Mirror } from './mirrors.ts';

/** The two ends of a change; their ids are in the mirror's format. */
export interface Range {
  /** Null: the empty tree. */
  base: string | null;
  head: string;
}

/** A command that reads one mirror. */
export type Read = (args: readonly string[], options?: ReadOptions) => Promise<GitOutput>;

export interface ReadOptions {
  bytesMax?: number;
  cut?: boolean;
  input?: Buffer;
  /** The command is ended after so long (ms). */
  withinMs?: number;
}

/** Runs commands in one mirror until `stop` says so; each within its own time, where it has one. */
export function createRead(git: Git, { dir, format }: Mirror, stop: () => CraError | null): Read {
  const env = localEnvironment(dir, format);
  return (args, { withinMs, ...options } = {}) => {
    const endsAt = performance.now() + (withinMs ?? 0);
    const isLate = () => (performance.now() < endsAt ? null : timedOut());
    const ownStop = withinMs === undefined ? stop : () => stop() ?? isLate();
    return git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, ...options, stop: ownStop });
  };
}

function timedOut(): CraError {
  return new CraError('DEADLINE_EXCEEDED', 'git did not end within its time', {
    details: { reason: 'git did not end within its time', isOwn: true },
  });
}

/** Whether a command was ended after its own time, not after that of the call. */
export function isTimeout(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.details['isOwn'] === true;
}
