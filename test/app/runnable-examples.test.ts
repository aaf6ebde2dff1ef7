/** What /docs shows can be sent as it stands: examples that need nothing of this very service, on a fresh one. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';
import { exampleBackend } from '../builders/written-backend.ts';

/** Whose keys the backup of the example names. */
const WORDS =
  'motor wait limb find lunch cube bean staff catch anger park wheel plug invite inch country emerge notice bird cable glimpse child shadow fever';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ backends: [exampleBackend] });
});
afterAll(() => service.close());

function send({ method, path, example, bodyContentType }: AnyOperation): Promise<TestAnswer> {
  const query = new URLSearchParams((example?.query ?? {}) as Record<string, string>);
  const headers = bodyContentType === undefined ? {} : { 'content-type': bodyContentType };
  return service.call(method, query.size === 0 ? path : `${path}?${query}`, example?.body, { headers });
}
const sendExampleOf = (id: string) => send(service.app.operations.find((one) => one.id === id) as AnyOperation);

it('compute', async () => {
  const refused: string[] = [];
  const computing = service.app.operations.filter(({ effect, params }) => effect === 'compute' && params === undefined);
  for (const operation of computing) {
    const { status, text } = await send(operation);
    if (status >= 300) refused.push(`${operation.id}: ${status} ${text}`);
  }
  expect(computing.map(({ id }) => id)).toEqual(expect.arrayContaining(['contract.decode', 'contract.check']));
  expect(refused).toEqual([]);
});

it('tell of the offer what it says', async () => {
  const example = (id: string) => service.app.operations.find((one) => one.id === id)?.example?.response;
  expect((await sendExampleOf('contract.decode')).body).toMatchObject(example('contract.decode') as object);
  const { valid, checks } = (await sendExampleOf('contract.check')).body;
  const shown = example('contract.check') as { checks: object[] };
  expect([valid, checks]).toEqual([true, expect.arrayContaining(shown.checks)]);
});

it('show an offer in which all is right but the coin, which is on no chain', async () => {
  const { status, body } = await sendExampleOf('contract.receive');
  expect([status, body.error.message]).toEqual([422, expect.stringMatching(/^funding_input_unspent: /)]);
});

it('take a contract in from its backup, where its wallet is', async () => {
  const account = { name: 'w', type: 'segwit', backup_type: 'none', mnemonic: WORDS, birthday: 0 };
  const { wallet_id } = (await service.post('/api/v1/wallets', account)).body;
  const idle = async () => (await service.get(`/api/v1/wallets/${wallet_id}`)).body.scan.state === 'idle';
  await vi.waitUntil(idle, { timeout: 30_000 });
  const answer = await sendExampleOf('contract.restore');
  expect(answer.status, answer.text).toBe(201);
});
