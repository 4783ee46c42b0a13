import test from 'ava';
import { parseDiff } from '../../src/diff/parse.ts';
import { countChanges } from '../../src/diff/stats.ts';
import { type Blob, createRepository } from './repository.ts';

const link = (name: string, target: string): Blob => ({ name, data: target, mode: '120000' });

test('countChanges counts files that change their kind as numstat does', (t) => {
  const before = [
    { name: 'binary to link', data: 'a\0b' },
    link('link to binary', 'target'),
    link('link to text', 'target'),
    { name: 'text to link', data: 'x\ny\n' },
    { name: 'text', data: 'x\n' },
  ];
  const after = [
    link('binary to link', 'target'),
    { name: 'link to binary', data: 'a\0b' },
    { name: 'link to text', data: 'one\ntwo\n' },
    link('text to link', 'target'),
    { name: 'text', data: 'y\nz\n' },
  ];
  const { git, remove } = createRepository([before, after]);
  t.teardown(remove);
  const numstat = git('diff', '--numstat', 'HEAD~1', 'HEAD').toString().trim().split('\n');
  const sum = (column: number) =>
    numstat.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0);
  t.deepEqual(countChanges(parseDiff(git('diff', 'HEAD~1', 'HEAD')).files), {
    files: numstat.length,
    additions: sum(0),
    deletions: sum(1),
  });
});
