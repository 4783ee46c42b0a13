import test from 'ava';
import { goJavaPatterns } from '../../../src/rules/risk/go-java.ts';
import { pythonPatterns } from '../../../src/rules/risk/python.ts';
import { injectionPatterns } from '../../../src/rules/vulnerabilities/injection.ts';
import { findingsOf } from './gates-run.ts';
import { judge } from './judge-commits.ts';

const PATTERNS = [...pythonPatterns, ...injectionPatterns, ...goJavaPatterns];

const HEAD = `import os, sqlite3
from flask import Flask, request
from helpers import fill, lookup
app = Flask(__name__)
NAME = "a"
class Box:
    name = "a"
@lookup
def own():
    return "a"
db = sqlite3.connect("a.db")

@app.get("/run")
def run():
    name = request.args["name"]
    other = "notes"
`;

function handler(lines: string): string {
  return `${HEAD}${lines.replaceAll(/^/gm, '    ')}\n`;
}

/** What a rule on lines reports, and gate 2 knows to be harmless. */
const SETTLED = {
  'fixed.py': 'os.system(f"ls {other}")',
  'either.py': 'other = "a" if name else "b"\nos.system(f"ls {other}")',
  'never.py': 'other = name if 7 * 18 > 200 else "b"\nos.system(f"ls {other}")',
  'element.py': 'both = [name, other]\nos.system(f"ls {both[1]}")',
  'key.py': 'both = {}\nboth["a"] = name\nboth["b"] = other\nos.system(f"ls {both[\'b\']}")',
  'statement.py': `db.execute(f"SELECT a FROM b WHERE c = '{other}'")`,
  'code.py': 'other = "1 + 1"\neval(other)',
  'tried.py': 'try:\n    os.system(f"ls {other}")\nexcept OSError:\n    pass',
};

/** What only looks the same. */
const OPEN = {
  'data.py': 'os.system(f"ls {name}")',
  'unseen.py': 'os.system(f"ls {lookup()}")',
  'changed.py': 'both = [other]\nfill(both)\nos.system(f"ls {both[0]}")',
  'attribute.py': 'os.system(f"ls {app.root_path}")',
  'capital.py': 'os.system(f"ls {lookup().NAME}")',
  'counted.py': 'os.system(f"ls {name.issue(name)}")',
  'neighbour.py': 'os.system("ls"); app.os.system(f"ls {name}")',
  'branch.py': 'if name:\n    other = name\nos.system(f"ls {other}")',
  'loop.py': 'for word in name.split():\n    os.system(f"ls {other}")\n    other = word',
  'helper.py': 'def start(word):\n    os.system(f"ls {word}")\nstart("a")\nstart(lookup())',
  'broken.py': 'os.system(f"ls {other}")\n)',
  'later.py': 'def late():\n    os.system(f"ls {other}")\nother = name\nlate()',
  'error.py':
    'try:\n    other = name\n    fill()\n    other = "b"\nfinally:\n    os.system(f"ls {other}")',
  'alias.py': 'both = [other]\nadd = both.append\nadd(lookup())\nos.system(f"ls {both[-1]}")',
  'keys.py':
    'both = {"b": other}\nfor key in lookup():\n    both[key] = key\nos.system(f"ls {both[\'b\']}")',
  'module.py': 'os.system(f"ls {NAME}")',
  'field.py': 'os.system(f"ls {Box.name}")',
  'filled.py': 'box = Box()\nfill(box)\nos.system(f"ls {box.name}")',
  'own.py': 'os.system(f"ls {own()}")',
  'spread.py': 'both = {"b": other, **lookup()}\nos.system(f"ls {both[\'b\']}")',
  'update.py': 'both = {"b": other}\nboth.update(request.args)\nos.system(f"ls {both[\'b\']}")',
  'other.py': 'both = dict(lookup(), b=other)\nos.system(f"ls {both[\'c\']}")',
  'chain.py':
    'a = b = c = d = other\nwhile lookup():\n    d = c\n    c = b\n    b = a\n    a = name\nos.system(f"ls {d}")',
};

function filesOf(cases: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(cases).map(([path, lines]) => [path, handler(lines)]));
}

test('what a rule on lines reports is low where gate 2 knows all values of the call', async (t) => {
  const { open } = await judge(t, { 'a.md': 'a\n' }, filesOf(SETTLED), { patterns: PATTERNS });
  const low = open.filter((one) => one.startsWith('low risk-python-'));
  t.deepEqual(
    [...new Set(low.map((one) => one.replace(/^.* (.*):\d+$/, '$1')))].sort(),
    Object.keys(SETTLED).sort(),
  );
  t.deepEqual(
    open.filter((one) => !one.startsWith('low ')),
    [],
  );
});

test('a rule on lines reports calls that get what gate 2 does not know', async (t) => {
  const { open } = await judge(t, { 'a.md': 'a\n' }, filesOf(OPEN), { patterns: PATTERNS });
  const reported = Object.keys(OPEN).filter((path) => {
    return open.some((one) => one.startsWith(`critical vuln-01 ${path}`));
  });
  t.deepEqual(reported, Object.keys(OPEN));
});

test('the same in a diff by itself: for new files, not for hunks of others', async (t) => {
  const text = handler(SETTLED['fixed.py']);
  const lines = text.replace(/\n$/, '').replaceAll(/^/gm, '+');
  const count = text.split('\n').length - 1;
  const fresh = `--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,${count} @@\n${lines}\n`;
  const settled = await findingsOf(fresh, { patterns: PATTERNS });
  t.deepEqual([...new Set(settled.map(({ severity }) => severity))], ['low']);
  const hunk = `--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,${count + 1} @@\n #\n${lines}\n`;
  const ids = (await findingsOf(hunk, { patterns: PATTERNS })).map(({ id }) => id);
  t.deepEqual(ids.sort(), ['risk-python-shell', 'vuln-01']);
});

test('a path that stands twice in a diff is not a whole file', async (t) => {
  const text = handler(SETTLED['fixed.py']);
  const lines = text.replace(/\n$/, '').split('\n');
  const fresh = lines.map((line) => `+${line}\n`).join('');
  const before = lines.slice(-5, -1).map((line) => ` ${line}\n`);
  const [last = ''] = lines.slice(-1);
  const from = lines.length - 4;
  const diff =
    `--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,${lines.length} @@\n${fresh}` +
    `--- a/a.py\n+++ b/a.py\n@@ -${from},5 +${from},5 @@\n${before.join('')}-${last}\n` +
    `+${last.replace('{other}', '{Box.name}')}\n`;
  const severities = (await findingsOf(diff, { patterns: PATTERNS })).map((one) => one.severity);
  t.true(severities.includes('critical'), severities.join());
});

test('a variable in place of a command in Java', async (t) => {
  const program = (value: string) => `package a;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
public class Run {
  public Process run(HttpServletRequest request) throws IOException {
    String given = System.getenv("HOME");
    String[] command = {"sh", "-c", ${value}};
    return Runtime.getRuntime().exec(command, null, new java.io.File(given));
  }
}
`;
  const files = { 'src/main/java/a/Run.java': program('"ls"') };
  const { open } = await judge(t, { 'a.md': 'a\n' }, files, { patterns: PATTERNS });
  t.deepEqual(open, ['low risk-java-shell src/main/java/a/Run.java:8']);
  const other = { 'src/main/java/a/Run.java': program('given') };
  const seen = await judge(t, { 'a.md': 'a\n' }, other, { patterns: PATTERNS });
  t.true(seen.open.includes('medium risk-java-shell src/main/java/a/Run.java:8'), seen.open.join());
});

test('a row of an array that another name holds or a call fills', async (t) => {
  const program = (before: string) => `package a;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
public class Rows {
  public Process run(HttpServletRequest request) throws IOException {
    String given = request.getParameter("c");
    String[][] rows = new String[2][2];
    ${before}
    return Runtime.getRuntime().exec("sh " + rows[0][0]);
  }
}
`;
  for (const before of [
    'java.util.Arrays.fill(rows[0], given); rows[0][1] = "x";',
    'String[] row = rows[0]; row[0] = given; rows[0][1] = "x";',
    'String[] row = rows[0]; rows[0][1] = "x"; row[0] = given;',
    'System.arraycopy(new String[]{given, given}, 0, rows[0], 0, 2); rows[0][1] = "x";',
  ]) {
    const files = { 'src/main/java/a/Rows.java': program(before) };
    const { open } = await judge(t, { 'a.md': 'a\n' }, files, { patterns: PATTERNS });
    t.deepEqual(open, ['medium risk-java-shell src/main/java/a/Rows.java:9'], before);
  }
});
