/** A real node, probed: its handshake, its height, and that it is another network's for a service of another network. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../src/chain/node-finder/free-ports.ts';
import { nodeAddress } from '../../src/core/nodes/node-address.ts';
import { createProbing } from '../../src/engines/probing/create-probing.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';

let node: TestNode;
let port: number;
beforeAll(async () => {
  [port = 0] = await freePorts(1);
  node = await startTestNode({ extraArgs: ['-listen=1', `-bind=127.0.0.1:${port}`] });
  await node.mine(3);
});
afterAll(() => node?.stop());

const probe = (network: 'regtest' | 'signet') =>
  createProbing({
    ...{ network, randomBytes, clock: Date.now, userAgent: '/ashlar:1/', apartMs: 0 },
    ...{ allowedNetworks: ['127.0.0.1'], allowedPorts: [port] },
  }).probe(
    nodeAddress(`127.0.0.1:${port}`, network) as never,
    { accountId: 'acc_a', nth: 0 },
    new AbortController().signal,
  );

it('answers a handshake with what it says by RPC', async () => {
  const { protocolversion, subversion } = await node.rpc<Record<string, unknown>>('getnetworkinfo');
  expect(await probe('regtest')).toEqual({
    protocolVersion: protocolversion,
    userAgent: subversion,
    claimedHeight: await node.rpc('getblockcount'),
  });
  await expect.poll(() => node.rpc<unknown[]>('getpeerinfo')).toEqual([]);
});

it('hangs up on a handshake of another network', async () => {
  await expect(probe('signet')).rejects.toMatchObject({ problem: 'no_handshake' });
});
