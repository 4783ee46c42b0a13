import type { PushReadMethod, PushStore, PushWriteMethod } from './queue.ts';

export interface PushClients {
  writer: Pick<PushStore, PushWriteMethod>;
  reader: Pick<PushStore, PushReadMethod>;
}

/**
 * One queue of pushes from the clients of its two sides. Nothing is asked again here: a write
 * whose outcome is unknown may be repeated as it is. What had happened is answered (acceptPush,
 * savePush, adoptBaseline, settleStatus) or not done twice; a claim ends with its lease.
 */
export function createPushStore({ writer, reader }: PushClients): PushStore {
  return {
    acceptPush: writer.acceptPush,
    claimPush: writer.claimPush,
    takePush: writer.takePush,
    renewPushes: writer.renewPushes,
    freeHeld: writer.freeHeld,
    savePush: writer.savePush,
    supersedePushes: writer.supersedePushes,
    adoptBaseline: writer.adoptBaseline,
    settleStatus: writer.settleStatus,
    acceptedHeads: reader.acceptedHeads,
    newestAccepted: reader.newestAccepted,
    findBaseline: reader.findBaseline,
    oldestPush: reader.oldestPush,
    prodView: reader.prodView,
    newestPushes: reader.newestPushes,
    newestPush: reader.newestPush,
    listPushed: reader.listPushed,
    queueDepth: reader.queueDepth,
    dueStatuses: reader.dueStatuses,
  };
}
