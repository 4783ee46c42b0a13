import type { AuditSource } from '../../audit/audit.ts';
import { AUDIT } from '../../limits.ts';
import { auditCollection } from './audit-collection.ts';
import { openAuditDatabase } from './audit-connection.ts';
import { readFailure } from './audit-error.ts';

/** Opens the trail of a MongoDB for reading: `find` is all that its user needs. */
export async function openMongoAuditSource(url: string): Promise<AuditSource> {
  const { client, db } = await openAuditDatabase(url);
  const audit = auditCollection(db);

  async function* entries(chain: string): AsyncGenerator<string> {
    let last = 0;
    for (;;) {
      // A page for itself, so that a reader who takes his time loses no cursor.
      const page = await audit
        .find({ chain, seq: { $gt: last } })
        .project<{ seq: number; entry: string }>({ _id: 0, seq: 1, entry: 1 })
        .sort({ seq: 1 })
        .limit(AUDIT.READ_PAGE)
        .toArray()
        .catch((thrown: unknown) => {
          throw readFailure(thrown);
        });
      for (const { entry } of page) yield entry;
      const newest = page.at(-1);
      if (newest === undefined) return;
      last = newest.seq;
    }
  }

  return {
    async chains() {
      // The names begin with the time of the boot.
      const names = await audit.distinct('chain').catch((thrown: unknown) => {
        throw readFailure(thrown);
      });
      return names.sort();
    },
    entries,
    close: () => client.close(),
  };
}
