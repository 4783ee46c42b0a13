import type { PushReader, PushWriter } from '../../contract/pushes.ts';
import type { TrailWriter } from '../../contract/trail.ts';
import { whenReachable } from '../connection.ts';
import { createFreshRead } from '../fresh-read.ts';
import type { MongoStore } from '../records.ts';
import { createBaselines } from './baselines.ts';
import { createClaims } from './claims.ts';
import { createFallen } from './fallen.ts';
import { createHeadReader } from './heads.ts';
import { createIntake } from './intake.ts';
import { createHold, freeHeld, renewPushes, takePush } from './leases.ts';
import { createOverview } from './overview.ts';
import { createProgress } from './progress.ts';
import { createStatuses } from './statuses.ts';

interface MongoPushesOptions {
  store: Pick<MongoStore, 'connection' | 'inserts' | 'track'>;
  appendEvent: TrailWriter['appendEvent'];
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/** The queue of pushes on the connection of the store. */
export function createMongoPushes(options: MongoPushesOptions): PushWriter & PushReader {
  const { store, appendEvent, instance, now } = options;
  const { connection, inserts, track } = store;
  const { collections } = connection;
  const { rfcs } = collections;
  const fresh = createFreshRead(connection.db);
  const accept = createIntake({ collections, inserts, instance, now });
  const hold = createHold(rfcs, now);
  const claims = createClaims({ rfcs, hold });
  const progress = createProgress(rfcs, now);
  const heads = createHeadReader(collections, fresh);
  const baselines = createBaselines({ collections, fresh, appendEvent });
  const fallen = createFallen(collections, fresh);
  const statuses = createStatuses(rfcs);
  const overview = createOverview(rfcs, fresh);

  const methods: PushWriter & PushReader = {
    acceptPush: ({ record, push }, call) => track(() => accept(record, push, call)),
    claimPush: (input, call) => track(() => claims.submit(input, call)),
    takePush: (input) => track(() => takePush(rfcs, hold, input)),
    renewPushes: (input) => track(() => renewPushes(rfcs, input)),
    freeHeld: ({ owner }) => track(() => freeHeld(rfcs, owner)),
    savePush: (input) => track(() => progress.save(input)),
    supersedePushes: (input) => track(() => progress.supersede(input)),
    adoptBaseline: (input, call) => track(() => baselines.adopt(input, call)),
    lowerBaseline: (input, call) => track(() => baselines.lower(input, call)),
    bindRepository: (input) => track(() => baselines.bind(input)),
    reopenPush: (input) => track(() => progress.reopen(input)),
    settleFallen: (input) => track(() => fallen.settle(input)),
    settleStatus: (input) => track(() => statuses.settle(input)),
    acceptedHeads: heads.acceptedHeads,
    newestAccepted: heads.newestAccepted,
    findBaseline: baselines.find,
    oldestPush: heads.oldestPush,
    pushesOfCommit: heads.pushesOfCommit,
    refusedPushes: heads.refusedPushes,
    overriddenPushes: heads.overriddenPushes,
    restingOn: heads.restingOn,
    fallen: fallen.list,
    prodView: overview.prodView,
    newestPushes: heads.newestPushes,
    newestPush: overview.newestPush,
    listPushed: overview.listPushed,
    queueDepth: overview.queueDepth,
    dueStatuses: statuses.due,
  };
  return whenReachable(connection, methods);
}
