/**
 * The form in which repositories are compared: hosts treat `Org/Repo` and `org/repo` as one, so
 * a verdict under one spelling must be found under the other.
 */
export function repoKey(repoName: string): string {
  return repoName.toLowerCase();
}
