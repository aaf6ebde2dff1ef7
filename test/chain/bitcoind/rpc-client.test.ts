import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRpcClient, type RpcClient } from '../../../src/chain/bitcoind/rpc-client.ts';

type Answer = { status?: number; body?: string; hang?: boolean; cut?: boolean };

describe('JSON-RPC client', () => {
  let server: Server;
  let port: number;
  let folder: string;
  let client: RpcClient | undefined;
  let seen: { authorization: string | undefined; path: string; body: unknown }[];
  let answer: (request: IncomingMessage, body: string) => Answer;

  beforeEach(async () => {
    seen = [];
    folder = await mkdtemp(join(tmpdir(), 'ashlar-rpc-'));
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ authorization: request.headers.authorization, path: request.url ?? '', body: JSON.parse(body) });
      const reply = answer(request, body);
      if (reply.cut) request.socket.destroy();
      else if (!reply.hang) response.writeHead(reply.status ?? 200).end(reply.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    await client?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const open = (options: { userinfo?: string; cookieFile?: string; path?: string } = {}): RpcClient => {
    const { userinfo = '', path = '', cookieFile } = options;
    client = createRpcClient({ url: `http://${userinfo}127.0.0.1:${port}${path}`, ...(cookieFile && { cookieFile }) });
    return client;
  };
  const result = (value: unknown): Answer => ({ body: JSON.stringify({ id: 0, result: value, error: null }) });

  it('sends userinfo of the URL as Basic authorization, decoded, and nowhere else', async () => {
    answer = () => result(7);
    expect(await open({ userinfo: 'rpc%40user:p%3Ass@', path: '/wallet/a' }).call('getblockcount')).toBe(7);
    expect(seen).toEqual([
      {
        authorization: basic('rpc@user:p:ss'),
        path: '/wallet/a',
        body: { id: 0, method: 'getblockcount', params: [] },
      },
    ]);
  });

  it('says no word of the credentials when they are refused or the node is away', async () => {
    answer = () => ({ status: 401 });
    const refused = await open({ userinfo: 'user:sesame@' })
      .call('x')
      .catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'node_unavailable' });
    const away = createRpcClient({ url: 'http://user:sesame@127.0.0.1:9' });
    const silent = await away.call('x').catch((error: Error) => error);
    await away.close();
    expect(silent).toMatchObject({ code: 'node_unavailable' });
    expect(JSON.stringify([refused, silent, String(refused), String(silent)])).not.toContain('sesame');
  });

  it('reads the cookie file again when the node refuses what it held', async () => {
    const cookieFile = join(folder, '.cookie');
    await writeFile(cookieFile, '__cookie__:old\n');
    let valid = basic('__cookie__:old');
    answer = (request) => (request.headers.authorization === valid ? result(1) : { status: 401 });
    const rpc = open({ cookieFile });
    expect(await rpc.call('ping')).toBe(1);
    valid = basic('__cookie__:new');
    await writeFile(cookieFile, '__cookie__:new');
    expect(await rpc.call('ping')).toBe(1);
    expect(seen.map((request) => request.authorization)).toEqual([
      basic('__cookie__:old'),
      basic('__cookie__:old'),
      basic('__cookie__:new'),
    ]);
  });

  it('takes a missing cookie file for a node that does not run', async () => {
    await expect(open({ cookieFile: join(folder, 'none') }).call('ping')).rejects.toMatchObject({
      code: 'node_unavailable',
    });
    expect(seen).toEqual([]);
  });

  it('reads errors that come as HTTP 500 with a JSON body', async () => {
    const error = { code: -8, message: 'Block height out of range' };
    answer = () => ({ status: 500, body: JSON.stringify({ id: 0, result: null, error }) });
    await expect(open().call('getblockhash', [1])).rejects.toMatchObject({ name: 'RpcError', ...error });
  });

  it.each([
    ['a warming node', { status: 500, body: '{"id":0,"result":null,"error":{"code":-28,"message":"Loading…"}}' }],
    ['a full work queue', { status: 503, body: 'Work queue depth exceeded' }],
    ['a refused address', { status: 403, body: '' }],
    ['an answer without a result', { body: '{"id":0}' }],
    ['a page of something else', { body: '<html>' }],
  ])('says unavailable for %s', async (_name, reply) => {
    answer = () => reply;
    await expect(open().call('ping')).rejects.toMatchObject({ code: 'node_unavailable' });
  });

  it('says syncing where the node says that it is in initial download', async () => {
    answer = () => ({ status: 500, body: '{"id":0,"result":null,"error":{"code":-10,"message":"in initial sync"}}' });
    await expect(open().call('getblocktemplate')).rejects.toMatchObject({ code: 'node_syncing' });
  });

  it('gives up on a node that does not answer in time', async () => {
    answer = () => ({ hang: true });
    await expect(open().call('ping', [], { timeoutMs: 50 })).rejects.toMatchObject({ code: 'node_unavailable' });
  });

  it('asks once more when a kept connection broke, except for mining', async () => {
    let failures = 1;
    answer = () => (failures-- > 0 ? { cut: true } : result('ok'));
    const rpc = open();
    expect(await rpc.call('getbestblockhash')).toBe('ok');
    failures = 1;
    await expect(rpc.call('generatetoaddress', [1, 'x'])).rejects.toMatchObject({ code: 'node_unavailable' });
    expect(seen.map(({ body }) => (body as { method: string }).method)).toEqual([
      'getbestblockhash',
      'getbestblockhash',
      'generatetoaddress',
    ]);
  });

  it('matches the outcomes of a batch by id, whatever their order', async () => {
    answer = () => ({
      body: '[{"id":2,"result":"c","error":null},{"id":0,"result":0.1,"error":null},{"id":1,"result":null,"error":{"code":-5,"message":"no"}}]',
    });
    const outcomes = await open().batch([{ method: 'a' }, { method: 'b', params: [1] }, { method: 'c' }], {
      exact: true,
    });
    expect(outcomes.map((outcome) => outcome.result)).toEqual(['0.1', null, 'c']);
    expect(outcomes[1]?.error).toMatchObject({ code: -5, method: 'b' });
    expect(await open().batch([])).toEqual([]);
  });

  it('says unavailable when a batch lacks an answer', async () => {
    answer = () => ({ body: '[{"id":0,"result":1,"error":null}]' });
    await expect(open().batch([{ method: 'a' }, { method: 'b' }])).rejects.toMatchObject({ code: 'node_unavailable' });
  });
});
