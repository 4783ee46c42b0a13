import test from 'ava';
import { type GateTools, wantedFiles } from '../../../src/analysis/worker/gates.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import { documentPatterns } from '../../../src/rules/documents.ts';
import { findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { newFile } from '../patterns/scan-text.ts';
import { diffOf } from './run.ts';

const OF_CHANGES = documentPatterns.filter(({ document }) => document?.change !== undefined);

async function shown(
  diff: string,
  files?: TreeFiles,
  program?: GateTools['program'],
): Promise<string[]> {
  const found = await findingsOf(diff, {
    patterns: OF_CHANGES,
    ...(files === undefined ? {} : { files }),
    ...(program === undefined ? {} : { program }),
  });
  return found.map(({ severity, id, file, line }) => `${severity} ${id} ${file}:${line}`);
}

/** A change of which both versions are at hand. */
function inChange(path: string, before: string, after: string) {
  const files = (['base', 'head'] as const).map((side) => {
    const bytes = Buffer.from(side === 'base' ? before : after);
    return { side, path, state: 'read', bytes } as const;
  });
  return shown(diffOf(path, before, after, 0), files);
}

function deleted(path: string, text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const header = `diff --git a/${path} b/${path}\ndeleted file mode 100644\n`;
  const body = lines.map((line) => `-${line}\n`).join('');
  return `${header}--- a/${path}\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n${body}`;
}

const DATABASE =
  'resource "aws_db_instance" "main" {\n  engine = "mysql"\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n';
const REMOVED = 'high risk-terraform-database-removed';

test('a resource that a deleted file had is removed, unless it stands in another file', async (t) => {
  const gone = deleted('db/main.tf', DATABASE);
  t.deepEqual(await shown(gone), [`${REMOVED} db/main.tf:null`]);
  for (const path of ['db/data.tf', 'stacks/db/main.tf']) {
    t.deepEqual(await shown(`${gone}${newFile(DATABASE, path)}`), [], path);
  }
  const other = newFile(DATABASE.replace('"main"', '"other"'), 'db/data.tf');
  t.deepEqual(await shown(`${gone}${other}`), [`${REMOVED} db/main.tf:null`]);
  const moved = 'moved {\n  from = aws_db_instance.main\n  to   = aws_db_instance.other\n}\n';
  t.deepEqual(await shown(`${gone}${other}${newFile(moved, 'db/moved.tf')}`), []);
  const example = deleted('quickstart/db/main.tf', DATABASE);
  t.deepEqual(await shown(example), [
    `${REMOVED} quickstart/db/main.tf:null`.replace('high', 'medium'),
  ]);
  // Blocks of an override file change what others declare.
  t.deepEqual(await shown(deleted('db/main_override.tf', DATABASE)), []);
  const elsewhere = newFile(moved, 'other/moved.tf');
  t.deepEqual(await shown(`${gone}${elsewhere}`), [`${REMOVED} db/main.tf:null`]);
});

test('a resource that an untouched file of the module declares or moves is not removed', async (t) => {
  const gone = deleted('db/main.tf', DATABASE);
  const withFile = (text: string) => {
    const head = {
      list: async (folder: string) => (folder === 'db' ? ['data.tf'] : []),
      read: async (paths: readonly string[]) => paths.map(() => text),
      mentions: async () => ({ paths: [], isCut: false }),
      cut: () => undefined,
      isCut: false,
    };
    return shown(gone, undefined, { base: head, head });
  };
  t.deepEqual(await withFile(DATABASE), []);
  const moved = 'moved {\n  from = aws_db_instance.main\n  to   = aws_db_instance.other\n}\n';
  t.deepEqual(await withFile(moved), []);
  t.deepEqual(await withFile(DATABASE.replace('"main"', '"other"')), [
    `${REMOVED} db/main.tf:null`,
  ]);
});

test('stacks stay where the whole template is deleted', async (t) => {
  const bucket = (name: string) => `  ${name}:\n    Type: AWS::S3::Bucket\n`;
  const both = `Resources:\n${bucket('Logs')}${bucket('Data')}`;
  const id = 'risk-cloudformation-storage-removed stack.yaml:null';
  const one = await inChange('stack.yaml', both, `Resources:\n${bucket('Logs')}`);
  t.deepEqual(one, [`high ${id}`]);
  t.deepEqual(await shown(deleted('stack.yaml', both)), [`medium ${id}`, `medium ${id}`]);
});

test('several moved blocks of one file count', async (t) => {
  const block = (name: string) =>
    `moved {\n  from = aws_db_instance.${name}\n  to   = module.db.aws_db_instance.this\n}\n`;
  const both = DATABASE + DATABASE.replace('"main"', '"second"');
  const after = `${block('main')}${block('second[0]')}`;
  t.deepEqual(await inChange('main.tf', both, after), []);
  t.deepEqual(await inChange('main.tf', both, block('main')), [`${REMOVED} main.tf:null`]);
});

test('a removed block keeps what it does not destroy', async (t) => {
  const removed = (destroys: boolean) =>
    `removed {\n  from = aws_db_instance.main\n  lifecycle {\n    destroy = ${destroys}\n  }\n}\n`;
  t.deepEqual(await inChange('main.tf', DATABASE, removed(false)), []);
  t.deepEqual(await inChange('main.tf', DATABASE, removed(true)), [`${REMOVED} main.tf:null`]);
});

test('a value that changes is shown where it stands now', async (t) => {
  const now = DATABASE.replace('"mysql"', 'var.engine');
  t.deepEqual(await inChange('main.tf', DATABASE, now), []);
  t.deepEqual(await inChange('main.tf', DATABASE, DATABASE.replace('mysql', 'postgres')), [
    'high risk-terraform-aws-data-replaced main.tf:2',
  ]);
  const unprotected = DATABASE.replace('true', 'false');
  t.deepEqual(await inChange('main.tf', DATABASE, unprotected), [
    'medium risk-terraform-prevent-destroy-gone main.tf:4',
  ]);
});

test('a key that stands twice, or a long value, is compared as it counts', async (t) => {
  const set = (selector: string, storage: string) =>
    `apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: db\nspec:\n${selector}  volumeClaimTemplates:\n    - metadata: {name: data, annotations: {note: ${'long '.repeat(20)}}}\n      spec: {storage: ${storage}}\n`;
  const selector = '  selector: {matchLabels: {app: db}}\n';
  t.deepEqual(await inChange('db.yaml', set(selector + selector, '1Gi'), set(selector, '1Gi')), []);
  const found = await findingsOf(diffOf('db.yaml', set('', '1Gi'), set('', '2Gi'), 20), {
    patterns: OF_CHANGES,
  });
  const messages = found.map(({ message }) => message.slice(message.indexOf('This change')));
  t.deepEqual(messages, ['This change gives spec.volumeClaimTemplates another value.']);
});

test('the hunks of a posted diff show what they remove and replace', async (t) => {
  const around = `locals {\n  a = 1\n}\n${DATABASE}locals {\n  b = 1\n}\n`;
  const gone = around.replace(DATABASE, '');
  t.deepEqual(await shown(diffOf('main.tf', around, gone, 3)), [`${REMOVED} main.tf:null`]);
  const replaced = around.replace('mysql', 'postgres');
  t.deepEqual(await shown(diffOf('main.tf', around, replaced, 3)), [
    'high risk-terraform-aws-data-replaced main.tf:5',
  ]);
  // The block stays, though the hunk removes lines only.
  const shorter = around.replace('  engine = "mysql"\n', '');
  t.deepEqual(await shown(diffOf('main.tf', around, shorter, 3)), []);
  const inner = around.replace('    prevent_destroy = true\n', '');
  t.deepEqual(await shown(diffOf('main.tf', around, inner, 3)), [
    'medium risk-terraform-prevent-destroy-gone main.tf:4',
  ]);
});

test('a deleted file whose content the diff leaves out is read from the base', async (t) => {
  const diff = 'diff --git a/main.tf b/main.tf\ndeleted file mode 100644\nindex 1234567..0000000\n';
  const wanted = wantedFiles(Buffer.from(diff), gateTools().rules);
  t.true(wanted.some(({ side, path }) => side === 'base' && path === 'main.tf'));
  const bytes = Buffer.from(DATABASE);
  const files = [{ side: 'base', path: 'main.tf', state: 'read', bytes }] as const;
  t.true((await shown(diff, files)).includes(`${REMOVED} main.tf:null`));
  t.true((await shown(diff)).includes('low config-unread main.tf:null'));
  // Nobody knows whether it declared resources.
  const manifest = diff.replaceAll('main.tf', 'deploy/app.yaml');
  t.deepEqual(await shown(manifest), ['low config-unread deploy/app.yaml:null']);
});

test('objects of a template are the same whatever their names are made of', async (t) => {
  const claim = (name: string) =>
    `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: ${name}\n`;
  const before = claim('{{ .Release.Name }}-data');
  const renamed = claim('{{ include "app.fullname" . }}-data');
  t.deepEqual(await inChange('templates/pvc.yaml', before, renamed), []);
  t.deepEqual(await inChange('templates/pvc.yaml', before, claim('{{ .Release.Name }}-db')), [
    'medium risk-kubernetes-volume-removed templates/pvc.yaml:null',
  ]);
});

test('a file that cannot be read after the change removes nothing, and is a finding', async (t) => {
  t.deepEqual(await inChange('main.tf', DATABASE, 'resource "a" {\n'), [
    'medium config-unread main.tf:null',
  ]);
});
