import type { Desk, DeskReadMethod, DeskWriteMethod } from './desk.ts';

/** One desk from the clients of its writing and its reading side. */
export function createDesk(
  writer: Pick<Desk, DeskWriteMethod>,
  reader: Pick<Desk, DeskReadMethod>,
): Desk {
  return {
    createTask: writer.createTask,
    updateTask: writer.updateTask,
    listPendingTasks: reader.listPendingTasks,
    logUsage: writer.logUsage,
    usageTotal: reader.usageTotal,
    usageDays: reader.usageDays,
    newestRules: reader.newestRules,
    rulesAt: reader.rulesAt,
    listRules: reader.listRules,
    addRules: writer.addRules,
    createSession: writer.createSession,
    findSession: reader.findSession,
    touchSession: writer.touchSession,
    deleteSession: writer.deleteSession,
    deleteSessionsOf: writer.deleteSessionsOf,
  };
}
