import test from 'ava';
import { type FileKind, fileKind } from '../../../src/analysis/worker/change-shape.ts';

const KINDS: readonly (readonly [FileKind, readonly string[]])[] = [
  ['doc', ['README.md', 'docs/conf.py', 'LICENSE', 'src/doc/index.rst', 'CHANGELOG']],
  ['ci', ['.github/workflows/ci.yml', '.gitlab-ci.yml', 'Jenkinsfile', '.zuul.yaml']],
  ['dep', ['package.json', 'a/package-lock.json', 'yarn.lock', 'go.sum', 'pom.xml', 'Makefile']],
  // The training data takes every .txt for a text.
  ['doc', ['requirements.txt', 'notes.txt']],
  ['dep', ['requirements.in', 'setup.py', 'Cargo.toml', 'b/x.gradle']],
  ['test', ['test/a.py', 'src/test/java/A.java', 'pkg/a_test.go', 'src/a.spec.ts', 'test_a.py']],
  ['test', ['src/CartTest.java', 'src/__tests__/a.js', 'testdata/x.json']],
  ['mig', ['db/migrations/0001.py', 'sql/V1__init.sql', 'schema.sql']],
  ['code', ['src/a.ts', 'a.py', 'lib/a.go', 'A.java', 'src/latest.c', 'contest.rb']],
  ['infra', ['Dockerfile', 'infra/main.tf', 'bin/start', 'deploy.sh']],
  ['cfg', ['config/app.yaml', 'etc/app.conf', 'a.json']],
  ['other', ['logo.png', 'data.csv', 'noextension']],
];

for (const [kind, paths] of KINDS) {
  test(`fileKind is ${kind} for ${paths.join(', ')}`, (t) => {
    for (const path of paths) t.is(fileKind(path), kind, path);
  });
}

test('fileKind reads a path in linear time, whatever it holds', (t) => {
  // With a quadratic expression 200,000 characters took half a minute each.
  for (const unit of ['/', 'a/', '/-', '-requirements/', '_test.', '/test_']) {
    const path = unit.repeat(200_000 / unit.length);
    t.is(typeof fileKind(path), 'string', unit);
  }
});
