import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountRecord } from '../builders/store-records.ts';
import { type HookApp, notes, startHookApp } from './hook-app.ts';

let it_: HookApp;
let gate: { open: Promise<void> };
let openGate: () => void;
/** Resolves when a request stands at the shut gate. */
let reached: Promise<void>;

beforeEach(async () => {
  notes.length = 0;
  gate = { open: Promise.resolve() };
  it_ = await startHookApp({ gate });
});
afterEach(() => it_.close());

const shut = (): void => {
  const opening = new Promise<void>((resolve) => {
    openGate = resolve;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  reached = promise;
  Object.defineProperty(gate, 'open', {
    get() {
      resolve();
      return opening;
    },
  });
};

const write = (key: string | null, body: object, apiKey = it_.apiKey, url = '/api/v1/notes') =>
  it_.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${apiKey}`, ...(key === null ? {} : { 'idempotency-key': key }) },
    payload: body,
  });

describe('Idempotency-Key', () => {
  it('has one effect and answers the same bytes again, saying so', async () => {
    const first = await write('order-1', { text: 'one' });
    const again = await write('order-1', { text: 'one' });
    expect(first.statusCode).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.statusCode).toBe(201);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body).toBe(first.body);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(notes).toHaveLength(1);
  });

  it('makes no promise without a key', async () => {
    await write(null, { text: 'one' });
    await write(null, { text: 'one' });
    expect(notes).toHaveLength(2);
  });

  it('refuses the key with another body or path: 422', async () => {
    await write('order-1', { text: 'one' });
    const body = await write('order-1', { text: 'two' });
    expect(body.statusCode).toBe(422);
    expect(body.json().error.details).toMatchObject({
      code: 'idempotency_mismatch',
      field: 'headers.idempotency-key',
    });
    const query = await write('order-1', { text: 'one' }, it_.apiKey, '/api/v1/notes?x=1');
    expect(query.statusCode).toBe(422);
    expect(notes).toHaveLength(1);
  });

  it('keeps keys of one account apart from those of another', async () => {
    const other = accountRecord('acc_other', { name: 'other' });
    await it_.store.write((tx) => tx.accounts.insert(other));
    const otherKey = await it_.key({ accountId: other.accountId });
    await write('order-1', { text: 'one' });
    const theirs = await write('order-1', { text: 'theirs' }, otherKey);
    expect(theirs.statusCode).toBe(201);
    expect(theirs.headers['idempotency-replayed']).toBeUndefined();
    expect(notes).toHaveLength(2);
  });

  it('answers 409 with Retry-After while the first is running, and replays it afterwards', async () => {
    shut();
    const first = write('order-1', { text: 'one' });
    await reached;
    const during = await write('order-1', { text: 'one' });
    expect(during.statusCode).toBe(409);
    expect(during.headers['retry-after']).toBe('1');
    expect(during.json().error.details.code).toBe('idempotency_in_flight');
    openGate();
    expect((await first).statusCode).toBe(201);
    expect((await write('order-1', { text: 'one' })).headers['idempotency-replayed']).toBe('true');
    expect(notes).toHaveLength(1);
  });

  it('keeps nothing of a refusal, so that the corrected request may use the key', async () => {
    expect((await write('order-1', { text: 5 })).statusCode).toBe(400);
    expect((await write('order-1', { text: 'one' })).statusCode).toBe(201);
  });

  it('forgets after 24 hours', async () => {
    await write('order-1', { text: 'one' });
    it_.advance(24 * 3_600_000 - 1_000);
    expect((await write('order-1', { text: 'one' })).headers['idempotency-replayed']).toBe('true');
    it_.advance(2_000);
    expect((await write('order-1', { text: 'two' })).statusCode).toBe(201);
    expect(notes).toHaveLength(2);
  });

  it('keeps answers sealed: the database shows nothing of them', async () => {
    await write('order-1', { text: 'a secret of the caller' });
    const kept = await it_.store.read.idempotency.find(it_.accountId, 'order-1', Date.now());
    expect(kept?.status).toBe(201);
    expect(kept?.body).toMatch(/^v1\.[\w.-]+$/);
    expect(Buffer.from(kept?.body.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('secret');
  });

  it('answers 503 when a request takes too long, keeps the key claimed until it has ended, and leaves the effect to the retry', async () => {
    await it_.close();
    it_ = await startHookApp({ gate, requestTimeoutMs: 1_000 });
    shut();
    const late = await write('order-1', { text: 'one' });
    expect(late.statusCode).toBe(503);
    expect(late.headers['retry-after']).toMatch(/^\d+$/);
    expect(late.json().error).toMatchObject({ code: 'internal_error', details: { code: 'timed_out' } });
    expect((await write('order-1', { text: 'one' })).statusCode).toBe(409);
    openGate();
    let again = await write('order-1', { text: 'one' });
    while (again.statusCode === 409) again = await write('order-1', { text: 'one' });
    expect(again.statusCode).toBe(201);
    // What was given up has committed nothing: this is the effect, and the only one.
    expect(again.headers['idempotency-replayed']).toBeUndefined();
    expect(notes).toHaveLength(1);
  });
});
