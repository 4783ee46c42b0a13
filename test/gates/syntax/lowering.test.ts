import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { flawsOf } from '../../../src/gates/syntax/il/check.ts';
import type { Module } from '../../../src/gates/syntax/il/il.ts';
import { printModule } from '../../../src/gates/syntax/il/print.ts';
import { java } from '../../../src/gates/syntax/lower/java/language.ts';
import { loadParser } from '../../../src/gates/syntax/parse/tree.ts';
import { readPackaged } from './code.ts';

const parser = await loadParser('java', readPackaged);

function lower(text: string): Module {
  const { root } = parser.parse(text);
  if (root === null) throw new TypeError('it nests too deeply');
  return java.lower(root, text);
}

/** A type of node as the grammar's package lists it. */
interface NodeType {
  readonly type: string;
  readonly named: boolean;
  readonly subtypes?: readonly unknown[];
}

/**
 * Types of nodes that no expression or statement is: they stand in a declaration, type, pattern,
 * label or literal and are read there, or hold nothing that runs.
 */
const HARMLESS = new Set(
  `annotated_type annotation annotation_argument_list annotation_type_body
  annotation_type_element_declaration argument_list array_type asterisk block_comment boolean_type
  catch_clause catch_formal_parameter catch_type class_body compact_constructor_declaration
  constant_declaration constructor_declaration dimensions dimensions_expr element_value_pair
  enum_body enum_body_declarations enum_constant escape_sequence exports_module_directive
  extends_interfaces field_declaration finally_clause floating_point_type formal_parameter
  formal_parameters guard inferred_parameters integral_type interface_body line_comment
  marker_annotation method_declaration modifiers module_body multiline_string_fragment
  opens_module_directive pattern permits program provides_module_directive receiver_parameter
  record_pattern record_pattern_body record_pattern_component requires_modifier
  requires_module_directive resource resource_specification spread_parameter static_initializer
  string_fragment super_interfaces superclass switch_block switch_block_statement_group
  switch_label switch_rule throws type_arguments type_bound type_list type_parameter
  type_parameters type_pattern underscore_pattern uses_module_directive variable_declarator
  void_type wildcard`.split(/\s+/),
);

/** The grammar's own list, beside its text. */
function namedTypes(): string[] {
  const wasm = fileURLToPath(import.meta.resolve('tree-sitter-java/tree-sitter-java.wasm'));
  const path = wasm.replace(/[^/]*$/, 'src/node-types.json');
  const all = JSON.parse(readFileSync(path, 'utf8')) as NodeType[];
  return all
    .filter(({ named, subtypes }) => named && subtypes === undefined)
    .map(({ type }) => type);
}

function lowerings(): string {
  return ['expressions', 'statements', 'declarations', 'switches', 'lower', '../classes']
    .map((name) => {
      const url = new URL(`../../../../src/gates/syntax/lower/java/${name}.ts`, import.meta.url);
      return readFileSync(url, 'utf8');
    })
    .join('\n');
}

test('each type of node of the grammar of Java is lowered or harmless', (t) => {
  const text = lowerings();
  const types = namedTypes();
  t.true(types.length > 100);
  const open = types.filter((type) => !HARMLESS.has(type) && !text.includes(`'${type}'`));
  const classes = ['class', 'record', 'enum', 'interface', 'annotation_type'];
  t.deepEqual(
    open.filter((type) => !classes.includes(type.replace(/_declaration$/, ''))),
    [],
  );
});

/** Forms of the syntax whose nodes are easily forgotten. */
const WHOLE = `
package a.b;
import java.util.*;
import static java.util.Map.entry;
@Deprecated(since = "1")
public sealed class A<T extends B & C> extends B implements C, D permits E {
  private static final int[][] table = {{1, 0x2, 0b1, 017}, new int[] {3}}, other = new int[2][n()];
  enum Color implements F {
    RED(1) { int f() { return 2; } }, BLUE; Color() { this(0); } Color(int i) {}
  }
  record Point(int x, String... ys) {
    Point { if (x < 0) throw new IllegalArgumentException(); } static int k;
  }
  @interface Mark { String value() default "x"; int[] sizes() default {}; }
  interface G { int CONST = 1; default void g() {} private static void h() {} }
  static { load(); }
  { count++; --count; }
  A() { super(1); }
  <R> A(R r) { this(); }
  void m(final @Mark("a") String p, A<T> this_, int... rest) throws Exception {
    outer: for (int i = 0, j = 1; i < 10; i++, j += 2) {
      if (i == 3) continue outer; else break outer;
    }
    for (;;) { break; }
    do { i--; } while (i > 0);
    while (!done) ;
    for (var e : list) synchronized (this) { use(e); }
    try (var in = open(); out) { read(in); } catch (final IOException | Error e) { throw e; }
    finally { close(); }
    switch (p) { case "a": case "b": one(); default: two(); break; }
    int k = switch (p) { case "a", "b" -> 1; case null, default -> { yield 2; } };
    Object o = p instanceof String s && s.length() > 1 ? (Runnable & D) () -> run()
      : A.super.toString();
    if (o instanceof Point(int x, var y)) use(x, y);
    String t = """
      a "quoted" text""" + 'c' + 1L + 1.5f + 0x1p3 + true + null + int.class + this.x + a[0][i];
    Function<A, B> f = A::new, g = this::<T>m, h = (x, y) -> { return x; }, l = (int z) -> z;
    new Outer.Inner() { int v; @Override void run() { v = outerField; } }.run();
    outerObject.new Inner(1);
    assert k > 0 : "message";
    java.util.List<? extends T> all = new java.util.ArrayList<>();
    x >>>= 1; y = ~x ^ -k % 3;
    class Local { int q; }
    return;
  }
  abstract int n();
}
module m { requires transitive a; exports b to c; opens d; uses e; provides f with g; }
`;

test('the syntax of Java is lowered without a flaw, and nothing is unknown', (t) => {
  const module = lower(WHOLE);
  t.deepEqual(flawsOf(module), []);
  t.deepEqual([...module.unknown], []);
});

test('what a grammar calls an error is lowered by its parts and counted', (t) => {
  const module = lower('class A { void m() { x = foo(bar() @ # baz(); } }');
  t.deepEqual(flawsOf(module), []);
  const text = printModule(module);
  t.true(text.includes('baz()') || module.unknown.size > 0, text);
});

test('a lowering shows as text what became of names', (t) => {
  const text = printModule(
    lower(
      'import java.io.File;\nclass A { String root; void m(String p) { File f = new File(root, p); } }',
    ),
  );
  t.is(
    text,
    [
      'class A#0',
      '  field root: java.lang.String',
      'function A.m#0(p%1: java.lang.String)',
      '  declare f%2: java.io.File = new java.io.File(this%0.root, p%1)',
      '',
    ].join('\n'),
  );
});
