import type { Db } from 'mongodb';
import { auditCollection } from './audit-collection.ts';
import { measureRoom } from './audit-fill.ts';
import { answersUnasked, type Level, levelOf, readHolder } from './audit-level.ts';

/** Asks the server how well the trail is kept: who both users are and what they may do. */
export async function readLevel(audit: Db, records: Db): Promise<Level> {
  const [auditUser, storeUser, room, isAnswered] = await Promise.all([
    readHolder(audit),
    readHolder(records),
    measureRoom(auditCollection(audit)),
    answersUnasked(audit),
  ]);
  return levelOf({
    database: audit.databaseName,
    auditUser,
    storeUser,
    isCapped: room.bytesMax !== null,
    answersUnasked: isAnswered,
  });
}
