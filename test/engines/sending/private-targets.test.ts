/** The check that every outgoing connection passes, against real servers on this machine: none of them is ever reached. */
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFetching } from '../../../src/engines/fetching/create-fetching.ts';
import { createSending } from '../../../src/engines/sending/create-sending.ts';
import { PRIVATE_ADDRESSES, PRIVATE_HOSTS, TRICKY_URLS } from './private-targets.ts';

const signal = new AbortController().signal;
let servers: Server[] = [];
let port = 0;
let reached: (string | undefined)[] = [];
/** Answers every request with a redirect to this machine. */
const answer = (socket: Socket): void => {
  reached.push(socket.localAddress);
  const status = 'HTTP/1.1 302 Found';
  socket
    .on('error', () => {})
    .once('data', () => socket.end(`${status}\r\nlocation: http://127.0.0.2:${port}/\r\ncontent-length: 0\r\n\r\n`));
};
const listening = (host: string, at: number) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer(answer).once('error', reject);
    server.listen({ port: at, host, ipv6Only: host === '::' }, () => resolve(server));
  });
beforeAll(async () => {
  const first = await listening('0.0.0.0', 0);
  port = (first.address() as { port: number }).port;
  servers = [first, await listening('::', port)];
});
afterAll(() => {
  for (const server of servers) server.close();
});

const names =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
/** What resolves like the system: a spelling that Node takes for a name is one of this machine. */
const asSystem = names('127.0.0.1');
const REQUEST = { method: 'POST', headers: {}, body: Buffer.from('{}'), ca: null } as const;
type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;
/** How each way out ends. */
async function ways(url: string, host: string, allowed: string[] = [], resolve: Resolve = asSystem): Promise<string[]> {
  reached = [];
  const sending = createSending({ allowedNetworks: allowed, resolve });
  const fetching = createFetching({ allowedHosts: allowed, resolve });
  const ended = (promise: Promise<unknown>) =>
    promise.then(
      () => 'reached',
      (error) => error.step ?? error.reason ?? error.message,
    );
  return Promise.all([
    ended(sending.http({ ...REQUEST, url }, { signal })),
    ended(sending.syslog({ hostname: host, port, tls: { ca: null } }, [], { signal })),
    ended(fetching.get(url, signal)),
  ]);
}

it.each(PRIVATE_HOSTS)('https://%s is connected to by nobody', async (host) => {
  const [http, syslog, fetched] = await ways(`https://${host}:${port}/`, host.replace(/^\[(.*)\]$/, '$1'));
  expect([http, syslog]).toEqual(['resolve', 'resolve']);
  expect(fetched).not.toBe('reached');
  expect(reached).toEqual([]);
});

it.each(TRICKY_URLS.map((url) => [JSON.stringify(url), url]))('nor %s', async (_, text) => {
  const url = text.replace('PORT', String(port));
  const [http, , fetched] = await ways(url, 'siem.example.com');
  expect([http, fetched === 'reached', reached]).toEqual(['resolve', false, []]);
});

it.each(PRIVATE_ADDRESSES)('nor a name that answers %j, alone or beside a public address', async (address) => {
  for (const found of [[address], ['93.184.216.34', address], [address, '2606:4700::1111']]) {
    const [http, syslog, fetched] = await ways(
      `https://siem.example.com:${port}/`,
      'siem.example.com',
      [],
      names(...found),
    );
    expect([http, syslog, fetched === 'reached', reached]).toEqual(['resolve', 'resolve', false, []]);
  }
});

it('a name is asked once for each connection, which goes to what was checked', async () => {
  let asked = 0;
  const turning: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  reached = [];
  const sending = createSending({ allowedNetworks: ['127.0.0.1'], resolve: turning });
  const target = { hostname: 'siem.example.com', port, tls: { ca: null } };
  // The server speaks no TLS.
  await expect(sending.syslog(target, [], { signal })).rejects.toMatchObject({ step: 'tls' });
  await expect(sending.syslog(target, [], { signal })).rejects.toMatchObject({ step: 'resolve' });
  expect([asked, reached]).toEqual([2, ['127.0.0.1']]);
});

it('a redirect to this machine is an answer, and followed by nobody', async () => {
  reached = [];
  const sending = createSending({ allowedNetworks: ['127.0.0.0/8'], resolve: asSystem });
  const { status } = await sending.http({ ...REQUEST, url: `http://127.0.0.1:${port}/` }, { signal });
  expect([status, reached]).toEqual([302, ['127.0.0.1']]);
});

it.each([
  [
    '127.0.0.1',
    ['127.0.0.1', '127.1', '0x7f000001'],
    ['127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[64:ff9b::7f00:1]'],
  ],
  ['127.0.0.0/30', ['127.0.0.1', '127.0.0.3'], ['127.0.0.4', '127.0.1.1', '[::1]']],
  ['::1', ['[::1]', '[0:0::1]'], ['127.0.0.1', '[::]', '[::ffff:127.0.0.1]']],
  ['0.0.0.0/0', ['127.0.0.1'], ['[::1]', '[::ffff:127.0.0.1]']],
] as const)('OUTBOUND_ALLOWED_NETWORKS=%s opens what it says', async (network, opened, closed) => {
  for (const host of opened) {
    const [http] = await ways(`http://${host}:${port}/`, host, [network]);
    expect([host, http, reached.length > 0]).toEqual([host, 'reached', true]);
  }
  for (const host of closed) {
    const [http] = await ways(`https://${host}:${port}/`, host, [network], names(host.replace(/^\[(.*)\]$/, '$1')));
    expect([host, http, reached]).toEqual([host, 'resolve', []]);
  }
});
