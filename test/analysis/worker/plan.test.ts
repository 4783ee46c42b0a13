import test from 'ava';
import { readChange } from '../../../src/analysis/worker/gates.ts';
import { inspectPlan } from '../../../src/analysis/worker/plan.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { PLANS } from '../../../src/gates/configuration/limits.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import { documentPatterns } from '../../../src/rules/documents.ts';
import { riskPatterns } from '../../../src/rules/risk.ts';
import { secretPatterns } from '../../../src/rules/secrets.ts';
import { plan, planned } from '../../gates/configuration/plan-file.ts';
import { diffOf } from '../../gates/configuration/run.ts';
import { newFile } from '../../gates/patterns/scan-text.ts';
import { findingsOf, gateTools, type RunOptions } from './gates-run.ts';

const PLAIN = newFile('hello\n', 'notes.txt');
const PATTERNS = [...riskPatterns, ...documentPatterns, ...secretPatterns];
const RULES = { patterns: PATTERNS };

async function ofPlan(
  bytes: Uint8Array,
  diff: string | Buffer = PLAIN,
  known: readonly GateFinding[] = [],
  options: RunOptions = RULES,
): Promise<GateFinding[]> {
  const change = readChange(Buffer.from(diff));
  const found = await inspectPlan(bytes, change, known, gateTools(options), createCancelFlag());
  return found.filter(({ id }) => id !== 'plan-read');
}

const names = (found: readonly GateFinding[]) =>
  found.map(({ id, severity }) => `${severity} ${id}`);
const saying = (found: readonly GateFinding[], text: string) =>
  found.filter(({ message }) => message.includes(text));

const DATABASE = { identifier: 'shop', storage_encrypted: true, publicly_accessible: false };

test('a database that a plan deletes is found, like a database that a file removes', async (t) => {
  const found = await ofPlan(
    plan([
      planned({
        address: 'module.shop["eu"].aws_db_instance.main',
        actions: ['delete'],
        before: DATABASE,
        action_reason: 'delete_because_no_module',
      }),
    ]),
  );
  t.deepEqual(names(found), ['high risk-terraform-database-removed']);
  const [one] = found;
  t.regex(
    one?.message ?? '',
    /The plan deletes module\.shop\["eu"\]\.aws_db_instance\.main, as the configuration does not have its module any more\.$/,
  );
  t.is(one?.file, null);
  t.regex(one?.fingerprint ?? '', /^[0-9a-f]{64}$/);
});

test('a database that a plan replaces is found, with the argument that makes it so', async (t) => {
  for (const actions of [
    ['delete', 'create'],
    ['create', 'delete'],
  ]) {
    const found = await ofPlan(
      plan([
        planned({
          address: 'aws_db_instance.main[0]',
          actions,
          before: { ...DATABASE, engine: 'mysql' },
          after: { ...DATABASE, engine: 'postgres' },
          replace_paths: [['engine'], ['restore_to_point_in_time', 0, 'restore_time']],
        }),
      ]),
    );
    const replaced = saying(
      found,
      'The plan replaces aws_db_instance.main[0], as engine, restore_to_point_in_time.restore_time have other values.',
    );
    t.deepEqual(names(replaced), ['high risk-terraform-aws-data-replaced']);
  }
});

test('what no rule knows is low when it is deleted or replaced', async (t) => {
  const found = await ofPlan(
    plan([
      planned({ address: 'null_resource.a', actions: ['delete'], before: {} }),
      planned({
        address: 'null_resource.b',
        actions: ['delete', 'create'],
        before: {},
        after: {},
        action_reason: 'replace_because_tainted',
      }),
      planned({ address: 'null_resource.c', actions: ['no-op'], before: {}, after: {} }),
      planned({ address: 'null_resource.d', actions: ['forget'], before: {} }),
    ]),
  );
  t.deepEqual(names(found), ['low risk-plan-deleted', 'low risk-plan-replaced']);
  t.regex(found[1]?.message ?? '', /as it is marked as tainted/);
});

test('planned values are looked at by the rules on documents', async (t) => {
  const open = {
    name: 'web',
    ingress: [{ from_port: 22, to_port: 22, protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'] }],
  };
  const found = await ofPlan(
    plan(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => {
        return planned({
          address: `aws_security_group.web["${key}"]`,
          actions: ['create'],
          after: open,
        });
      }),
    ),
  );
  const [one, ...more] = found.filter(({ severity }) => severity === 'high');
  t.deepEqual(more, []);
  t.regex(one?.id ?? '', /^risk-terraform-/);
  t.regex(one?.message ?? '', /The plan creates aws_security_group\.web\["a"\], .* and 2 more\.$/);
});

test('a resource that was safe is a grade graver, and the message says what it was', async (t) => {
  const before = { identifier: 'shop', publicly_accessible: false };
  const after = { identifier: 'shop', publicly_accessible: true };
  const weak = async (actions: string[], was: unknown) => {
    const found = await ofPlan(
      plan([planned({ address: 'aws_db_instance.a', actions, before: was, after })]),
    );
    return found.find(({ message }) => message.includes('publicly_accessible was'));
  };
  t.is((await weak(['update'], before))?.severity, 'critical');
  t.is(await weak(['create'], null), undefined);
});

test('a value that is known after the apply does not count, a value that nobody wrote is missing', async (t) => {
  const address = 'aws_rds_cluster.main';
  const change = (after_unknown: object) =>
    planned({ address, actions: ['create'], after: { engine: 'aurora' }, after_unknown });
  const configured = (expressions: object) => ({
    resources: [{ mode: 'managed', type: 'aws_rds_cluster', name: 'main', expressions }],
  });
  const isFound = async (unknown: object, expressions: object) => {
    const found = await ofPlan(plan([change(unknown)], configured(expressions)));
    return found.some(({ id }) => /^risk-terraform-.*(?:encrypt)/.test(id));
  };
  const written = { engine: {}, storage_encrypted: { references: ['var.encrypted'] } };
  t.false(await isFound({ storage_encrypted: true }, written));
  t.true(await isFound({ storage_encrypted: true }, { engine: {} }));
  t.true(await isFound({}, { engine: {} }));
});

test('a resource that another one of its module makes harmless is known by its references', async (t) => {
  const bucket = {
    address: 'module.files.aws_s3_bucket.this',
    actions: ['create'],
    after: { bucket: 'files' },
  };
  const configuration = (expressions: object) => ({
    module_calls: {
      files: {
        module: {
          resources: [
            { mode: 'managed', type: 'aws_s3_bucket', name: 'this', expressions: {} },
            {
              mode: 'managed',
              type: 'aws_s3_bucket_public_access_block',
              name: 'this',
              expressions,
            },
          ],
        },
      },
    },
  });
  const of = async (expressions: object) => {
    return (await ofPlan(plan([planned(bucket)], configuration(expressions)))).length;
  };
  const references = ['aws_s3_bucket.this.id', 'aws_s3_bucket.this'];
  t.true((await of({ bucket: { references } })) < (await of({})));
});

const SECRET = 'Tr0ub4dor-and-3-horses';

test('no sensitive value of a plan is in a finding', async (t) => {
  const values = (password: string) => ({
    ...DATABASE,
    password,
    description: password,
    engine: password,
  });
  const found = await ofPlan(
    plan([
      planned({
        address: 'aws_db_instance.main',
        actions: ['delete', 'create'],
        before: values('earlier-value-of-it'),
        after: values(SECRET),
        before_sensitive: { password: true },
        after_sensitive: { password: true },
        replace_paths: [['engine']],
      }),
    ]),
  );
  t.true(found.length > 0);
  t.false(JSON.stringify(found).includes(SECRET));
  t.false(JSON.stringify(found).includes('earlier-value-of-it'));
});

test('a secret that stands in a key is hidden', async (t) => {
  const token = `ghp_${'0123456789abcdefghijABCDEFGHIJ012345'}`;
  const address = `aws_db_instance.main["${token}"]`;
  const found = await ofPlan(plan([planned({ address, actions: ['delete'], before: DATABASE })]));
  t.is(found.length, 1);
  t.false(JSON.stringify(found).includes(token));
});

const TERRAFORM = `resource "aws_db_instance" "main" {
  identifier          = "shop"
  publicly_accessible = true
}
`;

test('a finding stands where the change declares the resource, and is not said twice', async (t) => {
  const diff = newFile(TERRAFORM, 'db/main.tf');
  const after = { identifier: 'shop', publicly_accessible: true };
  const own = plan([
    planned({ address: 'module.db.aws_db_instance.main', actions: ['create'], after }),
  ]);
  const alone = await ofPlan(own, diff);
  t.true(alone.length > 0);
  t.true(alone.every(({ file, line }) => file === 'db/main.tf' && line === 1));
  const known = await findingsOf(diff, RULES);
  const ids = new Set(known.map(({ id }) => id));
  const both = await ofPlan(own, diff, known);
  t.deepEqual(
    both.filter(({ id }) => ids.has(id)),
    [],
  );
});

test('a resource whose lines the change removes is found in its file', async (t) => {
  const diff = diffOf('main.tf', `a = 1\n${TERRAFORM}`, 'a = 1\n', 1);
  const removed = plan([
    planned({ address: 'aws_db_instance.main', actions: ['delete'], before: DATABASE }),
  ]);
  const [one] = await ofPlan(removed, diff);
  t.deepEqual(
    [one?.id, one?.file, one?.line],
    ['risk-terraform-database-removed', 'main.tf', null],
  );
  t.deepEqual(await ofPlan(removed, diff, await findingsOf(diff, RULES)), []);
});

test('a plan that is not complete says so', async (t) => {
  const found = await ofPlan(plan([], {}, { deferred_changes: [{}, {}], complete: false }));
  t.deepEqual(names(found), ['medium plan-incomplete']);
});

const REFUSED: [title: string, bytes: Uint8Array, message: RegExp][] = [
  [
    'a binary plan',
    Buffer.from('PK\x03\x04\x14\0'),
    /binary file of a plan: write it by terraform show -json/,
  ],
  [
    'text for people',
    Buffer.from('Terraform will perform the following actions:'),
    /is not JSON: write it by/,
  ],
  [
    'the log of a plan',
    Buffer.from('{"@level":"info","@message":"Terraform 1.11"}\n{}'),
    /is the log of terraform plan -json/,
  ],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /is not UTF-8/],
  ['a state', Buffer.from('{"format_version":"1.0","values":{}}'), /is a state, not a plan/],
  ['something else', Buffer.from('{"format_version":"1.0"}'), /is not a plan/],
  ['no version', Buffer.from('{"planned_values":{}}'), /has no format_version/],
  [
    'a version of the future',
    plan([], {}, { format_version: '2.0' }),
    /has format_version 2\.0; this service reads 1\.x/,
  ],
  [
    'a version that is not a number',
    plan([], {}, { format_version: SECRET }),
    /has format_version another one/,
  ],
  ['a list', Buffer.from('[]'), /is not a JSON object/],
  ['a plan that failed', plan([], {}, { errored: true }), /ended with an error/],
  [
    'a name twice',
    Buffer.from('{"format_version":"1.2","errored":true,"errored":false}'),
    /gives a field twice/,
  ],
  [
    'an unknown action',
    plan([planned({ address: 'a_b.c', actions: ['shred'] })]),
    /resource_changes\.0\.change\.actions is not known/,
  ],
  [
    'changes of another kind',
    plan([], {}, { resource_changes: {} }),
    /resource_changes is not a list/,
  ],
  ['too many bytes', Buffer.alloc(PLANS.BYTES_MAX + 1, 32), /is longer than 32 MiB/],
  [
    'too many resources',
    plan(Array(PLANS.RESOURCES_MAX + 1).fill(0)),
    /has more than 20000 resources/,
  ],
  [
    'values that are nested too deep',
    plan([planned({ address: 'a_b.c', actions: ['create'], after: { a: deep(200) } })]),
    /is nested deeper than 100/,
  ],
  [
    'too many values',
    plan([
      planned({
        address: 'a_b.c',
        actions: ['create'],
        after: { a: Array(PLANS.NODES_MAX).fill(0) },
      }),
    ]),
    /more than 1000000 values/,
  ],
];

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}

for (const [title, bytes, message] of REFUSED) {
  test(`a plan is refused: ${title}`, async (t) => {
    const thrown = await t.throwsAsync(ofPlan(bytes), { message });
    t.false(thrown?.message.includes(SECRET));
  });
}

test.serial('the time that a plan takes grows with its length', async (t) => {
  const of = (count: number) => {
    const changes = Array.from({ length: count }, (_, index) =>
      planned({ address: `aws_s3_bucket.b${index}`, actions: ['create'], after: { bucket: 'b' } }),
    );
    const resources = changes.flatMap(({ name }) => [
      { mode: 'managed', type: 'aws_s3_bucket', name, expressions: {} },
      {
        mode: 'managed',
        type: 'aws_s3_bucket_public_access_block',
        name,
        expressions: { bucket: { references: [`aws_s3_bucket.${name}.id`] } },
      },
    ]);
    return plan(changes, { resources });
  };
  const cpuOf = async (bytes: Uint8Array) => {
    const before = process.cpuUsage();
    await ofPlan(bytes);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await cpuOf(of(1_000));
  const small = await cpuOf(of(1_000));
  const large = await cpuOf(of(8_000));
  t.true(large < small * 24, `${small} us for 1000, ${large} us for 8000`);
});
