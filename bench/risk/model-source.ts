import type { RiskModel } from '../../src/verdict/score-model.ts';

const LINE_CHARS_MAX = 98;

/** The TypeScript of a model, for src/verdict/score-trees.ts. */
export function modelSource({ trees, ...head }: RiskModel, facts: readonly string[]): string {
  const lines = [
    "import type { RiskModel } from './score-model.ts';",
    '',
    '/**',
    ' * The trained change model. Written by `npm run bench -- train-risk`: train it anew rather than',
    ' * change a number; docs/why/risk-score.md says how.',
    ...facts.map((fact) => ` * ${fact}`),
    ' */',
    'export const RISK_MODEL: RiskModel = {',
    `  name: '${head.name}',`,
    `  intercept: ${head.intercept},`,
    `  message: ${objectText(head.message)},`,
    `  messageMax: ${head.messageMax},`,
    '  // biome-ignore format: numbers',
    '  trees: [',
    ...fill(trees).map((line) => `    ${line}`),
    '  ],',
    '};',
    '',
  ];
  return lines.join('\n');
}

function objectText(object: object): string {
  const parts = Object.entries(object).map(([key, value]) => `${key}: ${value}`);
  return `{ ${parts.join(', ')} }`;
}

function fill(numbers: readonly number[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const number of numbers) {
    const next = `${line}${line === '' ? '' : ' '}${number},`;
    if (next.length > LINE_CHARS_MAX - 4) {
      lines.push(line);
      line = `${number},`;
    } else line = next;
  }
  return [...lines, line];
}
