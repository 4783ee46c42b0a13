import { createHash, createPrivateKey, createPublicKey, verify as verifyBytes } from 'node:crypto';
import test from 'ava';
import {
  createCheckpointSigner,
  createCheckpointVerifier,
  readUnverified,
} from '../../src/audit/checkpoint.ts';
import { FORGER, OPEN, SIGNER } from './trail.ts';

const ROOT = createHash('sha256').update('root').digest();
const CHECKPOINT = { chain: '20261121T100000Z-1', size: 1234, root: ROOT };

test('a checkpoint is a signed note, byte by byte', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  const [body = '', signature = ''] = note.split('\n\n');
  t.is(`${body}\n`, `cra-audit/20261121T100000Z-1\n1234\n${ROOT.toString('base64')}\n`);
  const [, encoded = ''] = /^— cra-audit (\S+)\n$/.exec(signature) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const [name, keyId = '', key] = SIGNER.verifierKey.split('+', 3);
  t.is(name, 'cra-audit');
  t.is(bytes.subarray(0, 4).toString('hex'), keyId);
  t.is(Buffer.from(key ?? '', 'base64')[0], 1);
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const der = Buffer.concat([prefix, Buffer.alloc(32, 7)]);
  const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  t.true(verifyBytes(null, Buffer.from(`${body}\n`), publicKey, bytes.subarray(4)));
});

test('the key of RFC 8032 test 1 gives the public key that is told there', (t) => {
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  const { verifierKey } = createCheckpointSigner(Buffer.from(seed, 'hex'));
  const bytes = Buffer.from(verifierKey.split('+').slice(2).join('+'), 'base64');
  t.is(bytes.toString('hex'), '01d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
});

test('a checkpoint opens with its key alone', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  t.deepEqual(OPEN(note), CHECKPOINT);
  t.is(createCheckpointVerifier(FORGER.verifierKey)(note), null);
  t.is(OPEN(FORGER.sign(CHECKPOINT)), null);
  t.deepEqual(readUnverified(note), CHECKPOINT);
});

test('a checkpoint with any changed, missing or added character does not open', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  for (let at = 0; at < note.length; at += 1) {
    const other = note[at] === 'A' ? 'B' : 'A';
    t.is(OPEN(`${note.slice(0, at)}${other}${note.slice(at + 1)}`), null, `changed ${at}`);
    t.is(OPEN(`${note.slice(0, at)}${note.slice(at + 1)}`), null, `missing ${at}`);
  }
  for (const wrong of [`${note}\n`, ` ${note}`, `${note}${note}`, '', '\n\n', 'a\n\nb\n']) {
    t.is(OPEN(wrong), null);
  }
});

test('a checkpoint opens with the signatures of witnesses beside its own', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  const [body = '', own = ''] = note.split('\n\n');
  const witness = '— witness.example/w1 AAAABBBB\n';
  t.deepEqual(OPEN(`${body}\n\n${witness}${own}`), CHECKPOINT);
  t.deepEqual(OPEN(`${body}\n\n${own}${witness}`), CHECKPOINT);
  t.is(OPEN(`${body}\n\n${witness}`), null);
  t.is(OPEN(`${body}\n\n${own}not a signature\n`), null);
});

test('what is no checkpoint of a chain is not signed', (t) => {
  for (const wrong of [
    { ...CHECKPOINT, chain: 'a\nb' },
    { ...CHECKPOINT, chain: '' },
    { ...CHECKPOINT, size: 0 },
    { ...CHECKPOINT, size: 1.5 },
    { ...CHECKPOINT, size: 2 ** 53 },
    { ...CHECKPOINT, root: ROOT.subarray(1) },
  ]) {
    t.throws(() => SIGNER.sign(wrong), { instanceOf: RangeError });
  }
});

test('what is no key is refused', (t) => {
  t.throws(() => createCheckpointSigner(Buffer.alloc(31)), { instanceOf: RangeError });
  const { verifierKey } = SIGNER;
  const [name, id, ...key] = verifierKey.split('+');
  for (const wrong of [
    '',
    `other+${id}+${key.join('+')}`,
    `${name}+00000000+${key.join('+')}`,
    `${name}+${id}+${Buffer.concat([Buffer.of(2), Buffer.alloc(32)]).toString('base64')}`,
    `${verifierKey}=`,
  ]) {
    t.throws(() => createCheckpointVerifier(wrong), { message: /no public key/ });
  }
});
