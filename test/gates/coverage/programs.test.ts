import test from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { buildRules } from '../../../src/gates/patterns/rules-text.ts';
import type { TreeFile } from '../../../src/model/change.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { newFile } from '../patterns/scan-text.ts';

const modified = (path: string, mode = '100644') =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 ${mode}\n` +
  `Binary files a/${path} and b/${path} differ\n`;
const created = (path: string, mode = '100644') =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\nindex 0000000..1111111\n` +
  `Binary files /dev/null and b/${path} differ\n`;
const patch = (path: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\n` +
  'literal 3\nKcmZQzWB>yI00IC2\n\nliteral 0\nHcmV?d00001\n\n';
const deleted = (path: string) =>
  `diff --git a/${path} b/${path}\ndeleted file mode 100644\nindex 1111111..0000000\n` +
  `Binary files a/${path} and /dev/null differ\n`;
const renamed = (from: string, to: string) =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;

const PROGRAMS = [
  ...['lib/a.jar', 'lib/a.so', 'lib/a.so.1.2', 'build/a.node', 'a/b.pyc', 'web/a.wasm'],
  ...['gradle/wrapper/gradle-wrapper.jar', 'tool.exe', 'a.dll', 'a.dylib', 'A.class', 'a.pyd'],
  ...['dist/a.whl', 'a.egg', 'firmware.bin', 'a.phar', 'setup.msi', 'a.war', 'a.ear', 'a.deb'],
  ...['a.rpm', 'app.apk', 'a.o', 'a.a', 'A.JAR', 'x/a.ko', 'a.jmod', 'a.pyz', 'a.pex', 'a.rlib'],
  ...['a.aab', 'a.jnilib', 'a.ocx', 'a.efi', 'a.conda', 'a.cab', 'a.xll', 'a.mpy'],
];

async function severities(diff: string, pathsAllowed?: readonly string[]): Promise<string[]> {
  const found = await findingsOf(diff, pathsAllowed ? { pathsAllowed } : {});
  return found.map(({ id, severity }) => `${severity} ${id}`);
}

for (const path of PROGRAMS) {
  test(`${path} that is new or changed blocks`, async (t) => {
    for (const diff of [created(path), modified(path), patch(path)]) {
      t.deepEqual(await severities(diff), ['high binary-file'], diff);
    }
    t.deepEqual(await severities(deleted(path)), []);
  });
}

test('a binary file that may be executed blocks, whatever its name is', async (t) => {
  for (const path of ['bin/deploy', 'tool', 'scripts/run', 'a.dat']) {
    t.deepEqual(await severities(created(path, '100755')), ['high binary-file'], path);
    t.deepEqual(await severities(modified(path, '100755')), ['high binary-file'], path);
  }
  t.deepEqual(await severities(created('bin/data')), ['medium binary-file']);
});

test('a rename to the name of a program blocks, one of a program does not', async (t) => {
  t.deepEqual(await severities(renamed('notes.dat', 'lib/a.so')), ['high binary-file']);
  t.deepEqual(await severities(renamed('lib/a.so', 'lib/b.so')), []);
});

test('a program by Git LFS blocks', async (t) => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0a'.repeat(32)}\nsize 12\n`;
  for (const path of ['a.jar', 'a.so', 'a.exe']) {
    t.deepEqual(await severities(String(newFile(pointer, path))), ['high outside-diff'], path);
  }
});

test('binaries.allowed_paths says where programs belong', async (t) => {
  const allowed = ['gradle/wrapper/gradle-wrapper.jar', 'vendor/cache/**', 're:^libs/.*\\.aar$'];
  for (const path of ['gradle/wrapper/gradle-wrapper.jar', 'vendor/cache/x/a.gem', 'libs/a.aar']) {
    t.deepEqual(await severities(modified(path), allowed), ['medium binary-file'], path);
  }
  for (const path of ['app/gradle/wrapper/gradle-wrapper.jar', 'libs/a.jar', 'vendor/a.gem']) {
    t.deepEqual(await severities(modified(path), allowed), ['high binary-file'], path);
  }
});

test('a rules file with a path that matches nothing is refused', (t) => {
  const build = (path: string) => {
    const file = { version: 1, extends: 'default', binaries: { allowed_paths: [path] } };
    const source = { name: 'rules', text: JSON.stringify(file), isToml: false };
    return buildRules(source, defaultRules, () => 0);
  };
  for (const path of ['/lib/**', 'lib/', 'lib/[ab].jar', 'a**', 're:(']) {
    t.regex(build(path).problems[0] ?? '', /^binaries\.allowed_paths: the path /, path);
  }
  const built = build('libs/**').built;
  t.deepEqual(built?.rules.binaries, { allowed_paths: ['libs/**'] });
});

const SECRET = `token = "${fake('ghp_', 36)}"\n`;
const ENCODINGS: Record<string, (text: string) => Buffer> = {
  'UTF-16 LE': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16 LE with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 BE': (text) => Buffer.from(text, 'utf16le').swap16(),
  'UTF-16 BE with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
};
const patterns = defaultRules.secret_patterns;

function tree(side: TreeFile['side'], path: string, bytes: Buffer): TreeFile {
  return { side, path, state: 'read', bytes };
}

for (const [name, encode] of Object.entries(ENCODINGS)) {
  for (const [about, text] of [
    ['', SECRET],
    [' among other letters', `// Ключ\n${SECRET}`],
    [' with CRLF', `a = 1\r\n${SECRET}b\r\n`],
  ] as const) {
    test(`a secret in ${name}${about} is found in a posted diff and in a file of the tree`, async (t) => {
      const ids = (found: Awaited<ReturnType<typeof findingsOf>>) =>
        found.map(({ id, line }) => `${id}:${line}`).filter((id) => id.startsWith('secret-'));
      const line = text === SECRET ? 1 : 2;
      const posted = await findingsOf(newFile(encode(text), 'a.ps1'), { patterns });
      t.deepEqual(ids(posted), [`secret-github-token:${line}`]);
      for (const path of ['a.ps1', 'notes.txt', 'setup', 'a.reg', 'a.dat']) {
        const files = [tree('head', path, encode(text))];
        const found = await findingsOf(created(path), { patterns, files });
        t.deepEqual(ids(found), [`secret-github-token:${line}`], path);
        t.true(found.some(({ id }) => id === 'binary-file'));
      }
    });
  }
}

test('a secret in text with zero bytes and in UTF-32 is found', async (t) => {
  const wide = (text: string) => {
    const bytes = Buffer.alloc(text.length * 4);
    for (let at = 0; at < text.length; at += 1) bytes.writeUInt32LE(text.charCodeAt(at), at * 4);
    return bytes;
  };
  const contents = [
    Buffer.from(`hello\0world\n${SECRET}`),
    Buffer.from(`a\0${SECRET}`),
    wide(SECRET),
    wide(`\ufeff${SECRET}`),
    Buffer.from(wide(SECRET)).swap32(),
  ];
  for (const [index, content] of contents.entries()) {
    for (const path of ['notes.txt', 'setup', 'a.dat', 'app.ini']) {
      const files = [tree('head', path, content)];
      const found = await findingsOf(created(path), { patterns, files });
      const ids = found.map(({ id }) => id);
      t.true(ids.includes('secret-github-token'), `${index} ${path}`);
      t.true(ids.includes('binary-file'), `${index} ${path}`);
    }
  }
  const data = Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7) % 256));
  const files = [tree('head', 'a.dat', Buffer.concat([data, Buffer.from(SECRET)]))];
  const found = await findingsOf(created('a.dat'), { patterns, files });
  t.deepEqual(
    found.map(({ id, severity }) => `${severity} ${id}`),
    ['medium binary-file'],
  );
});

test('settings of UTF-16 that were read whole do not block, programs and names that run do', async (t) => {
  const bytes = Buffer.from('\ufeff[HKEY]\r\n"a"="b"\r\n', 'utf16le');
  for (const [path, severity] of [
    ['a.reg', 'medium'],
    ['en.lproj/a.conf', 'medium'],
    ['a.ps1', 'high'],
    ['package.json', 'high'],
    ['.github/workflows/a.yml', 'high'],
  ] as const) {
    const found = await findingsOf(created(path), { files: [tree('head', path, bytes)] });
    const own = found.filter(({ id }) => id === 'binary-file');
    t.deepEqual(
      own.map((one) => one.severity),
      [severity],
      path,
    );
  }
});

test('of a changed file of UTF-16 what is new is found', async (t) => {
  const encode = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const found = async (before: string, after: string) => {
    const files = [tree('head', 'a.ps1', encode(after)), tree('base', 'a.ps1', encode(before))];
    const all = await findingsOf(modified('a.ps1'), { patterns, files });
    return all.filter(({ id }) => id.startsWith('secret-')).map(({ line }) => line);
  };
  const other = `token = "${fake('ghp_', 40)}"\n`;
  t.deepEqual(await found(SECRET, `a\n${SECRET}`), []);
  t.deepEqual(await found(SECRET, other), [1]);
  t.deepEqual(await found(SECRET, SECRET + other), [2]);
  const { rules } = gateTools();
  const wanted = wantedFiles(Buffer.from(modified('a.ps1')), rules);
  for (const side of ['head', 'base']) {
    t.true(
      wanted.some((one) => one.side === side && one.path === 'a.ps1'),
      side,
    );
  }
});

test('code of UTF-16 is read by gate 2 where the file is at hand', async (t) => {
  const bad = "app.get('/', (req) => require('child_process').exec(req.query.c));\n";
  const files = [tree('head', 'a.js', Buffer.from(`\ufeff${bad}`, 'utf16le'))];
  const found = await findingsOf(created('a.js'), { files });
  t.deepEqual(
    found.map(({ id, severity }) => `${severity} ${id}`),
    ['high binary-file', 'critical vuln-01'],
  );
});

test('a program by its first bytes blocks under any name that is read', async (t) => {
  const starts = ['\x7fELF\x02', 'MZ\x90\0', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe', '\0asm\x01'];
  for (const start of starts) {
    const files = [tree('head', 'assets/a.dat', Buffer.from(`${start}\0\0\0\0\0\0`, 'latin1'))];
    const found = await findingsOf(created('assets/a.dat'), { files });
    t.deepEqual(
      found.map(({ id, severity }) => `${severity} ${id}`),
      ['high binary-file'],
    );
  }
  const random = Buffer.from(Array.from({ length: 64 }, (_, index) => (index * 37) % 256));
  const found = await findingsOf(created('a.dat'), { files: [tree('head', 'a.dat', random)] });
  t.deepEqual(
    found.map(({ severity }) => severity),
    ['medium'],
  );
});
