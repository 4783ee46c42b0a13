import test from 'ava';
import { otherNode } from '../../src/core/other-node.ts';

const NOT_COMPILED = Object.assign(new Error("The module 're2.node' was compiled against"), {
  code: 'ERR_DLOPEN_FAILED',
});
const NO_BINARY = new Error('This version of uWS.js supports only Node.js versions 18, 20');

test('otherNode names the Node that runs, for each native module', (t) => {
  for (const error of [NOT_COMPILED, NO_BINARY]) {
    const said = otherNode(error, process.version) ?? '';
    t.true(said.includes(`Node ${process.version}: use Node 20.19+ or 22.12+`), said);
    t.true(said.endsWith(error.message), said);
  }
});

test('otherNode knows no other error', (t) => {
  t.is(otherNode(new Error('out of memory'), 'v24.0.0'), null);
  const damaged = Object.assign(new Error('re2.node: file too short'), NOT_COMPILED);
  t.is(otherNode(damaged, 'v24.0.0'), null);
  t.is(otherNode('ERR_DLOPEN_FAILED', 'v24.0.0'), null);
});
