import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { flawsOf } from '../../../src/gates/syntax/il/check.ts';
import type { Module } from '../../../src/gates/syntax/il/il.ts';
import { printModule } from '../../../src/gates/syntax/il/print.ts';
import { golang } from '../../../src/gates/syntax/lower/golang/language.ts';
import { loadParser } from '../../../src/gates/syntax/parse/tree.ts';
import { readPackaged } from './code.ts';

const parser = await loadParser('go', readPackaged);

function lower(text: string): Module {
  const { root } = parser.parse(text);
  if (root === null) throw new TypeError('it nests too deeply');
  return golang.lower(root, text);
}

/** A type of node as the grammar's package lists it. */
interface NodeType {
  readonly type: string;
  readonly named: boolean;
  readonly subtypes?: readonly unknown[];
}

/**
 * Types of nodes that are read where they stand: in a declaration, type, list, label or literal, or
 * that hold nothing that runs.
 */
const HARMLESS = new Set(
  `argument_list comment communication_case const_spec default_case dot escape_sequence
  expression_case field_declaration field_declaration_list for_clause import_spec import_spec_list
  interpreted_string_literal_content keyed_element label_name method_elem parameter_declaration
  parameter_list range_clause raw_string_literal_content source_file type_arguments type_case
  type_constraint type_elem type_parameter_declaration type_parameter_list type_spec type_alias
  var_spec var_spec_list variadic_parameter_declaration`.split(/\s+/),
);

function namedTypes(): string[] {
  const url = import.meta.resolve('tree-sitter-go/src/node-types.json');
  const all = JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as NodeType[];
  return all
    .filter(({ named, subtypes }) => named && subtypes === undefined)
    .map(({ type }) => type);
}

test('each type of node of the grammar of Go is lowered or harmless', (t) => {
  const text = ['expressions', 'statements', 'declarations', 'lower']
    .map((name) => {
      const url = new URL(`../../../../src/gates/syntax/lower/golang/${name}.ts`, import.meta.url);
      return readFileSync(url, 'utf8');
    })
    .join('\n');
  const types = namedTypes();
  t.true(types.length > 90);
  const declarations = ['function_declaration', 'method_declaration'];
  t.deepEqual(
    types.filter(
      (type) => !HARMLESS.has(type) && !declarations.includes(type) && !text.includes(`'${type}'`),
    ),
    [],
  );
});

/** Forms of the syntax whose nodes are easily forgotten. */
const WHOLE = `
package a
import (
	. "strings"
	_ "embed"
	db "database/sql"
	"github.com/labstack/echo/v4"
)
type (
	Name string
	Alias = Name
	List[T any] []T
	Pair[K comparable, V any] struct { Key K; value V \`json:"v" validate:"required,oneof=a b"\` }
	Store interface { Get(key string) (string, error); io.Closer; ~int | ~string }
	Base struct { ID int }
	User struct { Base; *Pair[string, int]; db.DB; Tags map[string][]string; f func(int) error }
)
const ( A = iota; B; C float64 = 1 << iota; D, E = "d", 'e' )
var ( x, y = f(); z *User; w [3]int; jobs = make(chan Name, 8); table = map[string]bool{"a": true} )
var u = User{Base: Base{1}, Tags: map[string][]string{"a": {"b"}}}
func init() {}
func (u *User) String() string { return u.Base.name() }
func (l List[T]) First() (first T, err error) { defer close(c); first = l[0]; return }
func generic[T any, U interface{ ~int }](a T, rest ...U) (T, error) { return a, nil }
func main() {
	a, b := f()
	a, b = b, a
	a, _ = generic[string, int]("x", 1, 2)
	p := &a; *p = "b"; q := &User{}; q.ID++; q.ID -= 2; q.ID &^= 1; q.f(1)
	var ok bool
	if v, found := table["k"]; found && !ok || v { return } else if err := g(); err != nil { panic(err) } else { b() }
outer:
	for i := 0; i < 10; i++ { if i == 3 { continue outer }; break outer }
	for { goto done }
	for k, v := range table { _, _ = k, v }
	for i := range 10 { _ = i }
	for range jobs {}
	for x = range seq { use(x) }
	for len(a) > 0 { a = a[1:]; a = a[:2]; a = a[1:2:3] }
	switch n := len(a); n { case 1, 2: one(); fallthrough; case 3: default: break }
	switch { case a == "x": case b == nil: }
	switch v := any(a).(type) { case string, int: use(v); case nil: case *User: v.String(); default: }
	select { case m := <-jobs: use(m); case jobs <- "x": case m, ok = <-jobs: case <-done: default: }
	go func(n Name) { jobs <- n }(Name("x"))
	defer func() { recover() }()
	s := []User{{ID: 1}, {ID: 2}}; t := [...]string{2: "c"}; e := struct{ X, Y int }{1, 2}
	var i interface{} = s[0]; j, ok := i.(fmt.Stringer); k := []byte("x"); l := (*User)(nil)
	c := 3i + 0x1F + 0b1 + 0o17 + 1_000 + 1e3 ^ 5 | 6 &^ 7 << 1; f := func(int) {}; f(c)
	h := User.String; m := u.String; h(u); m()
	ch := make(chan<- int); var r <-chan int = nil; new(User).String()
	type Local struct { Q int }
	println(-c, +c, ^c, !ok, raw\`x\`, 'c', "\\n", nil, true, false, iota)
done:
	;
}
`;

test('the syntax of Go is lowered without a flaw, and nothing is unknown', (t) => {
  const module = lower(WHOLE.replace('raw`x`', '`x`'));
  t.deepEqual(flawsOf(module), []);
  t.deepEqual([...module.unknown], []);
});

test('what the grammar of Go calls an error is lowered by its parts', (t) => {
  const text = printModule(lower('package a\nfunc m() { x := foo(bar() @ # baz()) }'));
  t.regex(text, /bar\(\)/);
});

test('a lowering of Go shows as text what became of names', (t) => {
  const text = printModule(
    lower(
      'package a\nimport "os/exec"\ntype S struct { root string }\nfunc (s *S) m(p string) error {\n' +
        'out, err := exec.Command(s.root, p).Output()\nuse(out)\nreturn err }',
    ),
  );
  t.is(
    text,
    [
      'class without a name#0',
      'class S#1',
      '  field root: string',
      'function S.m#0(p%2: string)',
      '  declare %3: ? = os/exec.Command(s%1.root, p%2).Output()',
      '  declare out%4: ? = %3#0',
      '  declare err%5: ? = %3#1 as failure',
      '  use(out%4)',
      '  return err%5',
      '',
    ].join('\n'),
  );
});
