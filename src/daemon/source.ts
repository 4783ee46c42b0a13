import { join } from 'node:path';
import { createGit, type Git } from '../git/git.ts';
import { createGroups, killGroups } from '../git/process-groups.ts';
import type { SourceThreadData } from '../git/source.ts';
import { findVersion, NO_GIT } from '../git/version.ts';
import type { VcsSettings } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { createClient } from '../rpc/client.ts';
import type { Client } from '../rpc/service.ts';
import { Source } from '../rpc/source-contract.ts';
import { startServiceThread } from '../rpc/thread.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { GitState } from '../telemetry/status.ts';
import type { Lifecycle } from './lifecycle.ts';

export interface OpenSourceOptions {
  vcs: Pick<VcsSettings, 'hosts' | 'mirrorBytesMax'>;
  dataDir: string;
  lifecycle: Lifecycle;
  log: Pick<Logger, 'error'>;
  /** The thread of the mirrors ended without being asked to; its processes have been ended. */
  onFatal(error: CraError): void;
  /** Test only: where git is looked for at the start. */
  gitPath?: string;
}

export interface OpenedSource {
  source: Client<typeof Source>;
  /** As it was at the start. */
  git: GitState;
}

/**
 * Starts the thread that keeps the mirrors; rejects when it cannot start. Without a git that will
 * do everything else goes on: each call is UNAVAILABLE then, and the log says what is needed.
 */
export async function openSource(options: OpenSourceOptions): Promise<OpenedSource> {
  const { vcs, dataDir, lifecycle, onFatal } = options;
  const groups = createGroups();
  const git = await lookForGit(createGit(dataDir, groups), options);
  if (git.state !== 'up') return { source: withoutGit(), git };
  const workerData: SourceThreadData = {
    mirrorDir: join(dataDir, 'mirrors'),
    hosts: vcs.hosts,
    mirrorBytesMax: vcs.mirrorBytesMax,
    groups,
  };
  const thread = startServiceThread({
    entry: workerEntry('git'),
    workerData,
    onLost(error) {
      killGroups(groups);
      onFatal(error);
    },
  });
  await thread.ready;
  // A thread that had to be terminated could not end its processes itself.
  lifecycle.onStop('git', () => thread.close().finally(() => killGroups(groups)));
  return { source: createClient(Source, thread), git };
}

async function lookForGit(
  git: Git,
  { log, gitPath }: Pick<OpenSourceOptions, 'log' | 'gitPath'>,
): Promise<GitState> {
  try {
    return { state: 'up', version: await findVersion(git, gitPath) };
  } catch (thrown) {
    const { message, details } = CraError.fromUnknown(thrown);
    const version = typeof details['version'] === 'string' ? details['version'] : null;
    log.error({ problem: message }, 'pushes can not be judged: install git and start again');
    return { state: 'down', version };
  }
}

/** Answers every call with what is missing. */
function withoutGit(): Client<typeof Source> {
  const refuse = () =>
    Promise.reject(new CraError('UNAVAILABLE', NO_GIT, { details: { reason: NO_GIT } }));
  return {
    sync: refuse,
    listRefs: refuse,
    ancestry: refuse,
    areRelated: refuse,
    isAncestor: refuse,
    firstParents: refuse,
    changeId: refuse,
    isMergeOf: refuse,
    diff: refuse,
    blobs: refuse,
  };
}
