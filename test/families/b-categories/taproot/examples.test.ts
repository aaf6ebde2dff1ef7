/** The documentation's examples of taproot's operations are true: what is computed is computed so, what is kept is answered so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taprootOperations } from '../../../../src/families/b-categories/taproot/index.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { noteSecretsOf } from '../../../secrets/collected.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const operations = taprootOperations({ taproot: { network: 'regtest', musigSessions: null, outputs: null } as never });
const exampleOf = (id: string): Json => operations.find((operation) => operation.id === id)?.example;

describe('computations', () => {
  const computed = operations.filter(({ effect }) => effect === 'compute').map(({ id, path }) => ({ id, path }));
  it('are all there', () => expect(computed).toHaveLength(8));
  it.each(computed)('$id', async ({ id, path }) => {
    const { body, response } = exampleOf(id);
    noteSecretsOf(body);
    const answer = await service.post(path, body);
    expect(answer.text).toBe(JSON.stringify(answer.body));
    expect(answer.body).toEqual(response);
  });
});

/** Ids and times are given anew each time. */
const without = ({
  output_id: _,
  musig_session_id: _session,
  created_at: _created,
  updated_at: _updated,
  ...rest
}: Json): Json => rest;

describe('what is kept', () => {
  it('an output', async () => {
    const { body, response } = exampleOf('taproot-output.create');
    expect(without((await service.post('/api/v1/taproot/outputs', body)).body)).toEqual(without(response));
  });

  it('a session from its first nonce to its signature', async () => {
    const created = exampleOf('musig-session.create');
    const { body: session } = await service.post('/api/v1/taproot/musig-sessions', created.body);
    expect(without(session)).toEqual(without(created.response));
    const nonce = exampleOf('musig-nonce.add');
    const path = `/api/v1/taproot/musig-sessions/${session.musig_session_id}`;
    const given = await service.post(`${path}/nonces`, nonce.body);
    expect(without(given.body)).toEqual(without(nonce.response));
    // The last signer's nonce is new each time, so that it is given here instead of signed for.
    const signed = exampleOf('musig-session.sign').response;
    const [, last] = signed.participants;
    const { public_key, public_nonce, partial_signature } = last;
    await service.post(`${path}/nonces`, { public_key, public_nonce });
    const ready = await service.post(`${path}/partial-signatures`, { public_key, partial_signature });
    expect(without(ready.body)).toEqual(without(signed));
    const added = exampleOf('musig-partial-signature.add');
    const complete = await service.post(`${path}/partial-signatures`, added.body);
    expect(without(complete.body)).toEqual(without(added.response));
  });
});
