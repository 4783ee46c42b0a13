import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import {
  createCheckpointVerifier,
  type OpenCheckpoint,
  readVerifierKey,
  signingKey,
} from '../../audit/checkpoint.ts';

/**
 * Statements of in-toto in signed envelopes (DSSE v1.0, github.com/secure-systems-lab/dsse). They
 * are signed with the key of the trail's checkpoints: what is signed here begins with `DSSEv1`, a
 * checkpoint with `cra-audit/`, so neither can stand for the other.
 */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** Signs statements. */
export interface StatementSigner {
  /** SHA-256 of the public key, as OpenSSH shows it and go-securesystemslib computes it. */
  readonly keyid: string;
  /** The envelope of a statement (JSON), as one line without its end. */
  seal(statement: string): string;
}

/** Creates a signer from the Ed25519 seed of the checkpoints, 32 bytes. */
export function createStatementSigner(seed: Uint8Array): StatementSigner {
  const key = signingKey(seed);
  const keyid = keyidOf(createPublicKey(key));
  return {
    keyid,
    seal(statement) {
      const payload = Buffer.from(statement);
      return lineOf(payload, keyid, sign(null, preAuthEncoding(payload), key));
    },
  };
}

/** A public key that evidence is checked with. */
export interface EvidenceKey {
  keyid: string;
  key: KeyObject;
  /** Opens checkpoints of the same key. */
  open: OpenCheckpoint;
}

/** Reads a public key as `cra audit key` prints it. Throws RangeError for another text. */
export function readEvidenceKey(verifierKey: string): EvidenceKey {
  const { key } = readVerifierKey(verifierKey);
  return { keyid: keyidOf(key), key, open: createCheckpointVerifier(verifierKey) };
}

/** A statement whose signature was checked, or the problem as a phrase. */
type OpenedEnvelope =
  | { statement: string; key: EvidenceKey; problem: null }
  | { statement: null; key: null; problem: string };

/**
 * Opens an envelope. It must be byte for byte as `seal` writes it: a signature is over the payload
 * alone, and bytes that no signature covers must say nothing.
 */
export function openEnvelope(line: string, keys: readonly EvidenceKey[]): OpenedEnvelope {
  const parts = partsOf(line);
  if (parts === null) return refused('it is not an envelope as this service writes it');
  const { payload, keyid, signature } = parts;
  const key = keys.find((known) => known.keyid === keyid);
  if (key === undefined) return refused(`it names the key ${keyid}, which was not given`);
  if (!verify(null, preAuthEncoding(payload), key.key, signature)) {
    return refused('its signature is not that of the key over this statement');
  }
  return { statement: payload.toString(), key, problem: null };
}

function refused(problem: string): OpenedEnvelope {
  return { statement: null, key: null, problem };
}

function partsOf(line: string): { payload: Buffer; keyid: string; signature: Buffer } | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { payload, signatures } = Object(value) as Record<string, unknown>;
  const [first] = Array.isArray(signatures) ? signatures : [];
  const { keyid, sig } = Object(first) as Record<string, unknown>;
  if (![payload, keyid, sig].every((text) => typeof text === 'string')) return null;
  const parts = {
    payload: Buffer.from(String(payload), 'base64'),
    keyid: String(keyid),
    signature: Buffer.from(String(sig), 'base64'),
  };
  return lineOf(parts.payload, parts.keyid, parts.signature) === line ? parts : null;
}

function lineOf(payload: Buffer, keyid: string, signature: Buffer): string {
  return JSON.stringify({
    payload: payload.toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid, sig: signature.toString('base64') }],
  });
}

/** PAE of DSSE: what is signed. */
function preAuthEncoding(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** `SHA256:` and base64 without padding, over the key as SSH sends it (RFC 8709, 4). */
function keyidOf(key: KeyObject): string {
  const spki = key.export({ format: 'der', type: 'spki' });
  const raw = spki.subarray(-RAW_KEY_BYTES);
  const blob = Buffer.concat([SSH_TYPE, Buffer.of(0, 0, 0, RAW_KEY_BYTES), raw]);
  const digest = createHash('sha256').update(blob).digest('base64');
  return `SHA256:${digest.replace(/=$/, '')}`;
}

const RAW_KEY_BYTES = 32;
const SSH_TYPE = Buffer.concat([Buffer.of(0, 0, 0, 11), Buffer.from('ssh-ed25519')]);
