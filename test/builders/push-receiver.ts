/** A push service and the browser behind it, on loopback: decrypts by RFC 8291 and verifies by RFC 8292 on its own, not by the library that encrypts. */
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify } from 'jose';
import type { PushSubscription } from '../../src/services/notifications/push/vapid.ts';
import type { Json } from './app.ts';

interface Browser {
  readonly ecdh: ECDH;
  readonly auth: Buffer;
}

export interface Pushed {
  readonly headers: Record<string, string>;
  readonly payload: Json;
  readonly vapid: { readonly aud: string; readonly sub: string; readonly exp: number; readonly publicKey: string };
}

const hkdf = (salt: Uint8Array, key: Uint8Array, info: Uint8Array, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/** RFC 8188 §2.1 and RFC 8291 §3.4: one record. Throws where it was not encrypted for this browser. */
export function decrypted(body: Buffer, { ecdh, auth }: Browser): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (record.length > body.readUInt32BE(16)) throw new Error('more than one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const key = hkdf(auth, ecdh.computeSecret(sender), info, 32);
  const cipher = createDecipheriv(
    'aes-128-gcm',
    hkdf(salt, key, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
    hkdf(salt, key, Buffer.from('Content-Encoding: nonce\0'), 12),
  );
  cipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the last record');
  return padded.subarray(0, end).toString();
}

async function verified(authorization: string, origin: string): Promise<Pushed['vapid']> {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const key = await importJWK({ kty: 'EC', crv: 'P-256', x: x!, y: y! }, 'ES256');
  const { payload } = await jwtVerify(token, key, { algorithms: ['ES256'], audience: origin });
  if (payload.exp! - Date.now() / 1_000 > 86_400) throw new Error('a token of more than a day');
  return { aud: origin, sub: payload.sub!, exp: payload.exp!, publicKey };
}

export async function startPushReceiver() {
  const browsers = new Map<string, Browser>();
  const pushed: Pushed[] = [];
  const problems: unknown[] = [];
  const receiver = { status: 201 };
  const take = async (request: IncomingMessage, origin: string): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    const browser = browsers.get(request.url!)!;
    const payload = JSON.parse(decrypted(Buffer.concat(chunks), browser));
    pushed.push({ headers, payload, vapid: await verified(headers.authorization!, origin) });
  };
  const server = createServer(async (request, response) => {
    await take(request, origin).catch((error) => problems.push(error));
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(receiver, {
    origin,
    /** In order; decrypted and verified. */
    pushed,
    /** What could not be. */
    problems,
    subscribe(): PushSubscription {
      const ecdh = createECDH('prime256v1');
      ecdh.generateKeys();
      const auth = randomBytes(16);
      const path = `/push/${browsers.size}`;
      browsers.set(path, { ecdh, auth });
      const keys = { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') };
      return { endpoint: origin + path, keys };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
