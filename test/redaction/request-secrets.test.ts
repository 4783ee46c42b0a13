import test from 'ava';
import { createCancelFlag } from '../../src/core/cancel-flag.ts';
import { compileRules } from '../../src/gates/patterns/compile.ts';
import { CraError } from '../../src/model/errors.ts';
import { withoutSecrets } from '../../src/redaction/request-secrets.ts';
import { defaultRules } from '../../src/rules/default.ts';

const rules = compileRules(defaultRules);
const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const REQUEST = {
  repo_name: 'acme/shop',
  branch: 'feature/login',
  commit_message: 'Fix login\n\nThe session was dropped.\n',
  diff: 'x',
};

const read = (over: object) => withoutSecrets({ ...REQUEST, ...over }, rules, createCancelFlag());

test('withoutSecrets hides secrets in the commit message and nothing else', (t) => {
  const { commit_message, ...rest } = read({ commit_message: `Rotate\n\nold: ${AWS_KEY}\nend` });
  t.false(commit_message.includes(AWS_KEY.slice(8)), commit_message);
  t.regex(commit_message, /^Rotate\n\nold: .*…\nend$/s);
  t.deepEqual(rest, { repo_name: 'acme/shop', branch: 'feature/login', diff: 'x' });
});

test('withoutSecrets keeps a request without secrets as it is', (t) => {
  t.deepEqual(read({}), REQUEST);
  t.deepEqual(read({ commit_message: '' }), { ...REQUEST, commit_message: '' });
});

for (const field of ['repo_name', 'branch', 'commitSha', 'repoFullName']) {
  test(`withoutSecrets refuses a secret in ${field}`, (t) => {
    const error = t.throws(() => read({ [field]: `o/${AWS_KEY}` }), { instanceOf: CraError });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.is(error?.details['field'], field);
    t.false(error?.message.includes(AWS_KEY));
  });
}
