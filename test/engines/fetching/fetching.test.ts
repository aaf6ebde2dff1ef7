import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetching, type FetchingOptions } from '../../../src/engines/fetching/create-fetching.ts';
import { FetchFailed } from '../../../src/engines/fetching/fetching.ts';

const LOCAL: FetchingOptions = { allowedHosts: ['127.0.0.1'] };
const open: (Server | TcpServer)[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of open.splice(0)) {
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(server: Server | TcpServer): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: IncomingMessage[] = [];
  const port = await listening(
    createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    }),
  );
  return { url: `http://127.0.0.1:${port}`, port, asked };
}

const json = (text: string) =>
  serving((_, response) => response.setHeader('content-type', 'application/json; charset=utf-8').end(text));

async function failure(url: string, options: Partial<FetchingOptions> = {}): Promise<string> {
  const error: unknown = await createFetching({ ...LOCAL, ...options })
    .get(url)
    .then(
      () => new Error('it was answered'),
      (thrown) => thrown,
    );
  return error instanceof FetchFailed ? error.failure : String(error);
}

describe('fetching', () => {
  it('answers JSON, text and bytes as they are, and null for 404', async () => {
    const { url, asked } = await serving((request, response) => {
      const type = {
        '/json': 'application/vnd.oracle+json',
        '/text': 'text/plain',
        '/bytes': 'application/octet-stream',
      };
      const found = type[request.url as keyof typeof type];
      if (found === undefined) response.writeHead(404).end('not here');
      else response.setHeader('content-type', found).end(Buffer.from([0x7b, 0x7d, 0xff]));
    });
    const fetching = createFetching(LOCAL);
    for (const [path, kind] of [
      ['json', 'json'],
      ['text', 'text'],
      ['bytes', 'binary'],
    ] as const) {
      const answer = await fetching.get(`${url}/${path}`);
      expect(answer?.kind).toBe(kind);
      expect([...(answer?.body ?? [])]).toEqual([0x7b, 0x7d, 0xff]);
    }
    expect(await fetching.get(`${url}/nothing`)).toBeNull();
    expect(asked.map(({ headers }) => headers['accept-encoding'])).toEqual(Array(4).fill('identity'));
    expect(asked.every(({ headers }) => headers.authorization === undefined && headers.cookie === undefined)).toBe(
      true,
    );
  });

  it('asks nobody under a URL that is refused', async () => {
    const { url, port, asked } = await json('{}');
    const strict: Partial<FetchingOptions> = { allowedHosts: [] };
    const refused = [
      url,
      `https://127.0.0.1:${port}`,
      `https://0x7f000001:${port}`,
      `https://2130706433:${port}`,
      `https://0177.0.0.1:${port}`,
      `https://[::ffff:127.0.0.1]:${port}`,
      `https://[::1]:${port}`,
      'https://169.254.169.254/latest/meta-data',
      'https://user:secret@oracle.example.com',
      'https://oracle.example.com:22',
      'http://oracle.example.com',
      'ftp://oracle.example.com',
      'file:///etc/passwd',
      'oracle.example.com',
      `https://oracle.example.com/${'a'.repeat(2048)}`,
    ];
    for (const one of refused) expect(await failure(one, strict), one).toBe('url_refused');
    expect(createFetching({ allowedHosts: [] }).problem('https://oracle.example.com:8443/dlc')).toBeNull();
    expect(asked).toEqual([]);
  });

  it('connects to no address that a name answers and that is refused, nor where one of several is', async () => {
    const { port, asked } = await json('{}');
    const answering = (...addresses: string[]) => ({
      allowedHosts: [],
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });
    const url = `https://oracle.example.com:${port}`;
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:127.0.0.1', '169.254.169.254'])
      expect(await failure(url, answering(address)), address).toBe('address_refused');
    expect(await failure(url, answering('203.0.114.1', '127.0.0.1'))).toBe('address_refused');
    expect(await failure(url, answering())).toBe('not_resolved');
    expect(await failure(url, { allowedHosts: [], resolve: () => Promise.reject(new Error('no')) })).toBe(
      'not_resolved',
    );
    expect(asked).toEqual([]);
  });

  it('connects to the very addresses that were checked: a name that answers another one next time helps nobody', async () => {
    const { port, asked } = await json('{}');
    let times = 0;
    const fetching = createFetching({
      allowedHosts: ['oracle.internal'],
      resolve: async () => [{ address: times++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }],
    });
    expect((await fetching.get(`http://oracle.internal:${port}/`))?.kind).toBe('json');
    expect(times).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const { url: target, asked } = await json('{}');
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await serving((_, response) => response.writeHead(status, { location: target }).end());
      expect(await failure(url), String(status)).toBe('redirected');
    }
    expect(asked).toEqual([]);
  });

  it('takes no status but 200, and no other content', async () => {
    for (const status of [201, 204, 206, 401, 403, 500, 503]) {
      const { url } = await serving((_, response) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(),
      );
      expect(await failure(url), String(status)).toBe('status');
    }
    for (const type of ['text/html', 'image/png', '']) {
      const { url } = await serving((_, response) => response.setHeader('content-type', type).end('x'));
      expect(await failure(url), type).toBe('content_type');
    }
  });

  it('reads a body to the bound and no further, said or not said, and unpacks none', async () => {
    const full = 'a'.repeat(1000);
    const { url } = await json(full);
    expect((await createFetching({ ...LOCAL, maxBytes: 1000 }).get(url))?.body).toHaveLength(1000);
    expect(await failure(url, { maxBytes: 999 })).toBe('too_large');

    let sent = 0;
    const endless = await serving((_, response) => {
      response.setHeader('content-type', 'text/plain');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
      };
      response.on('drain', more);
      more();
    });
    expect(await failure(endless.url, { maxBytes: 100_000 })).toBe('too_large');
    expect(sent).toBeLessThan(50_000_000);

    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const packed = await serving((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(await failure(packed.url)).toBe('content_encoding');
  });

  it('waits for no one: who drips, who says nothing, who sends headers without end, who breaks off', async () => {
    const drip = await serving((_, response) => {
      response.setHeader('content-type', 'text/plain');
      const timer = setInterval(() => response.write('a'), 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await failure(drip.url, { totalMs: 150 })).toBe('timed_out');

    const silent = await listening(createTcpServer(() => {}));
    expect(await failure(`http://127.0.0.1:${silent}`, { totalMs: 100 })).toBe('timed_out');

    const never: Partial<FetchingOptions> = {
      allowedHosts: ['oracle.internal'],
      connectMs: 50,
      resolve: () => new Promise(() => {}),
    };
    expect(await failure('http://oracle.internal', never)).toBe('timed_out');

    const headers = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`);
      }),
    );
    expect(await failure(`http://127.0.0.1:${headers}`)).toBe('broken');

    const broken = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nabc');
      }),
    );
    expect(await failure(`http://127.0.0.1:${broken}`)).toBe('broken');

    const nobody = await listening(createTcpServer(() => {}));
    await new Promise((resolve) => open.pop()?.close(resolve));
    expect(await failure(`http://127.0.0.1:${nobody}`)).toBe('no_connection');
  });

  it('speaks TLS where the URL says so, and with nobody who does not', async () => {
    const { port, asked } = await json('{}');
    expect(await failure(`https://127.0.0.1:${port}`)).toBe('broken');
    expect(asked).toEqual([]);
  });

  it('asks a bounded number at once, and stops when it is told to', async () => {
    const { url, asked } = await serving(() => {});
    const fetching = createFetching({ ...LOCAL, atOnce: 2 });
    const ending = new AbortController();
    const waiting = [fetching.get(url, ending.signal), fetching.get(url, ending.signal)];
    const ends = Promise.allSettled(waiting);
    await expect(fetching.get(url)).rejects.toMatchObject({ failure: 'too_many' });
    ending.abort();
    expect((await ends).map((end) => end.status === 'rejected' && end.reason.failure)).toEqual(['aborted', 'aborted']);
    await expect(fetching.get(url, AbortSignal.abort())).rejects.toMatchObject({ failure: 'aborted' });
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it('lets nobody who names slow servers keep another from asking', async () => {
    const slow = await serving(() => {});
    const { url } = await json('"of the oracle"');
    const fetching = createFetching({ ...LOCAL, atOnce: 8, atOnceForOne: 2 });
    const ending = new AbortController();
    const hostile = [1, 2, 3, 4].map(() => fetching.get(slow.url, ending.signal, 'acc_hostile'));
    const ends = Promise.allSettled(hostile);
    expect((await fetching.get(url, undefined, 'acc_honest'))?.kind).toBe('json');
    ending.abort();
    const failures = (await ends).map((end) => end.status === 'rejected' && end.reason.failure);
    expect(failures.sort()).toEqual(['aborted', 'aborted', 'too_many', 'too_many']);
    expect((await fetching.get(url, undefined, 'acc_hostile'))?.kind).toBe('json');
  });

  it('uses no proxy of the environment', async () => {
    const proxy = await json('"of the proxy"');
    const { url } = await json('"of the oracle"');
    const before = { ...process.env };
    Object.assign(process.env, {
      NODE_USE_ENV_PROXY: '1',
      http_proxy: proxy.url,
      HTTP_PROXY: proxy.url,
      ALL_PROXY: proxy.url,
    });
    try {
      const answer = await createFetching(LOCAL).get(url);
      expect(String(Buffer.from(answer?.body ?? []))).toBe('"of the oracle"');
      expect(proxy.asked).toEqual([]);
    } finally {
      process.env = before;
    }
  });

  it('tells nothing of an answer in what it throws', async () => {
    const { url } = await serving((_, response) =>
      response.writeHead(500, { 'content-type': 'text/plain' }).end('the inner secret'),
    );
    const error = (await createFetching(LOCAL)
      .get(url)
      .catch((thrown) => thrown)) as Error;
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('inner secret');
    expect(error.message).not.toContain('127.0.0.1');
  });
});
