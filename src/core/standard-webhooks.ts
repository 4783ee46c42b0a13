import { createHmac, type Hmac } from 'node:crypto';

/** What stands before a key in base64. */
const PREFIX = 'whsec_';

/** The key of a secret of Standard Webhooks (github.com/standard-webhooks/standard-webhooks). */
export function webhookKey(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret);
}

/** The MAC of a delivery, to be fed with its body; `timestamp`: seconds since the epoch. */
export function webhookMac(secret: string, id: string, timestamp: string): Hmac {
  return createHmac('sha256', webhookKey(secret)).update(`${id}.${timestamp}.`);
}
