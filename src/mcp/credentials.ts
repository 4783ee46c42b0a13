import type { AsyncEntry } from '@napi-rs/keyring';

/** Names of the entries in the credential store (specification, Tool server credentials). */
export type CredentialName = 'cra-mcp' | 'cra-mcp-override';

const ACCOUNT = 'default';
/** Hosts start the server on every launch: a store that waits for a desktop prompt is skipped. */
const START_TIMEOUT_MS = 300;
/** At login a person may have to unlock the store. */
const LOGIN_TIMEOUT_MS = 60_000;

/**
 * Reads a token from the credential store of the platform. Empty: the store does not hold it.
 * `problem` says why the store could not be read; most servers have none.
 */
export async function readCredential(
  name: CredentialName,
): Promise<{ token: string; problem: string | null }> {
  try {
    const limit = AbortSignal.timeout(START_TIMEOUT_MS);
    const late = new Promise<never>((_, reject) => {
      limit.addEventListener('abort', () =>
        reject(new Error(`no answer in ${START_TIMEOUT_MS} ms`)),
      );
    });
    const read = openEntry(name).then((entry) => entry.getPassword(limit));
    const token = await Promise.race([read, late]);
    return { token: token?.trim() ?? '', problem: null };
  } catch (thrown) {
    return { token: '', problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Writes a token. Throws when there is no credential store. */
export async function writeCredential(name: CredentialName, token: string): Promise<void> {
  const entry = await openEntry(name);
  await entry.setPassword(token, AbortSignal.timeout(LOGIN_TIMEOUT_MS));
}

/** Removes a token; false: there was no such entry. Throws when there is no credential store. */
export async function removeCredential(name: CredentialName): Promise<boolean> {
  const entry = await openEntry(name);
  const limit = AbortSignal.timeout(LOGIN_TIMEOUT_MS);
  if ((await entry.getPassword(limit)) == null) return false;
  await entry.deletePassword(limit);
  return true;
}

/**
 * The package is optional: a platform without a prebuilt binary has no store. On Linux the Secret
 * Service is named, because without it the package falls back to the kernel's keyring, which
 * accepts a token and loses it at logout.
 */
async function openEntry(name: CredentialName): Promise<AsyncEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(name, ACCOUNT, { linux: { store: 'secret-service' } });
}
