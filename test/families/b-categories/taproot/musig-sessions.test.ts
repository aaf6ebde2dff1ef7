/** MuSig2 sessions over HTTP: every state and what it refuses, with participants who sign elsewhere, and the service as the last one. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestAnswer, type TestApp } from '../../../builders/app.ts';
import { type TestSigner, testSigner } from '../../../builders/taproot-recipes.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const BASE = '/api/v1/taproot/musig-sessions';
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
const refusal = ({ status, body }: TestAnswer) => [status, body.error?.details.code, body.error?.details.field];

async function begin(signers: readonly TestSigner[], body: Json = {}): Promise<Json> {
  const public_keys = signers.map(({ publicKey }) => publicKey);
  const answer = await service.post(BASE, { public_keys, message: hex(randomBytes(32)), ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const give = ({ musig_session_id }: Json, { publicKey, nonce }: TestSigner, given = nonce) =>
  service.post(`${BASE}/${musig_session_id}/nonces`, { public_key: publicKey, public_nonce: given });
const partial = ({ musig_session_id }: Json, { publicKey }: TestSigner, partial_signature: string) =>
  service.post(`${BASE}/${musig_session_id}/partial-signatures`, { public_key: publicKey, partial_signature });
const signLast = ({ musig_session_id }: Json, key: string, options = {}) =>
  service.post(`${BASE}/${musig_session_id}/sign`, { key }, options);
const cancel = ({ musig_session_id }: Json) => service.call('DELETE', `${BASE}/${musig_session_id}`);
const read = async ({ musig_session_id }: Json): Promise<Json> =>
  (await service.get(`${BASE}/${musig_session_id}`)).body;
const holds = async ({ aggregate_key: public_key, message, signature }: Json): Promise<boolean> =>
  (await service.post('/api/v1/taproot/signatures/verify', { public_key, message, signature })).body.valid;

describe('a session', () => {
  it.each([
    ['of sorted keys', {}],
    ['of keys as they come', { sort: false }],
    ['with tweaks', { tweaks: [{ tweak: '11'.repeat(32) }, { tweak: '22'.repeat(32), x_only: true }] }],
    ['that spends a taproot output', { taproot: {} }],
    [
      'that spends one with a tree',
      { taproot: { merkle_root: 'cd'.repeat(32) }, tweaks: [{ tweak: '33'.repeat(32) }] },
    ],
  ])('%s ends in a signature that holds', async (_, body) => {
    const signers = [testSigner(), testSigner(), testSigner()];
    const session = await begin(signers, body);
    expect(session).toMatchObject({ state: 'awaiting_nonces', aggregate_nonce: null, signature: null });
    const keys = await service.post('/api/v1/taproot/musig-keys', {
      public_keys: signers.map(({ publicKey }) => publicKey),
      ...body,
    });
    const { aggregate_key, internal_key, address } = session;
    expect(keys.body).toMatchObject({ aggregate_key, internal_key, address });
    expect(address === null).toBe(session.taproot === null);

    let ready: Json;
    for (const signer of [...signers].reverse()) ready = (await give(session, signer)).body;
    expect(ready).toMatchObject({ state: 'awaiting_signatures', aggregate_nonce: expect.stringMatching(/^0[023]/) });
    let answer: TestAnswer | undefined;
    for (const signer of signers) answer = await partial(session, signer, signer.sign(ready));
    expect(answer?.body).toMatchObject({ state: 'complete', signature: expect.stringMatching(/^[0-9a-f]{128}$/) });
    expect(await read(session)).toEqual(answer?.body);
    expect(await holds(answer?.body)).toBe(true);
  });

  it('is signed by the service as the last participant, once', async () => {
    const signers = [testSigner(), testSigner()] as const;
    const session = await begin(signers, { taproot: {} });
    expect(refusal(await signLast(session, signers[1].key))).toEqual([409, 'state_conflict', 'musig_session_id']);
    await give(session, signers[0]);
    const [first, again] = [
      await signLast(session, signers[1].key, { idempotencyKey: 'last' }),
      await signLast(session, signers[1].key, { idempotencyKey: 'last' }),
    ];
    expect(first.status, first.text).toBe(200);
    expect(again.text).toBe(first.text);
    expect(first.text).not.toContain(signers[1].key);
    expect(first.body).toMatchObject({ state: 'awaiting_signatures' });
    // No second signature, and so no second nonce, by any other request.
    expect(refusal(await signLast(session, signers[1].key))).toEqual([409, 'state_conflict', 'musig_session_id']);
    const { body } = await partial(session, signers[0], signers[0].sign(first.body));
    expect(body.state).toBe('complete');
    expect(await holds(body)).toBe(true);
  });

  it('is signed once by requests that come at the same time', async () => {
    const signers = [testSigner(), testSigner()] as const;
    const session = await begin(signers);
    await give(session, signers[0]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => signLast(session, signers[1].key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const [done] = answers.filter(({ status }) => status === 200);
    expect(await read(session)).toEqual(done?.body);
  });

  it('takes all nonces and all partial signatures that come at the same time', async () => {
    const signers = Array.from({ length: 5 }, testSigner);
    const session = await begin(signers);
    expect((await Promise.all(signers.map((one) => give(session, one)))).map(({ status }) => status)).toEqual(
      signers.map(() => 200),
    );
    const ready = await read(session);
    expect(ready.state).toBe('awaiting_signatures');
    await Promise.all(signers.map((one) => partial(session, one, one.sign(ready))));
    const complete = await read(session);
    expect(complete.state).toBe('complete');
    expect(await holds(complete)).toBe(true);
  });

  it('is listed by state, and nobody else’s', async () => {
    const session = await begin([testSigner(), testSigner()], { name: 'listed', external_id: 'x-1' });
    const query = `${BASE}?state=awaiting_nonces&name=listed&external_id=x-1`;
    expect((await service.get(query)).body).toMatchObject({ data: [session], pagination: { total: 1 } });
    expect((await service.get(`${BASE}?state=complete&name=listed`)).body.pagination.total).toBe(0);
    expect(refusal(await service.get(`${BASE}?state=done`))).toEqual([400, 'invalid_value', 'query.state']);
    const { apiKey } = await service.anotherAccount('musig');
    const at = `${BASE}/${session.musig_session_id}`;
    for (const [method, path, body] of [
      ['GET', at, undefined],
      ['DELETE', at, undefined],
      ['POST', `${at}/nonces`, { public_key: testSigner().publicKey, public_nonce: testSigner().nonce }],
      ['POST', `${at}/partial-signatures`, { public_key: testSigner().publicKey, partial_signature: 'ab'.repeat(32) }],
      ['POST', `${at}/sign`, { key: testSigner().key }],
    ] as const) {
      expect(refusal(await service.call(method, path, body, { apiKey }))).toEqual([
        404,
        'not_found',
        'musig_session_id',
      ]);
    }
  });
});

describe('nonces', () => {
  it('stand, and serve one session for ever', async () => {
    const signers = [testSigner(), testSigner()] as const;
    const session = await begin(signers);
    expect((await give(session, signers[0])).status).toBe(200);
    const taken = [409, 'already_exists', 'public_key'];
    expect(refusal(await give(session, signers[0]))).toEqual(taken);
    expect(refusal(await give(session, signers[0], testSigner().nonce))).toEqual(taken);
    // Another participant's, in this session or another, cancelled or not.
    const reused = [409, 'already_exists', 'public_nonce'];
    expect(refusal(await give(session, signers[1], signers[0].nonce))).toEqual(reused);
    expect((await cancel(session)).status).toBe(204);
    expect((await read(session)).state).toBe('cancelled');
    const next = await begin(signers);
    expect(refusal(await give(next, signers[0]))).toEqual(reused);
    expect((await read(next)).participants.every((one: Json) => one.public_nonce === null)).toBe(true);
    expect((await give(next, signers[1])).status).toBe(200);
  });

  it('are refused from strangers and where they are no points', async () => {
    const signers = [testSigner(), testSigner()] as const;
    const session = await begin(signers);
    expect(refusal(await give(session, testSigner()))).toEqual([422, 'not_a_participant', 'public_key']);
    for (const wrong of ['02'.repeat(65), '00'.repeat(66), `${signers[0].nonce.slice(0, 66)}02${'00'.repeat(31)}05`]) {
      expect(refusal(await give(session, signers[0], wrong))).toEqual([400, 'invalid_value', 'public_nonce']);
    }
  });
});

describe('partial signatures', () => {
  it('are refused before the nonces, twice, from strangers, and where they do not hold', async () => {
    const signers = [testSigner(), testSigner()] as const;
    const session = await begin(signers);
    await give(session, signers[0]);
    const early = await partial(session, signers[0], 'ab'.repeat(32));
    expect(refusal(early)).toEqual([409, 'state_conflict', 'musig_session_id']);
    expect(early.body.error.message).toMatch(/awaiting_nonces/);
    const ready = (await give(session, signers[1])).body;
    expect(refusal(await give(session, signers[1]))).toEqual([409, 'state_conflict', 'musig_session_id']);
    expect(refusal(await partial(session, testSigner(), 'ab'.repeat(32)))).toEqual([
      422,
      'not_a_participant',
      'public_key',
    ]);
    const own = signers[0].sign(ready);
    const invalid = [400, 'invalid_signature', 'partial_signature'];
    for (const wrong of ['00'.repeat(32), 'ff'.repeat(32), 'ab'.repeat(32)]) {
      expect(refusal(await partial(session, signers[0], wrong))).toEqual(invalid);
    }
    expect(refusal(await partial(session, signers[1], own))).toEqual(invalid);
    expect((await partial(session, signers[0], own)).status).toBe(200);
    expect(refusal(await partial(session, signers[0], own))).toEqual([409, 'already_exists', 'public_key']);
    const complete = await partial(session, signers[1], signers[1].sign(ready));
    expect(complete.body.state).toBe('complete');
  });
});

describe('what a session is called', () => {
  const call = ({ musig_session_id }: Json, body: Json, as = {}) =>
    service.call('PUT', `${BASE}/${musig_session_id}`, body, as);

  it('changes in every state, and nothing else with it', async () => {
    const signers = [testSigner(), testSigner()] as const;
    const begun = await begin(signers);
    const renamed = await call(begun, { name: 'Joint account', external_id: 'customer-7' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Joint account', external_id: 'customer-7' } });
    const { name, external_id, updated_at } = renamed.body;
    expect(renamed.body).toEqual({ ...begun, name, external_id, updated_at });
    await give(begun, signers[0]);
    const ready = await signLast(begun, signers[1].key);
    expect(ready.body).toMatchObject({ name, external_id });
    const complete = (await partial(begun, signers[0], signers[0].sign(ready.body))).body;
    const unnamed = await call(begun, {});
    expect(unnamed.body).toEqual({ ...complete, name: null, external_id: null, updated_at: unnamed.body.updated_at });
    expect(await read(begun)).toEqual(unnamed.body);
  });

  it('is for its own account, and is all that can change', async () => {
    const session = await begin([testSigner(), testSigner()]);
    const { apiKey } = await service.anotherAccount('sessions');
    expect(refusal(await call(session, { name: 'mine' }, { apiKey }))).toEqual([404, 'not_found', 'musig_session_id']);
    expect(refusal(await call(session, { message: 'ab' }))).toEqual([400, 'invalid_value', 'message']);
    expect(await read(session)).toEqual(session);
  });
});

describe('a session that is over', () => {
  const signers = [testSigner(), testSigner()] as const;
  const complete = async (): Promise<Json> => {
    const session = await begin(signers);
    await give(session, signers[0]);
    const { body } = await signLast(session, signers[1].key);
    return (await partial(session, signers[0], signers[0].sign(body))).body;
  };
  const cancelled = async (): Promise<Json> => {
    const session = await begin(signers);
    expect((await cancel(session)).status).toBe(204);
    return read(session);
  };

  it.each([
    ['complete', complete],
    ['cancelled', cancelled],
  ] as const)('because it is %s takes nothing more, and says so', async (state, make) => {
    const session = await make();
    expect(session.state).toBe(state);
    const answers = [
      await give(session, signers[0], testSigner().nonce),
      await partial(session, signers[0], 'ab'.repeat(32)),
      await signLast(session, signers[1].key),
      ...(state === 'complete' ? [await cancel(session)] : []),
    ];
    for (const answer of answers) {
      expect(refusal(answer)).toEqual([409, 'state_conflict', 'musig_session_id']);
      expect(answer.body.error.message).toContain(`in state ${state}`);
    }
    if (state === 'cancelled') expect((await cancel(session)).status).toBe(204);
    expect(await read(session)).toEqual(session);
  });
});

describe('mistakes', () => {
  const [one, two] = [testSigner(), testSigner()];
  const off = `02${'0'.repeat(63)}5`;
  const cases: [string, Json, string][] = [
    ['one participant', { public_keys: [one.publicKey] }, 'public_keys'],
    ['21 participants', { public_keys: Array.from({ length: 21 }, () => testSigner().publicKey) }, 'public_keys'],
    ['one of them twice', { public_keys: [one.publicKey, two.publicKey, one.publicKey] }, 'public_keys[2]'],
    ['a key off the curve', { public_keys: [one.publicKey, off] }, 'public_keys[1]'],
    ['an x-only key', { public_keys: [one.publicKey.slice(2), two.publicKey] }, 'public_keys[0]'],
    ['a tweak that is no scalar', { tweaks: [{ tweak: 'ff'.repeat(32) }] }, 'tweaks'],
    ['a short tweak', { tweaks: [{ tweak: 'ff' }] }, 'tweaks[0].tweak'],
    ['no message', { message: undefined }, 'message'],
  ];
  it.each(cases)('are named by field: %s', async (_, wrong, field) => {
    const body = { public_keys: [one.publicKey, two.publicKey], message: 'ab'.repeat(32), ...wrong };
    const answer = await service.post(BASE, body);
    expect({ status: answer.status, ...answer.body.error.details }).toMatchObject({ status: 400, field });
  });

  it('of the key are named without it', async () => {
    const session = await begin([one, two]);
    await give(session, one);
    expect(refusal(await signLast(session, testSigner().key))).toEqual([422, 'not_a_participant', 'key']);
    expect(refusal(await signLast(session, one.key))).toEqual([409, 'already_exists', 'key']);
    for (const key of ['0'.repeat(64), `${two.key}00`, 'key']) {
      const answer = await signLast(session, key);
      expect(refusal(answer)).toEqual([400, 'invalid_key', 'key']);
      expect(answer.text).not.toContain(two.key);
    }
    expect((await signLast(session, two.key)).status).toBe(200);
  });
});
