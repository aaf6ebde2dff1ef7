/** The offline payments of docs/mobile.md, as they stand there, against a service. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signedFetch } from '../../src/client/signed-fetch.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';

const DOCUMENT = readFileSync(new URL('../../docs/mobile.md', import.meta.url), 'utf8');
const [, block = ''] =
  /```typescript\nimport \{ signedFetch \} from 'ashlar\/client';\n([\s\S]*?)\n```/.exec(DOCUMENT) ?? [];
const SAMPLE = stripTypeScriptTypes(block);

let app: TestApp;
let orders = 0;
let origin: string;
let walletId: string;
beforeAll(async () => {
  app = await startTestApp({ blocks: 101 });
  origin = (await app.listen()).replace('[::1]', 'localhost');
  walletId = (await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
  const { address } = (await app.post(`/api/v1/wallets/${walletId}/addresses`)).body;
  await app.post('/api/v1/bitcoin/blocks', { count: 101, address });
  await app.synced();
});
afterAll(() => app.close());

/** A device whose outbox outlives the tokens that it sends with. */
function device() {
  const waiting = new Map<string, Json>();
  const settled: Json[] = [];
  let syncs = 0;
  const outbox = {
    add: ({ key, body }: Json) => void waiting.set(key, body),
    all: () => [...waiting].map(([key, body]) => ({ key, body })),
    settle(key: string, how: Json) {
      waiting.delete(key);
      settled.push(how);
    },
  };
  const started = (accessToken: string): { pay(recipients: Json[]): void; back(): Promise<void> } =>
    runInNewContext(`${SAMPLE}\n;({ pay, back })`, {
      ...{ signedFetch, origin, accessToken, privateJwk: app.pairOf(app.adminKey), walletId, outbox, crypto },
      newOrderId: () => `order-${++orders}`,
      sync: async () => void syncs++,
    });
  return { started, waiting, settled, syncs: () => syncs };
}
const recipient = { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '0.001' };
const payments = async (): Promise<number> =>
  (await app.get('/api/v1/transactions?direction=outgoing')).body.pagination.total;

it('are kept while the login has expired or no feerate is known, then made once, and always synced', async () => {
  const { started, waiting, settled, syncs } = device();
  started('expired').pay([recipient]);
  await started('expired').back();
  expect([waiting.size, settled, syncs()]).toEqual([1, [], 1]);
  const [[key = '', body] = []] = waiting;
  waiting.set(key, { ...body, fee_rate: '1008 blocks' });
  const back = () => started(app.adminKey).back();
  // The simulated chain estimates nothing.
  await back();
  expect([waiting.size, settled, syncs()]).toEqual([1, [], 2]);
  waiting.set(key, body);
  await back();
  expect([waiting.size, settled]).toEqual([
    0,
    [{ made: true, content: expect.objectContaining({ status: 'broadcast' }) }],
  ]);
  // As after 24 hours: the service has forgotten the key, and knows the payment by its external_id.
  waiting.set(`${key}-again`, body);
  await back();
  expect([waiting.size, settled[1]?.made, syncs(), await payments()]).toEqual([0, true, 4, 1]);
});

it('are settled where they are refused for good, and hold up none that follow', async () => {
  const { started, waiting, settled } = device();
  const { pay, back } = started(app.adminKey);
  pay([{ ...recipient, address: 'nobody' }]);
  pay([{ ...recipient, amount: '100000' }]);
  await back();
  expect(waiting.size).toBe(0);
  expect(settled.map(({ made, content }) => [made, content.error.details.code])).toEqual([
    [false, 'invalid_address'],
    [false, 'insufficient_funds'],
  ]);
});
