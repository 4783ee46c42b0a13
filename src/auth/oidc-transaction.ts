import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { AUTH } from '../limits.ts';

/** What has to be known again when the browser comes back from the issuer. */
export interface Transaction {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

/** Seals transactions into a cookie, so that nothing is stored for those who never come back. */
export interface TransactionSeal {
  seal(transaction: Transaction): Promise<string>;
  /** Rejects for what was not sealed here, or is older than AUTH.LOGIN_MS. */
  open(sealed: string): Promise<Transaction>;
}

const SECOND_MS = 1_000;
const KEY_BYTES = 32;

/** Creates the seal; daemons with the same secret open each other's. */
export function createTransactionSeal(secret: string, now: () => number): TransactionSeal {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'cra login transaction', KEY_BYTES));
  return {
    seal: ({ state, nonce, verifier, returnTo }) =>
      new EncryptJWT({ state, nonce, verifier, returnTo })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(Math.floor((now() + AUTH.LOGIN_MS) / SECOND_MS))
        .encrypt(key),
    async open(sealed) {
      const { payload } = await jwtDecrypt<Record<keyof Transaction, unknown>>(sealed, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
      });
      const { state, nonce, verifier, returnTo } = payload;
      return {
        state: String(state),
        nonce: String(nonce),
        verifier: String(verifier),
        returnTo: String(returnTo),
      };
    },
  };
}
