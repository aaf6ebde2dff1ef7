/** A real S3-compatible server (s3rver) on loopback, and one that keeps objects under lock in front of it. */
import { createHmac, hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import S3rver from 's3rver';
import { freePort } from './service-process.ts';

export const S3_KEYS = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };

export interface S3Server {
  readonly endpoint: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Names of all objects, in order. */
  names(): Promise<string[]>;
  text(name: string): Promise<string>;
  dispose(): Promise<void>;
}

export async function createS3Server(bucket: string): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'ashlar-s3-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let server: S3rver | null = null;
  const client = new AwsClient({
    ...{ accessKeyId: S3_KEYS.access_key_id, secretAccessKey: S3_KEYS.secret_access_key },
    ...{ service: 's3', region: 'us-east-1', retries: 0 },
  });
  const stop = async (): Promise<void> => {
    await server?.close();
    server = null;
  };
  return {
    endpoint,
    async start() {
      const settings = { port, address: '127.0.0.1', silent: true, directory, vhostBuckets: false };
      server = new S3rver({ ...settings, configureBuckets: [{ name: bucket, configs: [] }] });
      await server.run();
    },
    stop,
    async names() {
      const answer = await client.fetch(`${endpoint}/${bucket}?list-type=2`);
      return [...(await answer.text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, name = '']) => name).sort();
    },
    text: async (name) => (await client.fetch(`${endpoint}/${bucket}/${name}`)).text(),
    async dispose() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Checks signatures, passes on to `target`, and says of each object the lock that it was put with, as a store with object lock does. */
export async function lockingStore(target: string): Promise<{ endpoint: string; close(): Promise<void> }> {
  const locks = new Map<string, Record<string, string>>();
  const server: Server = createServer((asked, answer) => {
    const path = asked.url ?? '';
    if (!isSigned(asked)) {
      answer.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    const lock = Object.entries(asked.headers).filter(([name]) => name.startsWith('x-amz-object-lock-'));
    if (asked.method === 'PUT') locks.set(path, Object.fromEntries(lock) as Record<string, string>);
    const { method, headers } = asked;
    const onward = httpRequest(target + path, { method: method as string, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, { ...got.headers, ...(method === 'HEAD' && locks.get(path)) });
      got.pipe(answer);
    });
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Takes connections and says nothing. */
export async function silentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** By AWS' description of Signature Version 4, for headers alone: s3rver takes any signature of a key that it knows. */
function isSigned({ method = '', url = '', headers }: IncomingMessage): boolean {
  const form = /Credential=\w+\/((\d{8})\/([\w-]+)\/s3\/aws4_request), ?SignedHeaders=([\w;-]+), ?Signature=(\w+)$/;
  const [, scope = '', day = '', region = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  const [path = '', query = ''] = url.split('?');
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, path, query, signed.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash('sha256', canonical)].join('\n');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const parts = [day, region, 's3', 'aws4_request', text];
  return parts.reduce<Buffer | string>(hmac, `AWS4${S3_KEYS.secret_access_key}`).toString('hex') === signature;
}
