import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Entry } from './load-message.ts';

/** An RFC of a push, as it is in the store. */
export interface StoredPush {
  rfcId: string;
  /** `webhook`, or `sweep`: found before its webhook came, which was told the same RFC. */
  source: string;
  delivery: string;
  status: string;
  repo: string;
  /** From intake to verdict. */
  verdictMs: number;
}

export interface LedgerCheck {
  /** Webhooks that were answered 200, and different bodies among them. */
  acknowledged: number;
  bodies: number;
  /** RFCs that webhooks made, and RFCs that sweeps made. */
  rfcs: number;
  swept: number;
  byStatus: Record<string, number>;
  /** Whatever must not be, in words. */
  faults: string[];
  pushes: StoredPush[];
}

interface Row {
  rfc_id: string;
  source: string;
  status: string;
  delivery: string;
  repo: string;
  created_at: string;
  updated_at: string;
}

const ROWS = `
  SELECT rfc_id, status, json ->> '$.push.source' AS source,
    json ->> '$.push.delivery_id' AS delivery, repo_key AS repo, created_at,
    json ->> '$.updated_at' AS updated_at
  FROM rfc WHERE json ->> '$.push.source' IS NOT NULL ORDER BY seq`;

/** Reads the RFCs of a stopped daemon past all of its code. */
export function readStoredPushes(dataDir: string): StoredPush[] {
  const database = new Database(join(dataDir, 'cra.db'), { readonly: true });
  try {
    return database
      .prepare<[], Row>(ROWS)
      .all()
      .map(({ rfc_id, created_at, updated_at, ...row }) => {
        const verdictMs = Date.parse(updated_at) - Date.parse(created_at);
        return { ...row, rfcId: rfc_id, verdictMs };
      });
  } finally {
    database.close();
  }
}

/**
 * Compares what was acknowledged with what is stored: each acknowledged webhook has the RFC that
 * it was told, each body has one RFC however often it came, and all of them are final. A push that
 * a sweep found first has one RFC for all of its webhooks, which is no webhook's own.
 */
export function checkLedger(entries: readonly Entry[], pushes: readonly StoredPush[]): LedgerCheck {
  const faults: string[] = [];
  const stored = new Map(pushes.map((push) => [push.rfcId, push]));
  const rfcsOfBody = new Map<number, Set<string>>();
  const bodyOfDelivery = new Map(entries.map(({ delivery, body }) => [delivery, body]));
  let acknowledged = 0;
  for (const { status, rfcId, delivery, body, error } of entries) {
    if (status !== 200) {
      if (status !== 0) faults.push(`${delivery} was answered ${status}: ${error}`);
      continue;
    }
    acknowledged += 1;
    if (rfcId === null || !stored.has(rfcId)) faults.push(`${delivery}: ${rfcId} is lost`);
    else rfcsOfBody.set(body, (rfcsOfBody.get(body) ?? new Set()).add(rfcId));
  }
  const owners = new Map<number, string>();
  for (const { rfcId, delivery, status, source } of pushes) {
    if (status === 'DRAFT') faults.push(`${rfcId} is a DRAFT`);
    if (source !== 'webhook') continue;
    const body = bodyOfDelivery.get(delivery);
    if (body === undefined) faults.push(`${rfcId}: nobody sent ${delivery}`);
    else if (owners.has(body)) faults.push(`${rfcId}: another RFC for the body of ${delivery}`);
    else owners.set(body, rfcId);
  }
  for (const [body, rfcs] of rfcsOfBody) {
    if (rfcs.size !== 1) faults.push(`body ${body} was told ${rfcs.size} RFCs`);
  }
  const byStatus: Record<string, number> = {};
  for (const { status } of pushes) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const { size: bodies } = rfcsOfBody;
  const rfcs = owners.size;
  const swept = pushes.filter(({ source }) => source !== 'webhook').length;
  return { acknowledged, bodies, rfcs, swept, byStatus, faults, pushes: [...pushes] };
}
