/**
 * What to do about an error of a native module that was compiled for another version of Node, or
 * has no binary for this one (`version`, as `process.version`); null for other errors.
 */
export function otherNode(thrown: unknown, version: string): string | null {
  if (!(thrown instanceof Error)) return null;
  const { message } = thrown;
  if (!OTHER_NODE.test(message)) return null;
  return `a native module does not load in Node ${version}: use Node 20.19+ or 22.12+ (24 is not supported), and run npm ci with it: ${message}`;
}

/** Of Node, and of uWebSockets.js. A file that is damaged or missing fails to load, too. */
const OTHER_NODE = /NODE_MODULE_VERSION|compiled against|^This version of uWS\.js/;
