import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { flawsOf } from '../../../src/gates/syntax/il/check.ts';
import type { Module } from '../../../src/gates/syntax/il/il.ts';
import { printModule } from '../../../src/gates/syntax/il/print.ts';
import { python } from '../../../src/gates/syntax/lower/python/language.ts';
import { loadParser } from '../../../src/gates/syntax/parse/tree.ts';
import { readPackaged } from './code.ts';

const parser = await loadParser('python', readPackaged);

function lower(text: string): Module {
  const { root } = parser.parse(text);
  if (root === null) throw new TypeError('it nests too deeply');
  return python.lower(root, text);
}

/**
 * Types of nodes that no expression or statement is: they stand in a declaration, type, pattern,
 * import or literal and are read there, or hold nothing that runs.
 */
const HARMLESS = new Set(
  `aliased_import argument_list class_pattern comment constrained_type default_parameter dict_pattern
  escape_interpolation escape_sequence format_specifier import_prefix keyword_separator
  lambda_parameters line_continuation positional_separator relative_import splat_type
  string_end type_conversion type_parameter typed_default_parameter wildcard_import with_item`.split(
    /\s+/,
  ),
);

/** The grammar's own list, beside its text. */
function namedTypes(): string[] {
  const wasm = fileURLToPath(import.meta.resolve('tree-sitter-python/tree-sitter-python.wasm'));
  const path = wasm.replace(/[^/]*$/, 'src/node-types.json');
  const all = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly type: string;
    readonly named: boolean;
    readonly subtypes?: readonly unknown[];
  }[];
  return all
    .filter(({ named, subtypes }) => named && subtypes === undefined)
    .map(({ type }) => type);
}

test('each type of node of the grammar of Python is lowered or harmless', (t) => {
  const folder = new URL('../../../../src/gates/syntax/lower/python/', import.meta.url);
  const text = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  const types = namedTypes();
  t.true(types.length > 100);
  const open = types.filter(
    (type) => !HARMLESS.has(type) && !new RegExp(`['|(^]${type}['|)$]`).test(text),
  );
  t.deepEqual(open, []);
  t.deepEqual(
    [...HARMLESS].filter((type) => !types.includes(type)),
    [],
  );
});

/** Forms of the syntax whose nodes are easily forgotten. */
const WHOLE = String.raw`
from __future__ import annotations
import os, a.b as c, sys.path
from . import d
from ..e import f as g, h
from i import *
type Pair[T: (int, str), *Ts, **P] = tuple[T, Ts]
@decorated
@app.route('/x/<int:id>', methods=['GET'])
async def view(self, id: int, /, name: str = 'a' 'b', *args: *Ts, key=lambda x, *y: x, **kw) -> int:
    """text"""
    global total, other
    total = value = {**kw, 'a': 1, **{}}
    first, *rest, (second, third) = [*args, 1, 0x1f, 0b1, 0o17, 1_000, 1.5, 2j, None, True, ...]
    x: int = 3
    y: str
    x += 1; x //= 2; x **= 3; obj.field[0]['k'] = -x ^ ~y @ z
    if (n := len(args)) > 1 < 2 <= 3 != 4:
        pass
    elif not a and b or c is not None:
        return
    else:
        raise ValueError(f'{x!r:>{width}} {{}} {y=} {z:.2f} {"nested" + f"{q}"}') from error
    for i, (k, v) in enumerate(d.items()):
        continue
    else:
        x = [a for b in c if b for a in b] + list({k: v for k, v in d}) + [*{e for e in f}]
    while True:
        break
    else:
        z = (q for q in r)
    try:
        await call(*args, **kw, key=1)
    except (A, B) as error:
        raise
    except C:
        pass
    else:
        yield
    finally:
        del x[0], y, self.z
    async with open('f') as fh, lock:
        async for line in fh:
            yield line
    with (open('a') as a, open('b')):
        yield from gen()
    match command.split():
        case ['go', direction] | ('walk', direction) if direction in allowed:
            go(direction)
        case {'k': value, **others}:
            use(value, others)
        case Point(x=0, y=py) as point:
            use(py, point)
        case 1 | -2.5 | 1+2j | 'a' 'b' | None | True | a.b:
            pass
        case [first, *others]:
            pass
        case str(name):
            use(name)
        case _:
            pass
    def inner():
        nonlocal x
        x = s[1:2], s[::-1], s[:], s[a, 1:2]
        return x
    assert x, 'message'
    return super().view(id), a if b else c
class K(Base[T], metaclass=Meta):
    LIMIT = 10
    other: int = LIMIT
    if LIMIT:
        extra = 1
    class Inner: pass
    @property
    def p(self): return self._p
    @p.setter
    def p(self, value): self._p = value
    @staticmethod
    def s(x): return x
    @classmethod
    def make(cls, **kw): return cls(**kw)
    def __init__(self, x: Optional[int] = None): Base.__init__(self, x)
print(isinstance(x, (int, str)), getattr(x, 'y'), all(c in 'ab' for c in d), setattr(x, 'y', 1))
u = u'a' + b'\x41\n' + r'\d' + '''a'''
`;

test('the syntax of Python is lowered without a flaw, and nothing is unknown', (t) => {
  const module = lower(WHOLE);
  t.deepEqual(flawsOf(module), []);
  t.deepEqual([...module.unknown], []);
});

test('Python 2 is lowered as far as the grammar knows it', (t) => {
  const module = lower('print >>out, "x", y\nexec "a" in b\nif a <> b: print 1\n');
  t.deepEqual(flawsOf(module), []);
  t.deepEqual([...module.unknown], []);
  t.true(printModule(module).includes('builtins.exec'));
});

test('a lowering of Python shows as text what became of names', (t) => {
  const text = printModule(
    lower(
      'import os\nfrom a import b as c\nX = 1\nclass K:\n  y = X\n  def m(self, p):\n    y = X\n    os.run(self.y, y, c(p))\n',
    ),
  );
  t.is(
    text,
    [
      'X%0 = 1',
      'class K#0',
      '  field fixed y: ? = X%0',
      'function K.m#0(p%4: ?)',
      '  y%5 = X%0',
      '  os.run(self%1.y, y%5, a.b(p%4))',
      '',
    ].join('\n'),
  );
});

test('a name that a function assigns is its own, unless it says that it is not', (t) => {
  const text = printModule(
    lower('x = 1\ndef f():\n  x = 2\ndef g():\n  global x\n  x = 3\ndef h():\n  return x\n'),
  );
  const writes = text.match(/x%\d+ = \d/g);
  t.is(writes?.length, 3);
  const [outer, own, shared] = writes?.map((one) => one.split(' ', 1)[0]) ?? [];
  t.not(own, outer);
  t.is(shared, outer);
});
