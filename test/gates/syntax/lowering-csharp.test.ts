import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { flawsOf } from '../../../src/gates/syntax/il/check.ts';
import type { Module } from '../../../src/gates/syntax/il/il.ts';
import { printModule } from '../../../src/gates/syntax/il/print.ts';
import { csharp } from '../../../src/gates/syntax/lower/csharp/language.ts';
import { loadParser } from '../../../src/gates/syntax/parse/tree.ts';
import { readPackaged } from './code.ts';

const parser = await loadParser('c-sharp', readPackaged);

function lower(text: string): Module {
  const { root } = parser.parse(text);
  if (root === null) throw new TypeError('it nests too deeply');
  return csharp.lower(root, text);
}

/** A type of node as the grammar's package lists it. */
interface NodeType {
  readonly type: string;
  readonly named: boolean;
  readonly subtypes?: readonly unknown[];
}

/**
 * Types of nodes that no expression or statement is: they stand in a declaration, type, pattern,
 * clause or literal and are read there, or hold nothing that runs.
 */
const HARMLESS = new Set(
  `accessor_declaration accessor_list and_pattern argument_list array_rank_specifier array_type
  arrow_expression_clause attribute attribute_argument attribute_argument_list attribute_list
  attribute_target_specifier base_list bracketed_parameter_list calling_convention catch_clause
  catch_declaration catch_filter_clause character_literal_content class_declaration
  collection_element comment compilation_unit constructor_constraint constructor_initializer
  declaration_list element_binding_expression enum_declaration enum_member_declaration_list
  escape_sequence event_field_declaration explicit_interface_specifier expression_element
  field_declaration file_scoped_namespace_declaration finally_clause function_pointer_parameter
  implicit_parameter interface_declaration interpolation_alignment_clause interpolation_brace
  interpolation_format_clause interpolation_quote interpolation_start join_into_clause
  member_binding_expression modifier namespace_declaration or_pattern order_by_clause parameter
  parameter_list positional_pattern_clause preproc_arg preproc_define preproc_elif preproc_else
  preproc_endregion preproc_error preproc_if preproc_if_in_attribute_list preproc_line
  preproc_nullable preproc_pragma preproc_region preproc_undef preproc_warning
  primary_constructor_base_type property_pattern_clause raw_string_content raw_string_end
  raw_string_start record_declaration shebang_directive string_content string_literal_content
  string_literal_encoding struct_declaration subpattern switch_body switch_section tuple_element
  tuple_pattern type_argument_list type_parameter type_parameter_constraint
  type_parameter_constraints_clause type_parameter_list unary_expression variable_declaration
  variable_declarator when_clause with_initializer parenthesized_variable_designation
  `.split(/\s+/),
);

/** The grammar's own list, beside its text. */
function namedTypes(): string[] {
  const wasm = fileURLToPath(import.meta.resolve('tree-sitter-c-sharp/tree-sitter-c_sharp.wasm'));
  const path = wasm.replace(/[^/]*$/, 'src/node-types.json');
  const all = JSON.parse(readFileSync(path, 'utf8')) as NodeType[];
  return all
    .filter(({ named, subtypes }) => named && subtypes === undefined)
    .map(({ type }) => type);
}

function lowerings(): string {
  const files = ['expressions', 'statements', 'declarations', 'switches', 'patterns', 'queries'];
  return [...files, 'types', 'lower', '../classes']
    .map((name) => {
      const url = new URL(`../../../../src/gates/syntax/lower/csharp/${name}.ts`, import.meta.url);
      return readFileSync(url, 'utf8');
    })
    .join('\n');
}

test('each type of node of the grammar of C# is lowered or harmless', (t) => {
  const text = lowerings();
  const types = namedTypes();
  t.true(types.length > 100);
  const open = types.filter((type) => !HARMLESS.has(type) && !text.includes(`${type}'`));
  t.deepEqual(open, []);
});

/** Forms of the syntax whose nodes are easily forgotten. */
const WHOLE = `
global using System.Text;
using static System.Math;
using Json = System.Text.Json.JsonSerializer;
[assembly: CLSCompliant(true)]
namespace A.B;
#region members
[Serializable, Obsolete("use B")]
public abstract partial class C<T>(IDb db, params string[] names) : Base<T>(db), IDisposable
  where T : class, new()
{
  private static readonly int[] table = { 1, 0x2, 0b1, 1_000 }, other = new int[2];
  public const string Name = @"a ""b""" + "c" + 'd' + 1.5f + 2m + 3UL;
  public event EventHandler? Changed;
  public event EventHandler Other { add { on += value; } remove { on -= value; } }
  [BindProperty(SupportsGet = true)] public required string Auto { get; set; } = "x";
  public int Computed => table.Length;
  private string held = "";
  public string Held { get => held; private set { held = value ?? throw new E(); } }
  public string this[int i, string k] { get { return names[i]; } set { names[i] = value; } }
  public C(IDb db) : this(db, "a") { }
  static C() { }
  ~C() { Close(); }
  public static C<T> operator +(C<T> a, C<T> b) => a;
  public static explicit operator int(C<T> c) { return 1; }
  public delegate int Handler(string x);
  public async Task<(int Count, string Name)> Run([FromQuery(Name = "q")] string p, int n = 3,
    CancellationToken token = default, ref int counter, out string text)
  {
    text = $"a{p,10:x}b{{c}}" + $@"d{n}\\" + """raw "text" """ + $"""e{p}""";
    var (first, second) = Split(p);
    (first, var third) = (second, first);
    (int x, (string y, _)) = Nested();
    if (int.TryParse(p, out var number) && table is [1, .., var last] and not null) use(last);
    if (p is { Length: > 3 and < 10, Owner.Name: "a" or "b" } named) use(named);
    if (p is string s && s.Length > 1 || p is not (null or "")) use(s);
    if (pair is (1, var two) && pair is var both && p is string) use(two);
    int local(int a) => a + 1;
    static async IAsyncEnumerable<int> many() { yield return 1; yield break; }
    switch (p)
    {
      case "a":
      case "b" when n > 1: one(); goto case "c";
      case "c": { break; }
      case string { Length: 1 } t: use(t); return default;
      case null: throw;
      default: two(); break;
    }
    var chosen = p switch {
      "a" or "b" => 1, string t when t.Length > 1 => 2, { Length: 0 } => 3, _ => 4
    };
    var query = from a in list
      join b in others on a.Id equals b.Id into joined
      from c in joined.DefaultIfEmpty()
      let d = c.Name
      where d != null && a.Ok
      orderby d descending, a.Id
      group a by d into g
      select new { g.Key, Count = g.Count(), g };
    foreach (var (key, value) in dictionary) use(key, value);
    foreach (string each in list) { continue; }
    await foreach (var e in many()) lock (this) { use(e); }
    for (int i = 0, j = 1; i < 10; i++, j += 2) { }
    for (;;) { break; }
    while (!done) ;
    do { n--; } while (n > 0);
    try { read(); } catch (IOException e) when (e.Code == 1) { throw e; } catch { }
    finally { close(); }
    using (var file = Open()) using (other) { }
    await using var stream = new FileStream(p, FileMode.Open) { Position = 1 };
    C<T> made = new(db) { Auto = "a" };
    var map = new Dictionary<string, int> { ["a"] = 1, { "b", 2 } };
    var more = new List<string> { "a", p };
    int[] spread = [1, .. table, ^1];
    var copy = record with { Name = "z", Age = 3 };
    var part = p[1..^2] + p[..3] + p[2..] + p[^1];
    var deep = a?.B?[0]?.C(1)?.D ?? default(string);
    cache ??= new();
    Func<int, int> f = a => a + 1, g = async (int a, int b) => await h(a);
    var k = delegate (int z) { return z; };
    Func<int> m = local;
    var size = sizeof(int) + nameof(C<T>.Auto).Length + typeof(List<>).Name.Length;
    checked { n = checked(n + 1); }
    unsafe { fixed (int* q = table) { *q = 1; int* w = stackalloc int[3]; } }
    ref int r = ref table[0];
    var b2 = !ok ? -n : ~n ^ +n % 3 >>> 1;
    n += (int)3.5; n <<= 1; --n; use(n!, base.ToString(), this);
    var any = (object)p as string;
    if (any is string) goto end;
    end: return (1, p);
  }
#if DEBUG
  public void Debug() { trace(); }
#elif TRACE
  public void Trace() { }
#else
  public void Release() { }
#endif
  protected abstract int N();
  enum Color : byte { Red = 1, Green }
  struct Point { public int X; }
  record Person(string Name, int Age) { public string Upper => Name.ToUpper(); }
  interface IShape { double Area { get; } void Draw() { N(); } }
  static class Extensions { public static string Clean(this string s) => s.Trim(); }
}
#endregion
`;

test('the syntax of C# is lowered without a flaw, and nothing is unknown', (t) => {
  t.is(parser.parse(WHOLE).errorChars, 0);
  const module = lower(WHOLE);
  t.deepEqual(flawsOf(module), []);
  t.deepEqual([...module.unknown], []);
});

test('a program of statements is lowered', (t) => {
  const text = printModule(
    lower('var name = Read();\nint Twice(int n) => n * 2;\nConsole.WriteLine(name + Twice(2));'),
  );
  t.is(
    text,
    [
      'declare name%1: ? = Read()',
      'function Twice%0 = #0',
      '?Console.WriteLine((name%1 + (Twice%0)(2)))',
      'function Twice#0(n%2: System.Int32)',
      '  return (n%2 * 2)',
      '',
    ].join('\n'),
  );
});

test('a lowering shows as text what became of names', (t) => {
  const text = printModule(
    lower(
      `using System.IO;
class A(string root) {
  public string Name { get; set; }
  string Path => root + Name;
  string Read(string p) {
    var f = new FileInfo(p) { IsReadOnly = true };
    return File.ReadAllText(Path);
  }
}`,
    ),
  );
  t.is(
    text,
    [
      'class A#0',
      '  field Name: System.String',
      '  field root: System.String',
      'getter A.Path#0()',
      '  return (this%0.root + this%0.Name)',
      'function A.Read#1(p%1: System.String)',
      '  declare f%2: ? = new System.IO.FileInfo(p%1, IsReadOnly=true)',
      '  return System.IO.File.ReadAllText(this%0.Path)',
      'function A.<init>#2(root%3: System.String)',
      '  this%0.root = root%3',
      '',
    ].join('\n'),
  );
});
