import test from 'ava';
import { defaultRules } from '../../../src/rules/default.ts';
import { foldGates } from '../../../src/verdict/verdict.ts';
import { newFile } from '../../gates/patterns/scan-text.ts';
import { findingsOf } from './gates-run.ts';

const patterns = [...defaultRules.vulnerability_patterns, ...defaultRules.risk_patterns];

/** What an RFC lists of the file, worst first, as `severity id`. */
async function listed(path: string, text: string): Promise<string[]> {
  const found = foldGates(await findingsOf(newFile(text, path), { patterns }));
  return found.map(({ severity, id }) => `${severity} ${id}`);
}

const NODE = "const { execSync } = require('child_process');\n";
const REV = "const sha = execSync('git rev-parse HEAD').toString().trim();\n";

/** Code without data from outside in view, and the worst that may be said of it. */
const OWN: [title: string, path: string, text: string, worst: 'medium' | 'low'][] = [
  [
    'a version from a file',
    'shop/a.py',
    "import subprocess\nv = open('VERSION').read()\nsubprocess.run(f'docker build -t shop:{v} .', shell=True)\n",
    'medium',
  ],
  [
    'the command line',
    'shop/a.py',
    "import os, sys\nos.system(f'git tag v{sys.argv[1]}')\n",
    'medium',
  ],
  [
    'a parameter',
    'shop/a.py',
    'import os\ndef ping(host):\n    os.system("ping -c 1 " + host)\n',
    'medium',
  ],
  ['percent', 'shop/a.py', 'import os\nos.popen("ls %s" % path)\n', 'medium'],
  ['format', 'shop/a.py', 'import os\nos.system("ls {}".format(path))\n', 'medium'],
  ['the environment', 'shop/a.py', 'import os\nos.system("ls " + os.environ["D"])\n', 'medium'],
  ['eval of the command line', 'shop/a.py', 'import sys\nx = eval(sys.argv[1])\n', 'medium'],
  ['a statement', 'shop/a.py', `cur.execute(f"SELECT * FROM t WHERE name = '{name}'")\n`, 'medium'],
  ['a joined statement', 'shop/a.py', `cur.execute('select * from t where id = ' + i)\n`, 'medium'],
  ['git rev-parse', 'src/a.js', `${NODE}${REV}execSync('git show ' + sha);\n`, 'medium'],
  [
    'git rev-parse in a template',
    'src/a.js',
    `${NODE}${REV}execSync(\`git show \${sha}\`);\n`,
    'medium',
  ],
  [
    'a file in Node',
    'src/a.js',
    `const fs = require('fs');\n${NODE}execSync('git tag v' + fs.readFileSync('VERSION', 'utf8').trim());\n`,
    'medium',
  ],
  [
    'a build',
    'tools/build.py',
    "import subprocess\nsubprocess.run(f'docker build -t shop:{v} .', shell=True)\n",
    'low',
  ],
  [
    'a release',
    'scripts/release.py',
    "import os, sys\nos.system(f'git tag v{sys.argv[1]}')\n",
    'low',
  ],
  ['setup.py', 'setup.py', "import os\nos.system('cc ' + flags)\n", 'low'],
  ['a script of Node', 'scripts/a.js', `${NODE}${REV}execSync('git show ' + sha);\n`, 'low'],
  [
    'a statement of a build',
    'tools/a.py',
    `cur.execute(f"SELECT * FROM t WHERE a = '{a}'")\n`,
    'medium',
  ],
];

for (const [title, path, text, worst] of OWN) {
  test(`without data from outside in view a finding is ${worst}: ${title} in ${path}`, async (t) => {
    const found = await listed(path, text);
    t.true(found.length > 0);
    t.true(
      found.some((one) => one.startsWith(worst)),
      found.join(),
    );
    const graver = worst === 'low' ? /^(?:critical|high|medium)/ : /^(?:critical|high)/;
    t.deepEqual(
      found.filter((one) => graver.test(one)),
      [],
    );
  });
}

/** The same where a request is in view. */
const OUTSIDE: [title: string, path: string, text: string][] = [
  ['on the line', 'shop/a.py', "os.system(request.args.get('c'))\n"],
  ['in an f-string', 'shop/a.py', 'subprocess.run(f"tar xf {request.form[\'n\']}", shell=True)\n'],
  ['behind a name', 'shop/a.py', 'host = request.args["h"]\nos.system("ping " + host)\n'],
  [
    'in a handler',
    'shop/a.py',
    '@app.get("/p")\ndef p(host: str):\n    os.system("ping " + host)\n',
  ],
  ['of Tornado', 'shop/a.py', 'h = self.get_argument("h")\nos.popen("ping %s" % h)\n'],
  ['in a script', 'scripts/a.py', 'host = request.args["h"]\nos.system("ping " + host)\n'],
  [
    'in a statement',
    'shop/a.py',
    `n = request.GET["n"]\ncur.execute(f"SELECT * FROM t WHERE n = '{n}'")\n`,
  ],
  ['as code', 'shop/a.py', 'eval(request.args["q"])\n'],
  ['in Ruby', 'app/a_controller.rb', 'system("ping #{params[:h]}")\n'],
  ['in PHP', 'public/a.php', "<?php system($_GET['c']);\n"],
  ['in C#', 'Controllers/A.cs', 'Response.Write("<p>" + Request["name"] + "</p>");\n'],
  ['in Node', 'src/a.js', `${NODE}app.get('/', (req) => execSync('git show ' + req.query.sha));\n`],
];

for (const [title, path, text] of OUTSIDE) {
  test(`with data from outside in view a finding stays critical: ${title} in ${path}`, async (t) => {
    const found = await listed(path, text);
    t.true(
      found.some((one) => /^critical vuln-/.test(one)),
      found.join(),
    );
  });
}

test('a request in another hunk, or in a removed line, is not in view', async (t) => {
  const head = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n';
  const other = `${head}@@ -1 +1 @@\n-a\n+h = request.args["h"]\n@@ -50 +50 @@\n-b\n+os.system("ping " + host)\n`;
  const removed = `${head}@@ -1,2 +1 @@\n-h = request.args["h"]\n-b\n+os.system("ping " + host)\n`;
  const context = `${head}@@ -1,2 +1,2 @@\n h = request.args["h"]\n-b\n+os.system("ping " + host)\n`;
  const ids = async (diff: string) => (await findingsOf(diff, { patterns })).map(({ id }) => id);
  t.false((await ids(other)).includes('vuln-01'));
  t.false((await ids(removed)).includes('vuln-01'));
  t.true((await ids(context)).includes('vuln-01'));
});

test('where both gates know a place, the answer of gate 2 counts', async (t) => {
  const text =
    'import os\nfrom flask import request\n\ndef log():\n    print(request.args)\n\n' +
    'def tag():\n    with open("VERSION") as file:\n        v = file.read()\n    os.system("git tag v" + v)\n';
  const all = await findingsOf(newFile(text, 'shop/a.py'), { patterns });
  t.true(all.some(({ id, gate }) => id === 'vuln-01' && gate === 'risk'));
  const found = await listed('shop/a.py', text);
  t.deepEqual(
    found.filter((one) => one.startsWith('critical')),
    [],
  );
  t.true(found.includes('medium ast-command'));
});
