/**
 * A text of the change as a code span: GitHub, GitLab and Gitea make no links, mentions,
 * references, images or HTML of it. It is one line, so no quick action of GitLab can begin in it.
 * https://spec.commonmark.org/0.31.2/#code-spans
 */
export function codeSpan(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim() || ' ';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A text cut to so many code points, so that no character is cut in half. */
export function cutText(text: string, charsMax: number): string {
  const chars = [...text];
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax - 1).join('')}…`;
}
