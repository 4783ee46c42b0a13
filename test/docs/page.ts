import { CALL_BLOCKS } from '../../src/http/openapi/document.ts';

/** The page with the answers of its calls replaced, in order. */
export function withAnswers(page: string, answers: readonly string[]): string {
  let index = 0;
  return page.replace(CALL_BLOCKS, (block, commands: string, kind: string | undefined) => {
    const answer = answers[index++] ?? '';
    const fence = '```';
    const call = `${fence}sh\n${commands}${fence}\n`;
    return kind === undefined ? block : `${call}\n${fence}${kind}\n${answer}${fence}\n`;
  });
}

/** Ids by which later calls name what earlier ones answered. */
const IDS = [
  /RFC-[0-9A-F]{27}/g,
  /F-[0-9A-F]{27}-\d+/g,
  /T-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  /"\d+-[0-9a-f]{16}"/g,
];

/** The ids of one text, and those at the same places of another. */
export function pairIds(shown: string, real: string): [string, string][] {
  return IDS.flatMap((pattern) => {
    const others = distinct(real, pattern);
    return distinct(shown, pattern).map((id, at): [string, string] => [id, others[at] ?? id]);
  });
}

function distinct(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([id]) => id))];
}
