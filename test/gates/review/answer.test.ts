import test from 'ava';
import { checkAnswer } from '../../../src/gates/review/answer.ts';
import { planReview, renderPrompt } from '../../../src/gates/review/prompt.ts';

const LINE = "  total = total.plus(priceOf('a', items[3]));";
const PLAN = planReview([
  { path: 'src/a.js', priority: 1, lines: [{ number: 3, side: 'added', text: LINE }] },
]);

/** Class and severity of a finding with these fields beside a good place. */
function graded(fields: Record<string, unknown>): string {
  const [chunk] = PLAN.chunks;
  if (chunk === undefined) throw new TypeError('no chunk');
  const prompt = renderPrompt(chunk, PLAN.paths);
  const finding = {
    file: 1,
    side: 'added',
    line: 3,
    quote: LINE,
    why: 'x',
    class: 'path-traversal',
    attacker_input: 'yes',
    guard: '',
    ...fields,
  };
  const { receiptStart: receipt_start, receiptEnd: receipt_end } = prompt;
  const text = JSON.stringify({ receipt_start, receipt_end, files: [1], findings: [finding] });
  const answer = checkAnswer(text, chunk, prompt, 1_000_000);
  if (answer.kind !== 'read') return answer.why;
  return answer.findings.map(({ class: name, severity }) => `${name} ${severity}`).join();
}

const OTHER = 'other medium';

test('a class counts in any spelling that names it', (t) => {
  const SPELLINGS = [
    ...['path-traversal', 'Path-Traversal', 'PATH_TRAVERSAL', 'path traversal', ' path-traversal '],
    ...['path_traversal', 'llm-path-traversal', 'LLM-Path-Traversal', 'pathTraversal'],
    ...['path\u2011traversal', 'path\u200b-traversal', '`path-traversal`', '"path-traversal"'],
    ...['path--traversal', 'path-traversal.', '- path-traversal'],
  ];
  for (const name of SPELLINGS) t.is(graded({ class: name }), 'path-traversal high', name);
  const OTHERS = ['path', 'traversal', 'path-traversal-x', '', 7, null, ['backdoor'], '__proto__'];
  for (const name of OTHERS) t.is(graded({ class: name }), OTHER, `${name}`);
});

test('input of an attacker and a guard count by what they say, not by their spelling', (t) => {
  const PROVEN: Record<string, unknown>[] = [
    ...['yes', 'Yes', 'YES', ' yes ', 'yes.', true, 'true'].map((attacker_input) => ({
      attacker_input,
    })),
    ...['', ' ', null, undefined, false, 'none', 'None.', 'no', 'N/A', 'n/a', '-', 'null'].map(
      (guard) => ({ guard }),
    ),
    ...[0, [], {}, 'no guard', 'nothing', 'not guarded'].map((guard) => ({ guard })),
  ];
  for (const one of PROVEN) t.is(graded(one), 'path-traversal high', JSON.stringify(one));
  const before = process.cpuUsage();
  t.is(
    graded({ guard: `${'-'.repeat(1_000_000)}x`, class: 'path-traversal' }),
    'path-traversal medium',
  );
  t.true(process.cpuUsage(before).user < 5_000_000);
  const WEAKER: Record<string, unknown>[] = [
    ...['no', 'unclear', 'No', '', null, undefined, false, 0].map((attacker_input) => ({
      attacker_input,
    })),
    ...['checked by isSafe()', 'the path is normalised', 'none of the paths leaves the folder'].map(
      (guard) => ({ guard }),
    ),
  ];
  for (const one of WEAKER) t.is(graded(one), 'path-traversal medium', JSON.stringify(one));
});
