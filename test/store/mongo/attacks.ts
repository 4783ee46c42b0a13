import type { Db, Document, MongoClient } from 'mongodb';

/** What somebody with the credentials of the trail's writer may try. */
export interface Attack {
  name: string;
  run(audit: Db, client: MongoClient): Promise<unknown>;
}

const DATE = new Date('2026-11-21T10:00:00.000Z');
const FORGED: Document = {
  _id: 'forged:1',
  chain: 'forged',
  seq: 1,
  op_id: 'forged',
  slot: 'whole',
  phase: 'whole',
  kind: 'boot',
  ts: DATE,
  entry: '{}',
};

const ALL = { seq: { $gte: 1 } };
const WIPE = { $set: { entry: 'x' } };

/** Every one of them must be refused with code 13 (Unauthorized). */
export const ATTACKS: readonly Attack[] = [
  on('update', { update: 'audit', updates: [{ q: ALL, u: WIPE }] }),
  on('update of many', { update: 'audit', updates: [{ q: ALL, u: WIPE, multi: true }] }),
  on('replace', { update: 'audit', updates: [{ q: ALL, u: FORGED }] }),
  on('upsert', { update: 'audit', updates: [{ q: { seq: -1 }, u: FORGED, upsert: true }] }),
  on('findAndModify', { findAndModify: 'audit', query: ALL, update: WIPE }),
  on('findAndModify remove', { findAndModify: 'audit', query: ALL, remove: true }),
  on('delete', { delete: 'audit', deletes: [{ q: ALL, limit: 1 }] }),
  on('delete of many', { delete: 'audit', deletes: [{ q: ALL, limit: 0 }] }),
  {
    name: 'bulkWrite delete',
    run: (audit) => audit.collection('audit').bulkWrite([{ deleteOne: { filter: ALL } }]),
  },
  on('drop', { drop: 'audit' }),
  {
    name: 'rename',
    run: (audit, client) =>
      client.db('admin').command({
        renameCollection: `${audit.databaseName}.audit`,
        to: `${audit.databaseName}.gone`,
      }),
  },
  on('collMod cappedSize', { collMod: 'audit', cappedSize: 4096 }),
  on('collMod validationLevel', { collMod: 'audit', validationLevel: 'off' }),
  on('convertToCapped', { convertToCapped: 'audit', size: 4096 }),
  on('createIndexes', { createIndexes: 'audit', indexes: [{ key: { kind: 1 }, name: 'kind' }] }),
  on('createIndexes with TTL', {
    createIndexes: 'audit',
    indexes: [{ key: { ts: 1 }, name: 'ttl', expireAfterSeconds: 0 }],
  }),
  on('dropIndexes', { dropIndexes: 'audit', index: '*' }),
  on('dropDatabase', { dropDatabase: 1 }),
  {
    name: '$out',
    run: (audit) =>
      audit
        .collection('audit')
        .aggregate([{ $out: 'audit' }])
        .toArray(),
  },
  {
    name: '$merge',
    run: (audit) =>
      audit
        .collection('audit')
        .aggregate([{ $merge: { into: 'audit', whenMatched: 'replace' } }])
        .toArray(),
  },
  on('create', { create: 'audit2' }),
  on('compact', { compact: 'audit' }),
  on('reIndex', { reIndex: 'audit' }),
  on('cloneCollectionAsCapped', {
    cloneCollectionAsCapped: 'audit',
    toCollection: 'copy',
    size: 4096,
  }),
  {
    name: 'applyOps',
    run: (audit, client) =>
      client.db('admin').command({
        applyOps: [{ op: 'd', ns: `${audit.databaseName}.audit`, o: { _id: 'x' } }],
      }),
  },
  on('mapReduce out', {
    mapReduce: 'audit',
    map: 'function() { emit(1, 1); }',
    reduce: 'function() { return 1; }',
    out: { replace: 'audit' },
  }),
  on('grantRolesToUser', { grantRolesToUser: 'cra_audit', roles: ['dbOwner'] }),
  on('updateRole', { updateRole: 'cra_audit_writer', privileges: [], roles: ['dbOwner'] }),
  on('changing the password', { updateUser: 'cra_audit', pwd: 'x' }),
  {
    name: 'fsyncLock',
    run: (_audit, client) => client.db('admin').command({ fsync: 1, lock: true }),
  },
  { name: 'shutdown', run: (_audit, client) => client.db('admin').command({ shutdown: 1 }) },
  {
    name: 'reading the oplog',
    run: (_audit, client) => client.db('local').collection('oplog.rs').findOne(),
  },
  on('insert around the validator', {
    insert: 'audit',
    documents: [{ ...FORGED, entry: 1 }],
    bypassDocumentValidation: true,
  }),
];

function on(name: string, command: Document): Attack {
  return { name, run: (audit) => failing(audit.command(command)) };
}

/** A raw command reports what it refused of a batch in its answer. */
async function failing(answer: Promise<Document>): Promise<void> {
  const { writeErrors } = await answer;
  if (Array.isArray(writeErrors) && writeErrors.length > 0) throw writeErrors[0];
}
