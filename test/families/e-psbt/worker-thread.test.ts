/** Large PSBTs are computed beside the thread that answers requests. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openComputing } from '../../../src/app/open-computing.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { psbtAnswer } from '../../../src/families/e-psbt/psbt-answer.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { unsignedPsbt } from '../../builders/unsigned-psbt.ts';
import { A } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { psbtHttp } from './psbt-http.ts';

const tools = { network: 'regtest', randomBytes } as const;
const THOUSAND = unsignedPsbt(A.point, 1_000);
const ONE = unsignedPsbt(A.point, 1);

let service: TestApp;
const { ok, refused } = psbtHttp(() => service);

beforeAll(async () => {
  noteSecret('key', A.hex);
  service = await startTestApp();
});
afterAll(() => service.close());

describe('a PSBT of a thousand inputs', () => {
  it('is signed while requests that came later are answered, and as it would be in the same thread', async () => {
    const answered: string[] = [];
    const large = ok('sign', { psbt: THOUSAND, key: A.hex }).finally(() => answered.push('large'));
    const small = ['sign', 'sign', 'sign'].map((verb) =>
      ok(verb, { psbt: ONE, key: A.hex }).finally(() => answered.push('small')),
    );
    const [answer] = await Promise.all([large, ...small]);
    expect(answered).toEqual(['small', 'small', 'small', 'large']);
    const given = { psbt: THOUSAND, key: new TextEncoder().encode(A.hex), allowSighash: [] };
    const { psbtData, signedInputs } = await computeHere(tools).run('psbt.sign', given, { accountId: 'acc_a' });
    expect(answer).toEqual({ ...psbtAnswer.present(psbtData), signed_inputs: signedInputs });
  });

  it('is refused as a small one', async () => {
    const refusals = await Promise.all(
      [THOUSAND, ONE].map((psbt) => refused('sign', { psbt: psbt.slice(0, -8), key: A.hex })),
    );
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_psbt', field: 'psbt' });
      expect(JSON.stringify(refusal)).not.toContain(A.hex);
    }
    expect(await refused('combine', { psbts: [THOUSAND, THOUSAND.slice(0, -8)] })).toMatchObject({ field: 'psbts[1]' });
    expect(await refused('construct', { psbt: THOUSAND, remove_inputs: [0, 1_000] })).toMatchObject({
      status: 400,
      field: 'remove_inputs[1]',
    });
  });
});

describe('where no worker is free', () => {
  it('says when to try again; and the service closes while one computes', async () => {
    const entry = new URL('../../engines/computing/hanging-worker.ts', import.meta.url);
    const busy = await startTestApp({ computing: openComputing(tools, { entry, size: 1, maxWaiting: 1 }) });
    const ask = () => busy.post('/api/psbt/v2/sign', { psbt: THOUSAND, key: A.hex });
    // One is with the worker, one waits, one is too many; which is which is the server's matter.
    const asked = [ask(), ask(), ask()];
    const first = await Promise.race(asked);
    expect(first.status).toBe(503);
    expect(first.headers['retry-after']).toBe('5');
    expect(first.body.error.message).toMatch(/too much is being computed/);
    await busy.close();
    for (const { status, text } of await Promise.all(asked)) {
      expect(status).toBe(503);
      expect(text).not.toContain(A.hex);
    }
  });
});
