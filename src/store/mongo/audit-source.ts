import type { AuditSource } from '../../audit/audit.ts';
import { AUDIT } from '../../limits.ts';
import { auditCollection } from './audit-collection.ts';
import { openAuditDatabase } from './audit-connection.ts';
import { readFailure } from './audit-error.ts';
import { databaseOf, defaultAuditUrl, STORE_DATABASE } from './audit-url.ts';

/** The connection string of the trail of a store. */
export function trailUrl({ url, auditUrl }: { url: string; auditUrl: string | null }): string {
  return auditUrl ?? defaultAuditUrl(url, databaseOf(url, STORE_DATABASE));
}

const FIRST_PAGE = 2;

/** Opens the trail of a MongoDB for reading: `find` is all that its user needs. */
export async function openMongoAuditSource(url: string): Promise<AuditSource> {
  const { client, db } = await openAuditDatabase(url);
  const audit = auditCollection(db);

  async function* entries(chain: string): AsyncGenerator<string> {
    let last = 0;
    // Whoever looks at all chains wants the first entries only.
    for (let limit = FIRST_PAGE; ; limit = AUDIT.READ_PAGE) {
      // A page for itself, so that a reader who takes his time loses no cursor.
      const page = await audit
        .find({ chain, seq: { $gt: last } })
        .project<{ seq: number; entry: string }>({ _id: 0, seq: 1, entry: 1 })
        .sort({ seq: 1 })
        .limit(limit)
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
