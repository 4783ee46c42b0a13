/**
 * The form in which commits are compared: git writes its ids in lower case and reads them in any.
 * What is no id of git (another system's) stays as it is.
 */
export function commitId(text: string): string {
  return /^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}
