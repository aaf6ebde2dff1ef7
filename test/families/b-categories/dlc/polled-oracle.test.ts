/** A contract that settles by itself: its oracle is asked under its URL, which answers when the event is over. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { foreignOracle } from '../../../builders/foreign-oracle.ts';

let service: TestApp;
let server: Server;
let url: string;
const pages = new Map<string, string>();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages.get(request.url as string);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startTestApp({ env: { ORACLE_ALLOWED_HOSTS: '127.0.0.1' } });
});
afterAll(async () => {
  await service.close();
  server.closeAllConnections();
  server.close();
});

async function made(path: string, body: Json): Promise<Json> {
  const answer = await service.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

it('settles by what the oracle answers', { timeout: 60_000 }, async () => {
  const { wallet_id } = await made('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });
  const { address } = await made(`/api/v1/wallets/${wallet_id}/addresses`, undefined);
  await made('/api/v1/bitcoin/blocks', { count: 101, address });
  await service.synced();

  const foreign = foreignOracle();
  const oracle = await made('/api/v1/dlc/oracles', { name: 'of others', public_key: foreign.publicKey, url });
  const said = foreign.announce({ kind: 'enum', outcomes: ['home', 'draw', 'away'] }, 'final');
  pages.set('/announcement/final', hex(said.announcement));
  await made('/api/v1/dlc/announcements', { oracle: oracle.oracle_id, event_id: 'final' });
  pages.set('/attestation/final', hex(said.attest('draw')));
  const contract = await made('/api/v1/contracts', {
    type: 'dlc',
    oracle: oracle.oracle_id,
    event_id: 'final',
    outcomes: ['home', 'draw', 'away'],
    collateral: '0.1',
    wallet_id,
  });
  await made('/api/v1/bitcoin/blocks', { count: 1 });
  await service.synced();
  for (;;) {
    const { body } = await service.get(`/api/v1/contracts/${contract.contract_id}`);
    expect(['signed', 'funded', 'confirmed', 'executed']).toContain(body.status);
    if (body.status === 'executed') {
      expect(body).toMatchObject({ outcome: 'draw', cet_txid: expect.stringMatching(/^[0-9a-f]{64}$/) });
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const [attestation] = (await service.get(`/api/v1/dlc/attestations?oracle=${oracle.oracle_id}`)).body.data;
  expect(attestation).toMatchObject({ source: 'fetched', outcome: 'draw' });
});
