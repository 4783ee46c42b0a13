/** Body of `POST analyze` for a diff; bytes that are no UTF-8 become U+FFFD. */
export function analyzeBody(diff: Buffer | string, repoName = 'acme/shop'): Buffer {
  return Buffer.from(
    JSON.stringify({
      repo_name: repoName,
      branch: 'main',
      commit_message: 'Make the basket survive a restart of the browser',
      diff: diff.toString(),
    }),
  );
}

/** Where it is posted. */
export const ANALYZE_PATH = '/api/cra/analyze';
