/** An envelope of evidence (DSSE). */
export interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
}

/**
 * Changes one bit of the statement or of its signature, or the type or key that it names.
 * `hasKey` false: the verifier does not read the name of the key.
 */
export function tampered(
  line: string,
  random: { between(from: number, to: number): number },
  hasKey = true,
): string {
  const envelope = JSON.parse(line) as Envelope;
  const [signature] = envelope.signatures;
  if (signature === undefined) return line;
  const flip = (encoded: string) => {
    const bytes = Buffer.from(encoded, 'base64');
    const at = random.between(0, bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 8));
    return bytes.toString('base64');
  };
  const ways = [
    () => ({ ...envelope, payload: flip(envelope.payload) }),
    () => ({ ...envelope, signatures: [{ ...signature, sig: flip(signature.sig) }] }),
    () => ({ ...envelope, payloadType: `${envelope.payloadType}x` }),
    () => ({ ...envelope, signatures: [] }),
    ...(hasKey
      ? [() => ({ ...envelope, signatures: [{ ...signature, keyid: `${signature.keyid}x` }] })]
      : []),
  ];
  // Most changes are of the statement.
  const way = ways[Math.max(0, random.between(-10, ways.length))] ?? ways[0];
  return JSON.stringify(way?.());
}
