import { type Proof, proveKind } from './ground.ts';
import { KINDS, type Kind } from './kinds.ts';
import { describeMachine } from './machine.ts';

/**
 * Does a process outlive the loss of threads that use RE2? Loses COUNT (500) threads of each
 * kind (or of those named), one after the other, and prints a table in Markdown.
 */
const COLUMNS = [
  'kind',
  'threads lost',
  'process',
  'new thread ready, ms (median, max)',
  'thread gone, ms (median, max)',
  'RSS MiB at 10 %, 50 %, 100 %',
  'MiB kept per lost thread',
  'wrong matches',
  'children forked, running, defunct',
];

const [countText = '500', ...named] = process.argv.slice(2);
const count = Number(countText);
if (!Number.isInteger(count) || count < 1) throw new Error('usage: thread-replacement COUNT KIND');
const kinds = KINDS.filter((kind) => named.length === 0 || named.includes(kind));

console.log(`${describeMachine()}\n`);
console.log(tableRow(COLUMNS));
console.log(`|${'---|'.repeat(COLUMNS.length)}`);
let survived = true;
for (const kind of kinds) {
  const proof = await proveKind(kind, count);
  survived &&= proof.ended === 'exit 0';
  console.log(tableRow(cellsOf(kind, proof)));
}
process.exitCode = survived ? 0 : 1;

function cellsOf(kind: Kind, { ended, result }: Proof): string[] {
  if (result === null) return [kind, '?', `**${ended}**`, '', '', '', '', '', ''];
  const { readyMs, deathMs, rssMiB, children } = result;
  return [
    kind,
    String(result.count),
    ended === 'exit 0' ? 'lived' : `**${ended}**`,
    `${readyMs.median.toFixed(0)}, ${readyMs.max.toFixed(0)}`,
    `${deathMs.median.toFixed(1)}, ${deathMs.max.toFixed(1)}`,
    rssMiB.join(', '),
    ((rssMiB[2] - rssMiB[0]) / (result.count * 0.9)).toFixed(1),
    String(result.witnessErrors),
    children.forked === 0 ? '' : `${children.forked}, ${children.running}, ${children.defunct}`,
  ];
}

function tableRow(cells: string[]): string {
  return `| ${cells.join(' | ')} |`;
}
