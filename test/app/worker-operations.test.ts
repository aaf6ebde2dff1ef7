/** What a worker thread answers is what the serving thread does, in every operation that has both. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
let operations: AnyOperation[];

beforeAll(async () => {
  service = await startTestApp();
  operations = service.app.operations.filter(({ inWorker }) => inWorker?.(1, {}) === false);
});
afterAll(() => service.close());

const LONG = 100_000;
const exampleOf = ({ example }: AnyOperation): string => JSON.stringify(example?.body);
/** Means the same, and is long. */
const padded = (body: string): string => body + ' '.repeat(LONG);

/** Of the short text, here, and of the long one, in a worker. */
async function both({ method, path, inWorker }: AnyOperation, body: string) {
  expect([inWorker?.(body.length, {}), inWorker?.(body.length + LONG, {})]).toEqual([false, true]);
  const [here, there] = await Promise.all([body, padded(body)].map((text) => service.call(method, path, text)));
  return [here, there].map((answer) => ({
    status: answer?.status,
    type: answer?.headers['content-type'],
    text: answer?.text,
  }));
}

const BYTE_ORDER_MARK = '\ufeff';
const REFUSED = [
  ...['{"psbt":"cHNidP8B"}', '{"none":1}', '{', '[]', '{"a":1,"a":2}', '"\\u0000"', 'null', ' ', BYTE_ORDER_MARK],
  ...['{"__proto__":1}', '{"constructor":{"prototype":1}}', '{"constructor":1}'],
];

describe('every operation of which workers know', () => {
  it('answers its example the same', async () => {
    expect(operations.length).toBeGreaterThan(13);
    for (const operation of operations) {
      const example = exampleOf(operation);
      const [here, there] = await both(operation, example);
      expect(there, operation.id).toEqual(here);
      expect(await both(operation, BYTE_ORDER_MARK + example), operation.id).toEqual([here, here]);
    }
  });

  it('refuses the same', async () => {
    for (const operation of operations)
      for (const body of REFUSED) {
        const [here, there] = await both(operation, body);
        expect(here?.status, `${operation.id} ${body}`).toBe(400);
        expect(there, `${operation.id} ${body}`).toEqual(here);
      }
  });

  it('refuses bytes that are no text', async () => {
    for (const { method, path, id } of operations) {
      const answer = await service.call(method, path, Buffer.alloc(LONG, 0xff));
      expect([answer.status, answer.body.error.details.code], id).toEqual([400, 'malformed_request']);
    }
  });
});

describe('hex of megabytes', () => {
  it('is refused by name where it is too long', async () => {
    const long = '00'.repeat(4_950_000);
    const { psbt } = (await service.post('/api/psbt/v2/create', { inputs: [], outputs: [] })).body;
    const input = { txid: 'ab'.repeat(32), vout: 0, redeem_script: long };
    for (const [verb, body, field] of [
      ['create', { inputs: [input], outputs: [] }, 'inputs[0].redeem_script'],
      ['create', { inputs: [], outputs: [{ script: long, amount: '1' }] }, 'outputs[0].script'],
      ['construct', { psbt, add_inputs: [input] }, 'add_inputs[0].redeem_script'],
      ['update', { psbt, inputs: [{ index: 0, tap_internal_key: long }] }, 'inputs[0].tap_internal_key'],
    ] as const) {
      const answer = await service.post(`/api/psbt/v2/${verb}`, body);
      expect([answer.status, answer.body.error.details.field], verb).toEqual([400, field]);
    }
  });
});
