/** What a worker thread answers is what the serving thread does, in every operation that has both. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workerOperations } from '../../src/app/worker-operations.ts';
import { serializeAccept } from '../../src/core/dlc/messages/accept.ts';
import { serializeOffer } from '../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../src/core/dlc/messages/sign.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { createWorkerAnswers } from '../../src/hooks/worker-answers.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { coinTossInfo, testContract } from '../builders/dlc-messages.ts';
import { requestContext } from '../builders/request-context.ts';

let service: TestApp;
/** Those whose short bodies are worked on in the serving thread, and those that have none. */
let operations: AnyOperation[];
let always: AnyOperation[];

beforeAll(async () => {
  service = await startTestApp();
  const inWorkers = service.app.operations.filter(({ inWorker }) => inWorker !== undefined);
  operations = inWorkers.filter(({ inWorker }) => inWorker?.(1, {}) === false);
  always = inWorkers.filter(({ inWorker }) => inWorker?.(1, {}) === true);
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

  it('answers the same of messages, whose signatures it asks for', async () => {
    expect(always.map(({ id }) => id)).toEqual(['contract.check']);
    const [operation] = always as [AnyOperation];
    const here = createWorkerAnswers(workerOperations({ network: 'regtest', randomBytes }));
    const { offer, accept, sign } = testContract({ info: coinTossInfo(2_000_000n) });
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    const messages = {
      offer: hex(serializeOffer(offer, 'tagged')),
      accept: hex(serializeAccept(accept, 'tagged')),
      sign: hex(serializeSign(sign, 'tagged')),
    };
    const forged = { ...sign, cetAdaptorSignatures: sign.cetAdaptorSignatures.toReversed() };
    for (const [sent, valid] of [
      [{ offer: messages.offer }, true],
      [messages, true],
      [{ ...messages, sign: hex(serializeSign(forged, 'tagged')) }, false],
    ] as const) {
      const body = JSON.stringify(sent);
      const given = () => ({ operation: operation.id, body: new Uint8Array(Buffer.from(body)) });
      const first = await here({ ...given(), found: undefined });
      if (!('asked' in first)) throw new Error('it asks for nothing');
      const made = await here({ ...given(), found: await operation.lookUp?.(first.asked, requestContext()) });
      const answer = await service.call(operation.method, operation.path, body);
      expect([answer.status, answer.text]).toEqual([200, 'answer' in made && Buffer.from(made.answer).toString()]);
      expect(answer.body.valid).toBe(valid);
    }
  });

  it('refuses a query, of short bodies and of long ones', async () => {
    for (const { id, method, path, example } of [...operations, ...always])
      for (const body of [JSON.stringify(example?.body), padded(JSON.stringify(example?.body))]) {
        const { status, body: refused } = await service.call(method, `${path}?none=1`, body);
        expect([status, refused.error.details.field], id).toEqual([400, 'query.none']);
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
