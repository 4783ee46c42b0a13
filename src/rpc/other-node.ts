/**
 * What to do about an error of a native module that was compiled for another version of Node, or
 * has no binary for this one; null for other errors.
 */
export function otherNode(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null;
  const { code, message } = thrown as NodeJS.ErrnoException;
  const isOther = code === 'ERR_DLOPEN_FAILED' || message.startsWith('This version of uWS.js');
  if (!isOther) return null;
  return `a native module does not load in Node ${process.version}: use Node 20.19+ or 22.12+ (24 is not supported), and run npm ci with it`;
}
