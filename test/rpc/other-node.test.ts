import test from 'ava';
import { otherNode } from '../../src/rpc/other-node.ts';

const NOT_COMPILED = Object.assign(new Error("The module 're2.node' was compiled against"), {
  code: 'ERR_DLOPEN_FAILED',
});
const NO_BINARY = new Error('This version of uWS.js supports only Node.js versions 18, 20');

test('otherNode names the Node that runs, for each native module', (t) => {
  for (const error of [NOT_COMPILED, NO_BINARY]) {
    const said = otherNode(error) ?? '';
    t.true(said.includes(`Node ${process.version}: use Node 20.19+ or 22.12+`), said);
  }
});

test('otherNode knows no other error', (t) => {
  t.is(otherNode(new Error('out of memory')), null);
  t.is(otherNode('ERR_DLOPEN_FAILED'), null);
});
