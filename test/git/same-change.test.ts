import test from 'ava';
import type { Blob } from '../diff/repository.ts';
import type { HostedRepository } from '../hosts/git-repository.ts';
import { APP, openWithHost } from './opened.ts';

/** The line that somebody let pass. */
const LINE = '  run(q.command);\n';

/** A handler with the same lines as all others, but for its name; `at` stands in its middle. */
function handler(name: string, at = ''): string {
  const before = '  const q = req.query;\n  log(q);\n  check(q);\n';
  return `function ${name}(req, res) {\n${before}${at}  store(q);\n  done(res);\n  end(res);\n}\n`;
}

/** The same as a method. */
function method(name: string, at = ''): string {
  return handler(name, at)
    .replace(/^function /, '')
    .replace(/^(?=.)/gm, '  ');
}

const HEAD = "import { run } from './run.js';\n\n";
const app = (...parts: string[]): Blob => ({ name: 'app.js', data: HEAD + parts.join('\n') });
const filler = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `// note ${from + n}\n`).join('');

interface Case {
  what: string;
  /** Before anything; then what was decided about on top of it, in one commit or several. */
  root: Blob[];
  decided: Blob[][];
  /** What was accepted on top of the root before the change came again. */
  base?: Blob[];
  /** The change that is judged; 'git': what git makes of base and decided head. */
  head: Blob[] | 'git';
  /** It is a merge of the decided head. */
  isMerge?: boolean;
  isSame: boolean;
}

const two = app(handler('admin'), handler('open'));
const decidedTwo = [[app(handler('admin', LINE), handler('open'))]];
const branches = (first: string, second: string) =>
  app(
    `function admin(req) {\n  const q = req.query;\n  if (isAdmin(q)) {\n    log(q);\n    check(q);\n    store(q);\n${first}    done(q);\n    end(q);\n    out(q);\n  } else {\n    log(q);\n    check(q);\n    store(q);\n${second}    done(q);\n    end(q);\n    out(q);\n  }\n}\n`,
  );
const DEEP = LINE.replace('  ', '    ');

const HOSTILE: Omit<Case, 'isSame'>[] = [
  {
    what: 'the line in another handler that has the same lines around',
    root: [two],
    decided: decidedTwo,
    head: [app(handler('admin'), handler('open', LINE))],
  },
  {
    what: 'the line in another handler of a file that was shifted',
    root: [two],
    decided: decidedTwo,
    base: [app(filler(0, 9), handler('admin'), handler('open'))],
    head: [app(filler(0, 9), handler('admin'), handler('open', LINE))],
  },
  {
    what: 'the line in the handler that is left after its own was taken out',
    root: [two],
    decided: decidedTwo,
    base: [app(handler('open'))],
    head: [app(handler('open', LINE))],
  },
  {
    what: 'the line in the other handler after the two changed their order',
    root: [two],
    decided: decidedTwo,
    base: [app(handler('open'), handler('admin'))],
    head: [app(handler('open', LINE), handler('admin'))],
  },
  {
    what: 'the line where git puts it after the only handler got another name',
    root: [app(handler('admin'), filler(0, 5))],
    decided: [[app(handler('admin', LINE), filler(0, 5))]],
    base: [app(handler('open'), filler(0, 5))],
    head: 'git',
  },
  {
    what: 'the line in a copy of its handler',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    base: [app(handler('open'), handler('admin'))],
    head: [app(handler('open', LINE), handler('admin'))],
  },
  {
    what: 'the line where git puts it beside a copy of its handler',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    base: [app(handler('admin'), handler('open'))],
    head: 'git',
  },
  {
    what: 'the line in another method of the class',
    root: [app(`class Api {\n${method('admin')}\n${method('open')}}\n`)],
    decided: [[app(`class Api {\n${method('admin', LINE)}\n${method('open')}}\n`)]],
    base: [app(`class Api {\n${method('open')}}\n`)],
    head: [app(`class Api {\n${method('open', LINE)}}\n`)],
  },
  {
    what: 'the line in the other branch of the same condition',
    root: [branches('', '')],
    decided: [[branches(DEEP, '')]],
    base: [{ ...branches('', ''), data: `${branches('', '').data}\n// end\n` }],
    head: [{ ...branches('', DEEP), data: `${branches('', DEEP).data}\n// end\n` }],
  },
  {
    what: 'the line in another file of the same content',
    root: [two, { ...two, name: 'public.js' }],
    decided: decidedTwo,
    head: [{ name: 'public.js', data: decidedTwo[0]?.[0]?.data ?? null }],
  },
  {
    what: 'the line in its file after that got another name',
    root: [two],
    decided: decidedTwo,
    base: [
      { name: 'app.js', data: null },
      { ...two, name: 'public.js' },
    ],
    head: 'git',
  },
  {
    what: 'a new file in a directory that got another name',
    root: [
      { name: 'tools/a.js', data: filler(0, 9) },
      { name: 'tools/b.js', data: filler(9, 20) },
    ],
    decided: [[{ name: 'tools/run.js', data: LINE }]],
    base: [
      ...['a', 'b'].map((name) => ({ name: `tools/${name}.js`, data: null })),
      { name: 'src/a.js', data: filler(0, 9) },
      { name: 'src/b.js', data: filler(9, 20) },
    ],
    head: [{ name: 'src/run.js', data: LINE }],
  },
  {
    what: 'the line one line off, as a patch with fuzz applies',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    head: [app(handler('admin').replace('  store(q);\n', `  store(q);\n${LINE}`))],
  },
  {
    what: 'the line twice',
    root: [two],
    decided: decidedTwo,
    head: [app(handler('admin', LINE + LINE), handler('open'))],
  },
  {
    what: 'the line and another one',
    root: [two],
    decided: decidedTwo,
    head: [app(handler('admin', LINE), handler('open'), 'end();\n')],
  },
  {
    what: 'a part of what was decided',
    root: [two, { name: 'guard.js', data: filler(0, 4) }],
    decided: [[...(decidedTwo[0] ?? []), { name: 'guard.js', data: 'guard();\n' }]],
    head: decidedTwo[0] ?? [],
  },
  {
    what: 'the change with a mode of its own',
    root: [two],
    decided: decidedTwo,
    head: [{ ...(decidedTwo[0]?.[0] as Blob), mode: '100755' }],
  },
  {
    what: 'the file without its last newline',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    head: [{ name: 'app.js', data: (HEAD + handler('admin', LINE)).trimEnd() }],
  },
  {
    what: 'a binary file with other bytes',
    root: [{ name: 'a.bin', data: '\0one' }],
    decided: [[{ name: 'a.bin', data: '\0two' }]],
    head: [{ name: 'a.bin', data: '\0six' }],
  },
  {
    what: 'a symlink in place of the file',
    root: [two],
    decided: [[{ name: 'new.js', data: 'app.js' }]],
    head: [{ name: 'new.js', data: 'app.js', mode: '120000' }],
  },
  {
    what: 'a conflict that attributes of the base resolve',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    base: [
      { name: '.gitattributes', data: '*.js merge=union\n' },
      app(handler('admin', '  other(q);\n')),
    ],
    head: [app(handler('admin', `  other(q);\n${LINE}`))],
  },
  {
    what: 'a merge of the decided head with a line more',
    root: [two],
    decided: decidedTwo,
    base: [{ name: 'b.txt', data: 'b\n' }],
    head: [app(handler('admin', LINE), handler('open', LINE))],
    isMerge: true,
  },
];

const BENIGN: Omit<Case, 'isSame'>[] = [
  {
    what: 'the squash of several commits',
    root: [two],
    decided: [[{ name: 'b.txt', data: 'b\n' }], ...decidedTwo],
    head: [{ name: 'b.txt', data: 'b\n' }, ...(decidedTwo[0] ?? [])],
  },
  {
    what: 'the change on top of a change of another file, though its lines stand twice',
    root: [two],
    decided: decidedTwo,
    base: [{ name: 'b.txt', data: 'b\n' }],
    head: decidedTwo[0] ?? [],
  },
  {
    what: 'the change in a file that has more lines before it',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    base: [app(filler(0, 40), handler('admin'))],
    head: [app(filler(0, 40), handler('admin', LINE))],
  },
  {
    what: 'the change in a file that has fewer lines before it and more behind it',
    root: [app(filler(0, 40), handler('admin'))],
    decided: [[app(filler(0, 40), handler('admin', LINE))]],
    base: [app(filler(5, 30), handler('admin'), filler(50, 60))],
    head: [app(filler(5, 30), handler('admin', LINE), filler(50, 60))],
  },
  {
    what: 'the change of a method in a class that got another method',
    root: [app(`class Api {\n${method('admin')}}\n`)],
    decided: [[app(`class Api {\n${method('admin', LINE)}}\n`)]],
    base: [app(`class Api {\n  size() {\n    return 1;\n  }\n\n${method('admin')}}\n`)],
    head: [app(`class Api {\n  size() {\n    return 1;\n  }\n\n${method('admin', LINE)}}\n`)],
  },
  {
    what: 'a line at the end of a file that has more lines before it',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin'), LINE)]],
    base: [app(filler(0, 9), handler('admin'))],
    head: [app(filler(0, 9), handler('admin'), LINE)],
  },
  {
    what: 'a flat file in which the line just above the lines around changed',
    root: [{ name: 'a.conf', data: filler(0, 20) }],
    decided: [[{ name: 'a.conf', data: filler(0, 20).replace('note 10', 'NOTE 10') }]],
    base: [{ name: 'a.conf', data: filler(0, 20).replace('note 6', 'other') }],
    head: 'git',
  },
  {
    what: 'several places of one file, shifted',
    root: [app(handler('one'), filler(0, 9), handler('two').replace('log', 'audit'))],
    decided: [
      [
        app(
          handler('one').replace('log(q)', 'log(q.one)'),
          filler(0, 9),
          handler('two').replace('log', 'audit').replace('check(q)', LINE.trim()),
        ),
      ],
    ],
    base: [
      app(filler(20, 30), handler('one'), filler(0, 9), handler('two').replace('log', 'audit')),
    ],
    head: 'git',
  },
  {
    what: 'a merge of the decided head',
    root: [app(handler('admin'))],
    decided: [[app(handler('admin', LINE))]],
    base: [app(filler(0, 9), handler('admin'))],
    head: 'git',
    isMerge: true,
  },
  {
    what: 'a new file, a file that is gone, a mode, a symlink and a binary file',
    root: [
      { name: 'gone.txt', data: 'bye\n' },
      { name: 'run.sh', data: '#!/bin/sh\n' },
      { name: 'a.bin', data: '\0one' },
    ],
    decided: [
      [
        { name: 'new.js', data: LINE },
        { name: 'gone.txt', data: null },
        { name: 'run.sh', data: '#!/bin/sh\n', mode: '100755' },
        { name: 'link', data: 'run.sh', mode: '120000' },
        { name: 'a.bin', data: '\0two' },
      ],
    ],
    base: [{ name: 'b.txt', data: 'b\n' }],
    head: 'git',
  },
  {
    what: 'a file that the decided change gives another name, and the base more lines',
    root: [app(handler('admin'), filler(0, 30))],
    decided: [
      [
        { name: 'app.js', data: null },
        { ...app(handler('admin', LINE), filler(0, 30)), name: 'server.js' },
      ],
    ],
    base: [app(handler('admin'), filler(0, 36))],
    head: 'git',
  },
  {
    what: 'a change of which the base has a part already',
    root: [two, { name: 'b.txt', data: 'b\n' }],
    decided: [[...(decidedTwo[0] ?? []), { name: 'b.txt', data: 'c\n' }]],
    base: [{ name: 'b.txt', data: 'c\n' }],
    head: decidedTwo[0] ?? [],
  },
  {
    what: 'a change that two sides of one merge base grew around',
    root: [app(filler(0, 9), handler('admin'), filler(20, 29))],
    decided: [
      [app(filler(0, 9), 'first();\n', handler('admin'), filler(20, 29))],
      [app(filler(0, 9), 'first();\n', handler('admin', LINE), filler(20, 29))],
    ],
    base: [app(filler(0, 9), handler('admin'), filler(20, 33))],
    head: 'git',
  },
];

const CASES: Case[] = [
  ...HOSTILE.map((each) => ({ ...each, isSame: false })),
  ...BENIGN.map((each) => ({ ...each, isSame: true })),
];

/** The tree that git makes of two commits on top of an origin. */
function mergedTree(repository: HostedRepository, from: string, sides: [string, string]): string {
  const [one, other] = sides.map((side) => {
    const by = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    return line(repository, ...by, 'commit-tree', `${side}^{tree}`, '-p', from, '-m', 'side');
  });
  return line(repository, 'merge-tree', '--write-tree', one ?? '', other ?? '');
}

function line({ git }: HostedRepository, ...args: string[]): string {
  return git(...args)
    .toString()
    .trim();
}

for (const { what, root, decided, base: accepted = [], head, isMerge = false, isSame } of CASES) {
  test(`git ${isSame ? 'takes' : 'does not take'} for the decided change: ${what}`, async (t) => {
    const { host, source } = await openWithHost(t);
    const repository = host.repository('team/app');
    const ref = 'refs/heads/next';
    const first = repository.commit(root);
    let tip = first;
    for (const files of decided) tip = repository.commit(files, { ref, from: tip });
    const base = accepted.length === 0 ? first : repository.commit(accepted);
    const parents = [base, ...(isMerge ? [tip] : [])].flatMap((sha) => ['-p', sha]);
    const commitOf = (tree: string) => {
      const by = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      return line(repository, ...by, 'commit-tree', tree, ...parents, '-m', 'head');
    };
    const made =
      head === 'git'
        ? commitOf(mergedTree(repository, first, [base, tip]))
        : repository.commit(head, { from: base, merge: isMerge ? [tip] : [] });
    repository.git('update-ref', 'refs/heads/main', made);
    await source.sync({ ...APP, wants: [made, tip], refs: ['refs/heads/main', ref] });
    const compared = { ...APP, base, head: made, decided: { base: first, head: tip } };
    t.deepEqual(await source.isSameChange(compared), { is_same: isSame });
  });
}

test('a range of several rounds of a branch is the merge of its head', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const ref = 'refs/heads/next';
  const root = repository.commit([app(handler('admin'))]);
  const passed = repository.commit([{ name: 'b.txt', data: 'b\n' }], { ref, from: root });
  const decided = repository.commit([app(handler('admin', LINE))], { ref });
  const base = repository.commit([{ name: 'c.txt', data: 'c\n' }]);
  const head = repository.commit([{ name: 'b.txt', data: 'b\n' }, app(handler('admin', LINE))], {
    from: base,
  });
  await source.sync({ ...APP, wants: [head, decided], refs: ['refs/heads/main', ref] });
  const compared = { ...APP, base, head, decided: { base: passed, head: decided } };
  t.deepEqual(await source.isSameChange(compared), { is_same: true });
});

test('a change is not compared with a commit that neither host nor mirror has', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([two]);
  const head = repository.commit([app(handler('admin', LINE), handler('open'))]);
  await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const compared = { ...APP, base, head, decided: { base: 'a'.repeat(40), head } };
  await t.throwsAsync(source.isSameChange(compared), { message: /neither in the mirror/ });
});
