import { join } from 'node:path';
import type { CraError } from '../domain/errors.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { createClient } from '../rpc/client.ts';
import type { Client } from '../rpc/service.ts';
import { Source } from '../rpc/source-contract.ts';
import { startServiceThread } from '../rpc/thread.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import { createGroups, killGroups } from '../vcs/git/process-groups.ts';
import type { SourceThreadData } from '../vcs/git/thread-data.ts';
import type { VcsSettings } from '../vcs/settings.ts';

export interface OpenSourceOptions {
  vcs: Pick<VcsSettings, 'hosts' | 'mirrorBytesMax'>;
  dataDir: string;
  lifecycle: Lifecycle;
  /** The thread of the mirrors ended without being asked to; its processes have been ended. */
  onFatal(error: CraError): void;
}

/** Starts the thread that keeps the mirrors. Rejects when it cannot start, as without git. */
export async function openSource(options: OpenSourceOptions): Promise<Client<typeof Source>> {
  const { vcs, dataDir, lifecycle, onFatal } = options;
  const groups = createGroups();
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
  return createClient(Source, thread);
}
