import test from 'ava';
import fc from 'fast-check';
import {
  countAllLines,
  countWithoutSpace,
  measureChange,
} from '../../../src/analysis/worker/change-shape.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { type ChangeShape, EMPTY_SHAPE } from '../../../src/verdict/score-model.ts';
import { diffOf, type FileEdit, type LineEdit } from './edits.ts';

function measure(text: string) {
  const bytes = Buffer.from(text);
  return measureChange(bytes, parseDiff(bytes), countWithoutSpace(bytes));
}

const SERVICE: FileEdit = {
  path: 'src/cart/service.ts',
  isNew: false,
  hunks: [
    ['-  return cart;', '+  if (cart.isEmpty()) return null;', '+', '+  return cart;'],
    ['-const a = 1', '+const a  =  1;'],
  ],
};

test('measureChange counts files by kind, directories, hunks and lines', (t) => {
  const text = diffOf([
    SERVICE,
    { path: 'test/cart.test.ts', isNew: true, hunks: [['+one();', '+two();']] },
    { path: 'db/migrations/0002_cart.sql', isNew: true, hunks: [['+ALTER TABLE cart;']] },
    { path: 'README.md', isNew: false, hunks: [['+text']] },
    { path: 'package.json', isNew: false, hunks: [['-1', '+2']] },
  ]);
  const expected: ChangeShape = {
    ...EMPTY_SHAPE,
    la: 8,
    nf: 5,
    nd: 4,
    ns: 4,
    hunks: 6,
    n_new: 2,
    nf_code: 1,
    nf_test: 1,
    nf_doc: 1,
    nf_dep: 1,
    nf_mig: 1,
    code_la: 4,
    test_la: 2,
    src_la: 4,
    cx_add: 1,
  };
  t.deepEqual(measure(text), expected);
  const bytes = Buffer.from(text);
  const raw = measureChange(bytes, parseDiff(bytes), countAllLines);
  t.deepEqual(raw, { ...expected, la: 9, code_la: 5 });
});

test('measureChange counts files without lines: renames, modes, binary files', (t) => {
  const text = [
    'diff --git a/a.bin b/a.bin',
    'Binary files a/a.bin and b/a.bin differ',
    'diff --git a/run.py b/run.py',
    'old mode 100644',
    'new mode 100755',
    'diff --git a/lib/x.go b/lib/y.go',
    'similarity index 100%',
    'rename from lib/x.go',
    'rename to lib/y.go',
    '',
  ].join('\n');
  const { nf, nd, nf_code, la, hunks } = measure(text);
  t.deepEqual({ nf, nd, nf_code, la, hunks }, { nf: 3, nd: 2, nf_code: 2, la: 0, hunks: 0 });
});

test('measureChange leaves a file out whose lines differ in white space alone', (t) => {
  const spaces: FileEdit = {
    path: 'src/a.py',
    isNew: false,
    hunks: [
      ['-if x:', '-\ty = 1', '+if  x:', '+    y = 1\r', '+', '+ \t'],
      ['-', '+  '],
    ],
  };
  t.deepEqual(measure(diffOf([spaces])), EMPTY_SHAPE);
  const both = measure(diffOf([spaces, SERVICE]));
  t.deepEqual(both, measure(diffOf([SERVICE])));
});

const CODE: readonly (readonly [
  title: string,
  path: string,
  lines: LineEdit[],
  src_la: number,
  cx_add: number,
])[] = [
  ['words', 'a.ts', ['+if (a) for (;;) while (b) switch (c) { case 1: }'], 1, 5],
  ['operators', 'a.ts', ['+x = a && b || c ? d ?? e : f & g | h'], 1, 5],
  ['words of Python', 'a.py', ['+elif a and b or c:', '+except E:'], 2, 4],
  ['parts of words', 'a.ts', ['+iffy; ifs; _if; if2; IF; nif; elseif; exceptional'], 1, 0],
  ['a word at the ends of a line', 'a.rb', ['+if', '+x if'], 2, 2],
  ['comments', 'a.ts', ['+// if a', '+  /* if', '+   * if', '+# if', '+<!-- if -->'], 0, 0],
  ['directives', 'a.c', ['+#include <if>', '+#define A', '+#pragma if'], 2, 1],
  ['characters beyond ASCII', 'a.ts', ['+\u00e9if \u00e9 if'], 1, 2],
  ['removed lines and context', 'a.ts', ['-if (a)', ' if (b)', '+c'], 1, 0],
  ['migrations', 'db/migrations/1.sql', ['+SELECT case when a and b'], 1, 3],
  ['tests and texts', 'test/a.test.ts', ['+if (a)'], 0, 0],
  ['white space alone', 'a.py', ['-if a:', '+  if a:'], 0, 0],
];

for (const [title, path, hunk, src_la, cx_add] of CODE) {
  test(`measureChange counts lines of code and branches: ${title}`, (t) => {
    const shape = measure(diffOf([{ path, isNew: false, hunks: [hunk] }]));
    t.deepEqual([shape.src_la, shape.cx_add], [src_la, cx_add]);
  });
}

const LINE: fc.Arbitrary<LineEdit> = fc
  .tuple(fc.constantFrom('+', '-', ' '), fc.constantFrom('a', 'b ( c', 'if x', '', '\t', '}'))
  .map(([mark, text]) => `${mark}${text}`);
const FILE: fc.Arbitrary<FileEdit> = fc.record({
  path: fc.constantFrom('src/a.ts', 'src/b.py', 'test/a.test.ts', 'doc/x.md', 'go.mod', 'Makefile'),
  isNew: fc.constant(false),
  hunks: fc.array(fc.array(LINE, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
});
const FILES = fc.uniqueArray(FILE, { selector: ({ path }) => path, minLength: 1 });

test('measureChange does not depend on the order of files', (t) => {
  fc.assert(
    fc.property(FILES, fc.infiniteStream(fc.nat()), (files, keys) => {
      const shuffled = files
        .map((file) => ({ file, key: keys.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ file }) => file);
      t.deepEqual(measure(diffOf(shuffled)), measure(diffOf(files)));
    }),
  );
});

test('measureChange does not see white space', (t) => {
  const spaced = (line: LineEdit) =>
    `${line.slice(0, 1)}\t ${line.slice(1).replaceAll(' ', ' \t ')} \r`;
  fc.assert(
    fc.property(FILES, fc.constantFrom('+', '-'), (files, mark) => {
      const before = measure(diffOf(files));
      const edited = files.map((file) => ({
        ...file,
        hunks: [...file.hunks.map((hunk) => [...hunk.map(spaced), `${mark}  `]), ['-x y', '+xy']],
      }));
      t.deepEqual(measure(diffOf(edited)), before);
    }),
  );
});

test('measureChange never counts less of anything when code is added', (t) => {
  fc.assert(
    fc.property(FILES, fc.nat(), fc.boolean(), (files, index, isNewHunk) => {
      const before = measure(diffOf(files));
      const grown = files.map((file, at) => {
        if (at !== index % files.length) return file;
        const [first = [], ...rest] = file.hunks;
        const hunks = isNewHunk ? [...file.hunks, ['+new()']] : [[...first, '+new()'], ...rest];
        return { ...file, hunks };
      });
      const more = { path: 'src/more.ts', isNew: true, hunks: [['+new()']] };
      for (const edits of [grown, [...files, more]]) {
        const after = measure(diffOf(edits));
        t.true(after.la > before.la);
        for (const name of Object.keys(before) as (keyof ChangeShape)[]) {
          t.true(after[name] >= before[name], name);
        }
      }
    }),
  );
});
