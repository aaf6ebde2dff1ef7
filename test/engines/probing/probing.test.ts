import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { GENESIS_HASHES } from '../../../src/core/genesis.ts';
import type { AccountId } from '../../../src/core/ids.ts';
import { nodeAddress } from '../../../src/core/nodes/node-address.ts';
import { NodeRefused } from '../../../src/core/nodes/node-refused.ts';
import { createProbing, type ProbingOptions } from '../../../src/engines/probing/create-probing.ts';
import { type FakeNode, honest, peerMessage, startFakeNode, versionOf } from '../../builders/fake-node.ts';

const never = new AbortController().signal;
const MINE = { allowedNetworks: ['127.0.0.0/8'], allowedPorts: [] as number[], apartMs: 0 };
const probingOf = (given: Partial<ProbingOptions> = {}) =>
  createProbing({
    ...{ network: 'regtest', userAgent: '/ashlar:1/', randomBytes, clock: Date.now, ...MINE },
    resolve: async () => [],
    ...given,
  });

async function nodeOf(behave: Parameters<typeof startFakeNode>[0]): Promise<FakeNode> {
  const node = await startFakeNode(behave);
  onTestFinished(() => node.close());
  return node;
}

/** What it says of itself, or why it is refused; null: asked just now. */
async function probe(
  text: string,
  given: Partial<ProbingOptions> = {},
  probing = probingOf(given),
  accountId: AccountId = 'acc_a',
) {
  const address = nodeAddress(text, 'regtest');
  if (address === null || address === 'onion') throw new Error(text);
  try {
    return await probing.probe(address, { accountId, nth: 0 }, never);
  } catch (error) {
    if (error instanceof NodeRefused) return error.problem;
    throw error;
  }
}
const at = (node: FakeNode, given: Partial<ProbingOptions> = {}) =>
  probe(`127.0.0.1:${node.port}`, { allowedPorts: [node.port], ...given });

describe('a P2P node', () => {
  it('is reachable after the handshake', async () => {
    const node = await nodeOf(honest({ height: 7 }));
    expect(await at(node)).toEqual({ protocolVersion: 70016, userAgent: '/Fake:1.0/', claimedHeight: 7 });
  });

  const hostile: [string, Parameters<typeof startFakeNode>[0], string][] = [
    [
      'of another network',
      (socket) => socket.write(peerMessage('version', versionOf(), { magic: 'f9beb4d9' })),
      'other_network',
    ],
    [
      'with a bad checksum',
      (socket) => socket.write(peerMessage('version', versionOf(), { checksum: 'ffffffff' })),
      'no_handshake',
    ],
    [
      'that promises 4 GiB',
      (socket) => socket.write(peerMessage('version', Buffer.alloc(99), { length: 0xffff_ffff })),
      'no_handshake',
    ],
    ['that never sends verack', (socket) => socket.write(peerMessage('version', versionOf())), 'no_handshake'],
    ['that says nothing', () => {}, 'no_handshake'],
    ['that hangs up', (socket) => socket.destroy(), 'no_handshake'],
    ['that sends back what it gets', (socket, hello) => socket.write(hello), 'self'],
    ['that speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'no_handshake'],
  ];
  it.each(hostile)('%s is refused', async (_name, behave, problem) => {
    expect(await at(await nodeOf(behave), { totalMs: 300 })).toBe(problem);
  });

  it('that sends a byte now and then is left after the time for a probe, and the connection ends', async () => {
    let ended = false;
    const node = await nodeOf((socket) => {
      const bytes = peerMessage('version', versionOf());
      let sent = 0;
      const drip = setInterval(() => socket.write(bytes.subarray(sent, ++sent)), 20);
      socket.once('close', () => {
        clearInterval(drip);
        ended = true;
      });
    });
    expect(await at(node, { totalMs: 250 })).toBe('no_handshake');
    await expect.poll(() => ended).toBe(true);
  });

  it('of this very process is found by the nonce of any connection under way', async () => {
    // What comes in here goes out to the prober's other connection.
    let first: { hello: Buffer; answer(bytes: Buffer): void } | null = null;
    const node = await nodeOf((socket, hello) => {
      const answer = (bytes: Buffer) => void socket.write(bytes);
      if (first === null) first = { hello, answer };
      else {
        first.answer(hello);
        answer(first.hello);
      }
    });
    const probing = probingOf({ allowedPorts: [node.port], totalMs: 300 });
    const text = `127.0.0.1:${node.port}`;
    expect(await Promise.all([probe(text, {}, probing), probe(text, {}, probing)])).toEqual(['self', 'no_handshake']);
  });

  it('that takes no connection is not told from one that does not answer', async () => {
    const node = await startFakeNode(() => {});
    await node.close();
    expect(await at(node)).toBe('no_connection');
  });
});

describe('what is not allowed', () => {
  it('is not connected to: other ports, private addresses, names that lead there', async () => {
    const node = await nodeOf(honest());
    const allowedPorts = [node.port];
    const local = [{ address: '127.0.0.1', family: 4 }];
    const name = `node.example.com:${node.port}`;
    const answers = await Promise.all([
      probe(`127.0.0.1:${node.port}`),
      probe(`127.0.0.1:${node.port}`, { allowedNetworks: [], allowedPorts }),
      probe(`[::ffff:127.0.0.1]:${node.port}`, { allowedNetworks: [], allowedPorts }),
      probe(name, { allowedNetworks: [], allowedPorts, resolve: async () => local }),
      probe(name, { allowedPorts, resolve: async () => [...local, { address: '10.0.0.1', family: 4 }] }),
      // A name that is not there says the same.
      probe(name, { allowedPorts }),
      probe(`http://127.0.0.1:${node.port}`),
      probe(`http://127.0.0.1:${node.port}`, { allowedNetworks: [], allowedPorts }),
      probe('https://esplora.example.com:22', { allowedPorts: [22] }),
      probe('198.51.100.7'),
    ]);
    expect(answers).toEqual(answers.map(() => 'not_allowed'));
    expect(node.count()).toBe(0);
  });

  it('the address that was checked is the one that is connected to, whatever the name answers next', async () => {
    const node = await nodeOf(honest());
    let asked = 0;
    const resolve = async () => [{ address: ['127.0.0.1', '10.0.0.1'][asked++] ?? '', family: 4 }];
    const given = { allowedPorts: [node.port], resolve };
    expect(await probe(`node.example.com:${node.port}`, given)).toMatchObject({ protocolVersion: 70016 });
    expect(asked).toBe(1);
  });
});

it('connects for an account to one address and port once in a while, under whatever names', async () => {
  const node = await nodeOf(honest());
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const probing = probingOf({ allowedPorts: [node.port], resolve, apartMs: 60_000 });
  const names = ['a.example.com', 'b.example.com', '127.0.0.1', 'c.example.com'];
  const answers = await Promise.all(names.map((name) => probe(`${name}:${node.port}`, {}, probing)));
  expect(answers.filter((one) => one !== null)).toHaveLength(1);
  expect(node.count()).toBe(1);
  // Which puts off no other account.
  expect(await probe(`d.example.com:${node.port}`, {}, probing, 'acc_b')).toMatchObject({ protocolVersion: 70016 });
});

describe('Esplora', () => {
  let answer: (path: string) => { status?: number; body: string; headers?: Record<string, string> };
  const server = createServer((request, response) => {
    const { status = 200, body, headers = {} } = answer(request.url ?? '');
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  const port = () => (server.address() as AddressInfo).port;
  afterAll(() => server.close());
  const ask = (answers: Record<string, string>, more: { status?: number; headers?: Record<string, string> } = {}) => {
    answer = (path) => ({ body: answers[path] ?? '', status: path in answers ? 200 : 404, ...more });
    return probe(`http://127.0.0.1:${port()}/api/`, { allowedPorts: [port()], totalMs: 2_000 });
  };
  const GENESIS = '/api/block-height/0';
  const TIP = '/api/blocks/tip/height';

  it('is reachable where genesis is the network’s', async () => {
    const nothing = { protocolVersion: null, userAgent: null };
    expect(await ask({ [GENESIS]: GENESIS_HASHES.regtest, [TIP]: '321' })).toEqual({ ...nothing, claimedHeight: 321 });
  });

  it('is refused otherwise', async () => {
    const redirect = { status: 302, headers: { location: `http://127.0.0.1:${port()}/elsewhere` } };
    const answers = [
      await ask({ [GENESIS]: GENESIS_HASHES.mainnet, [TIP]: '1' }),
      await ask({ [GENESIS]: 'hello', [TIP]: '1' }),
      await ask({ [GENESIS]: GENESIS_HASHES.regtest, [TIP]: '<script>' }),
      await ask({ [GENESIS]: GENESIS_HASHES.regtest, [TIP]: '9'.repeat(100_000) }),
      await ask({ [GENESIS]: GENESIS_HASHES.regtest }),
      await ask({ '/elsewhere': GENESIS_HASHES.regtest }, redirect),
    ];
    expect(answers).toEqual(['other_network', ...Array.from({ length: 5 }, () => 'no_handshake')]);
  });
});

it('ends with the signal', async () => {
  const node = await nodeOf(() => {});
  const ending = new AbortController();
  const address = nodeAddress(`127.0.0.1:${node.port}`, 'regtest');
  const asked = probingOf({ allowedPorts: [node.port] }).probe(
    address as never,
    { accountId: 'acc_a', nth: 0 },
    ending.signal,
  );
  await expect.poll(node.count).toBe(1);
  ending.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
});
