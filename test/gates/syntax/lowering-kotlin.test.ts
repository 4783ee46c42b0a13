import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { flawsOf } from '../../../src/gates/syntax/il/check.ts';
import type { Module } from '../../../src/gates/syntax/il/il.ts';
import { printModule } from '../../../src/gates/syntax/il/print.ts';
import { kotlin } from '../../../src/gates/syntax/lower/kotlin/language.ts';
import { loadParser } from '../../../src/gates/syntax/parse/tree.ts';
import { readPackaged } from './code.ts';

const parser = await loadParser('kotlin', readPackaged, kotlin.repaired);

function lower(text: string): Module {
  const { root } = parser.parse(text);
  if (root === null) throw new TypeError('it nests too deeply');
  return kotlin.lower(root, text);
}

/** A type of node as the grammar's package lists it. */
interface NodeType {
  readonly type: string;
  readonly named: boolean;
  readonly subtypes?: readonly unknown[];
}

/**
 * Types of nodes that no expression or statement is: they stand in a declaration, type or clause
 * and are read there, or hold nothing that runs.
 */
const HARMLESS = new Set(
  `annotated_lambda annotation catch_block class_body class_modifier class_parameter
  class_parameters companion_object constructor_delegation_call constructor_invocation
  delegation_specifier delegation_specifiers enum_class_body enum_entry escape_sequence
  explicit_delegation finally_block function_body function_modifier function_type_parameters
  function_value_parameters getter inheritance_modifier label lambda_parameters
  member_modifier modifiers multi_variable_declaration non_nullable_type object_declaration
  parameter parameter_modifier parameter_modifiers parenthesized_type platform_modifier
  primary_constructor property_delegate property_modifier qualified_identifier range_test
  reification_modifier secondary_constructor setter string_content type_arguments type_constraint
  type_constraints type_modifiers type_parameter type_parameter_modifiers type_parameters
  type_projection use_site_target value_arguments variable_declaration variance_modifier
  visibility_modifier when_entry when_subject block_comment line_comment class_declaration
  source_file import shebang`.split(/\s+/),
);

/** The grammar's own list, beside its text. */
function namedTypes(): string[] {
  const wasm = fileURLToPath(
    import.meta.resolve('@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm'),
  );
  const path = wasm.replace(/[^/]*$/, 'src/node-types.json');
  const all = JSON.parse(readFileSync(path, 'utf8')) as NodeType[];
  return all
    .filter(({ named, subtypes }) => named && subtypes === undefined)
    .map(({ type }) => type);
}

function lowerings(): string {
  return ['expressions', 'statements', 'declarations', 'whens', 'types', 'calls']
    .map((name) => {
      const url = new URL(`../../../../src/gates/syntax/lower/kotlin/${name}.ts`, import.meta.url);
      return readFileSync(url, 'utf8');
    })
    .join('\n');
}

test('each type of node of the grammar of Kotlin is lowered or harmless', (t) => {
  const text = lowerings();
  const types = namedTypes();
  t.true(types.length > 90);
  const open = types.filter((type) => !HARMLESS.has(type) && !text.includes(`${type}'`));
  t.deepEqual(open, []);
});

/** Forms of the syntax whose nodes are easily forgotten. */
const DECLARATIONS = `
@file:JvmName("Files")
package a.b
import java.io.File
import java.util.*
import a.c.clean as scrub
typealias Handler = (String) -> Unit
const val LIMIT = 1_000L + 0xff + 0b1 + 1.5f + 2e3
private val table = mapOf("a" to 1, "b" to 2)
val String.shout: String get() = uppercase() + "!"
fun <T : Any> List<T>.second(): T where T : Comparable<T> = this[1]
infix fun Int.plus2(other: Int) = this + other shl 2 or other
suspend fun run2(vararg names: String, block: suspend StringBuilder.(Int) -> Unit = {}) { block() }
@Serializable data class User(val name: String, var age: Int = 3, @Transient private val x: Any?)
enum class Color(val code: Int) : Coded {
  RED(1) { override fun f() = 2 }, GREEN(2);
  open fun f() = 1
}
fun interface Shape { fun area(): Double }
class Outer {
  inner class Inner { fun outer() = this@Outer.x }
}
annotation class Marked(val why: String)
sealed class Result2 {
  object Empty : Result2()
  data class Full(val v: String) : Result2()
}
object Registry : Base(), Runnable {
  init { load() }
  val all = mutableListOf<String>()
}
abstract class C<T>(private val db: Db, name: String = "x", vararg rest: Int) : Base<T>(name, db), I by (db) {
  val full = "a$name\${db.id}" + """raw "$name" \${'$'}"""
  lateinit var late: Service
  val lazily by lazy { db.load() }
  var watched: String by Delegates.observable("") { _, old, new -> log(old + new) }
  var held: String = ""
    get() = field.trim()
    private set(value) { field = value }
  init { register(this) }
  constructor(other: C<T>) : this(other.db, "y") { full.length }
  companion object Factory {
    const val KEY = 'k'
    @JvmStatic
    fun make(db: Db): Any {
      return object : C<Int>(db) { override fun go() = 1 }
    }
  }
  operator fun get(i: Int): T? = null
  abstract fun go(): Int
}
`;

/** Statements: the grammar holds too many readings of them open for one function with all. */
const STATEMENTS = `
val q = p ?: return "none"
val (first, second) = q to 1
val n = if (q.isEmpty()) 1 else if (first == "a") { 2 } else throw E("x")
val w = when (val s = q.trim()) { "a", "b" -> 1; else -> 2 }
val v = when { other is String && other.length > 1 -> other; other !is Int -> "x"; n in 1..10 || n !in listOf(1) -> "y"; else -> error("no") }
when (n) { in 1..3 -> one(); !in table.values -> two(); is Number -> three(); 4 -> { four() } }
val t = try { q.toInt() } catch (e: NumberFormatException) { -1 } finally { close() }
for ((i, e) in list.withIndex()) { if (i > 2) continue; use(e) }
outer@ for (a in 0 until 9 step 2) { while (b) { if (a > 3) break@outer else continue@outer } }
do { late.next() } while (n != 3)
for (c in q) print(c)
File(q).useLines { lines -> lines.filter { it.isNotBlank() }.map(String::trim).toList() }
val up = q.let { it + "1" }.also(::println).run { length }.takeIf { it > 1 }?.let { i -> i + 1 }
with(db) { exec(q) }
StringBuilder().apply { append(q); this.append(1) }
list.forEach { (k, x) -> if (x == 1) return@forEach; use(k) }
table.forEach { k, x -> use(k + x) }
list.forEachIndexed { i, x -> use(i, x) }
val f = fun(x: Int): Int { return x }
val g: (Int) -> Int = { x: Int -> x * f(x) }
val h = label@{ y: Int -> if (y > 1) return@label 1; 2 }
held = g(1).toString(); late.count += 1; late.items[0] = q; var m = 1; m++; m--
val ref = this::go; val ctor = ::User; val cls = User::class.java; val fn = scrub(q)
val arr = arrayOf(*names(), "x"); val no = !q.startsWith("x") && -m > +n
val cast = other as? String ?: (other as Int).toString()
val ann = super.toString() + q!!.length + list?.size
fun local(z: Int = 1): Int = z
require(q in setOf("a", "b")) { "bad $q" }
return local(z = 2).toString() + buildString { append(q) } + "\${if (n > 1) "a" else "b"}" + m.plus2(1)
`;

test('the syntax of Kotlin is lowered without a flaw, and nothing is unknown', (t) => {
  const lines = STATEMENTS.trim().split('\n');
  t.true(lines.length > 25);
  const functions = lines.map((line) => `class A : B() {\n  fun all(q: String) {\n${line}\n}\n}`);
  for (const text of [DECLARATIONS, ...functions]) {
    t.is(parser.parse(text).errorChars, 0, text);
    const module = lower(text);
    t.deepEqual(flawsOf(module), [], text);
    t.deepEqual([...module.unknown], [], text);
  }
});

test('a lowering of Kotlin shows as text what became of names', (t) => {
  const text = printModule(
    lower(
      `package a
import java.io.File
class A(private val root: String, name: String) {
  val path = "$root/$name"
  fun read(p: String?): String {
    val q = p?.trim() ?: return ""
    return File(path, q).readText()
  }
  companion object { fun make() = A("x", name = "y") }
}
fun String.clean() = this.trim()
fun main() { println("a".clean()) }`,
    ),
  );
  t.is(
    text,
    [
      'class without a name#0',
      'class A#1',
      '  field path: ?',
      '  field root: java.lang.String',
      'function .clean#0(this%2: java.lang.String)',
      '  return this%2.trim()',
      'function .main#1()',
      '  .println(class #0.clean("a"))',
      'function A.<init>#2(root%3: java.lang.String, name%4: java.lang.String)',
      '  this%1.root = root%3',
      '  this%1.path = text(root%3, "/", name%4)',
      'function A.read#3(p%5: java.lang.String)',
      '  declare q%7: ? = run(declare %6: ? = p%5.trim(); if (%6 == null);   return "")',
      '  return new java.io.File(this%1.path, q%7).readText()',
      'function A.make#4()',
      '  return new A#1("x", name="y")',
      'function A.getPath#5()',
      '  return this%1.path',
      '',
    ].join('\n'),
  );
});

test('a lambda of a scope function runs where it stands, and may leave the function around', (t) => {
  const text = printModule(
    lower('fun f(x: String?) { x?.let { y -> if (y == "") return; g(y) }; with(x) { h() } }'),
  );
  t.is(
    text,
    [
      'class without a name#0',
      'function .f#0(x%1: java.lang.String)',
      '  if (x%1 != null)',
      '    block let 20',
      '      declare y%3: ? = x%1',
      '      if (y%3 == "")',
      '        return',
      '      %2 = .g(y%3)',
      '  else',
      '    %2 = null',
      '  block with 63',
      '    %4 = x%1.h()',
      '',
    ].join('\n'),
  );
});
