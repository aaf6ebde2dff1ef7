/** A body may take a minute to come. What became of the credential meanwhile counts. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { signatureHeaders } from '../builders/signing.ts';

let service: TestApp;
let port: number;
beforeAll(async () => {
  service = await startTestApp({ env: { SIGNATURE_POLICY: 'per-key' } });
  port = Number(new URL(await service.listen()).port);
});
afterAll(() => service.close());

const BODY = JSON.stringify({ name: 'late', type: 'segwit', backup_type: 'none' });
const PATH = '/api/v1/wallets';

interface Begun {
  readonly id: string;
  /** Sends the body; answers the status. */
  end(): Promise<number>;
}

/** The request's head has been let in when this answers, and its body is still to come. */
async function begin(apiKey: string, signed = true): Promise<Begun> {
  const id = `slow-${Math.random().toString(36).slice(2)}`;
  const headers = {
    host: service.host,
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
  };
  const signable = { method: 'POST', path: PATH, host: service.host, headers, body: BODY };
  const sent: ClientRequest = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: PATH,
    headers: {
      ...headers,
      ...(signed ? signatureHeaders(signable, service.pairOf(apiKey)) : {}),
      'content-length': Buffer.byteLength(BODY),
      'x-request-id': id,
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => resolve(response.resume().statusCode ?? 0));
  });
  const { promise: letIn, resolve } = Promise.withResolvers<void>();
  waiting.set(id, resolve);
  sent.flushHeaders();
  await letIn;
  return {
    id,
    end: () => {
      sent.end(BODY);
      return answered;
    },
  };
}

/** Called when the request with this id was let in: its body is read from then on, and nothing else waited for. */
const waiting = new Map<string, () => void>();
beforeAll(() => {
  service.app.http.server.on('request', (incoming: IncomingMessage) => {
    incoming.on('newListener', (event) => {
      if (event === 'data' || event === 'readable') waiting.get(String(incoming.headers['x-request-id']))?.();
    });
  });
});

const idOf = async (apiKey: string) => (await service.app.services.apiKeys.verify(apiKey, '127.0.0.1')).credential.id;

describe('while the body was on its way', () => {
  it('the request is served where nothing changed', async () => {
    expect(await (await begin(service.adminKey)).end()).toBe(201);
  });

  it('the account was frozen: 403', async () => {
    const { accountId, apiKey } = await service.anotherAccount('frozen meanwhile');
    const begun = await begin(apiKey);
    expect((await service.post(`/api/v1/accounts/${accountId}/freeze`, {})).status).toBe(200);
    expect(await begun.end()).toBe(403);
    expect(await service.app.store.read.wallets.list(accountId, {}, { limit: 10, offset: 0 })).toMatchObject({
      total: 0,
    });
  });

  it('the key was revoked: 401, also where it need not sign', async () => {
    const apiKey = await service.key({ requireSignature: false });
    const begun = await begin(apiKey, false);
    await service.app.services.apiKeys.revoke(service.accountId, await idOf(apiKey));
    expect(await begun.end()).toBe(401);
  });
});
