/**
 * Shannon entropy of the bytes in bits per byte, 0..8: the measure by which gitleaks tells
 * random secrets from words (detect/utils.go, "shannonEntropy").
 */
export function shannonEntropy(bytes: Uint8Array): number {
  if (bytes.length === 0) return 0;
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  let entropy = 0;
  for (const count of counts) {
    if (count === 0) continue;
    const share = count / bytes.length;
    entropy -= share * Math.log2(share);
  }
  return entropy;
}
