/** The same job, in this thread and in another: one answer, one refusal, and nothing left of the key. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openComputing } from '../../../src/app/open-computing.ts';
import { isHeavy } from '../../../src/core/psbt/jobs/is-heavy.ts';
import type { Given, PsbtJobName } from '../../../src/core/psbt/jobs/psbt-jobs.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { unsignedPsbt } from '../../builders/unsigned-psbt.ts';
import { A, B } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';

const tools = { network: 'regtest', randomBytes } as const;
const here = computeHere(tools);
const computing = openComputing(tools, { size: 1 });
const whose = { accountId: 'acc_a' };
const LARGE = unsignedPsbt(A.point, 300);
const signing = (psbt: string, key: string = A.hex) => ({
  psbt,
  key: new TextEncoder().encode(key),
  allowSighash: [],
});

beforeAll(() => {
  noteSecret('key', A.hex);
  noteSecret('key', B.hex);
});
afterAll(() => computing.close(0));

/** What came of it, in a form that two threads can be compared by. */
async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return structuredClone(await asked);
  } catch (error) {
    const { code, message, details } = error as { code?: string; message: string; details?: object };
    return { code, message, details };
  }
}

async function both<Name extends PsbtJobName>(name: Name, given: () => Given<Name>): Promise<unknown> {
  expect(isHeavy(given())).toBe(true);
  const [there, own] = await Promise.all([
    outcome(computing.run(name, given(), whose)),
    outcome(here.run(name, given(), whose)),
  ]);
  expect(there).toEqual(own);
  return there;
}

describe('a heavy job', () => {
  it('of each kind answers the same', async () => {
    const { psbtData, signedInputs } = (await both('psbt.sign', () => signing(LARGE))) as Awaited<
      ReturnType<typeof here.run<'psbt.sign'>>
    >;
    expect(signedInputs.length).toBe(300);
    const signed = psbtData.text;
    const descriptors: string[] = [];
    await both('psbt.inspect', () => ({ psbt: signed, descriptors }));
    await both('psbt.verify', () => ({ psbt: signed, descriptors }));
    await both('psbt.combine', () => ({ psbts: [LARGE, signed] }));
    await both('psbt.unproved', () => ({ psbt: signed }));
    await both('psbt.migrate', () => ({ psbt: signed, target: 0 }));
    const final = (await both('psbt.finalize', () => ({ psbt: signed }))) as { psbtData: { text: string } };
    expect(final).toMatchObject({ extracted: { raw: expect.any(Uint8Array) } });
    await both('psbt.extract', () => ({ psbt: final.psbtData.text, proveFee: true }));
    await both('psbt.update', () => ({
      psbt: LARGE,
      previous: [],
      updates: { inputs: [{ index: 2, sighashType: 1 }] },
      descriptors,
    }));
    await both('psbt.construct', () => ({ psbt: LARGE, changes: { removeInputs: [1] } }));
  });

  it('is refused the same', async () => {
    const codes = [
      await both('psbt.sign', () => signing(LARGE, B.hex)),
      await both('psbt.sign', () => signing(LARGE, `${A.hex}zz`)),
      await both('psbt.sign', () => signing(LARGE.slice(0, -8))),
      await both('psbt.extract', () => ({ psbt: LARGE, proveFee: false })),
      await both('psbt.join', () => ({ psbts: [LARGE, LARGE.slice(4)] })),
    ].map((refusal) => (refusal as { code: string }).code);
    expect(codes).toEqual(['nothing_signed', 'invalid_key', 'invalid_psbt', 'psbt_incomplete', 'invalid_psbt']);
  });

  it('to sign takes the key with it, and no refusal says it', async () => {
    for (const [psbt, key] of [
      [LARGE, A.hex],
      [LARGE, `${A.hex}zz`],
      [LARGE.slice(0, -8), A.hex],
    ] as const) {
      const given = signing(psbt, key);
      const result = await outcome(computing.run('psbt.sign', given, { ...whose, transfer: [given.key] }));
      expect(given.key.length).toBe(0);
      expect(JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
        A.hex,
      );
    }
  });
});

describe('a light job', () => {
  it('is done here, and the key is overwritten', async () => {
    const closed = openComputing(tools);
    await closed.close();
    const small = unsignedPsbt(A.point, 1);
    for (const psbt of [small, 'none']) {
      const given = signing(psbt);
      expect(isHeavy(given)).toBe(false);
      await outcome(closed.run('psbt.sign', given, { ...whose, transfer: [given.key] }));
      expect(given.key).toEqual(new Uint8Array(64));
    }
    await expect(closed.run('psbt.sign', signing(LARGE), whose)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('what is heavy', () => {
  it('is long texts together, many parts, and descriptors', () => {
    const text = (length: number) => 'x'.repeat(length);
    const changes = (count: number) => ({ psbt: 'x', changes: { removeInputs: new Array<number>(count).fill(0) } });
    expect([8_192, 8_193].map((length) => isHeavy<'psbt.finalize'>({ psbt: text(length) }))).toEqual([false, true]);
    expect([4_096, 4_097].map((length) => isHeavy({ psbts: [text(length), text(4_096)] }))).toEqual([false, true]);
    expect([50, 51].map((count) => isHeavy<'psbt.construct'>(changes(count)))).toEqual([false, true]);
    expect(isHeavy({ psbt: 'x', descriptors: [] })).toBe(false);
    expect(isHeavy({ psbt: 'x', descriptors: ['wpkh(…)'] })).toBe(true);
    const updates = { descriptors: { network: 'regtest', descriptors: [] } } as const;
    expect(isHeavy({ psbt: 'x', previous: [], updates, descriptors: [] })).toBe(true);
  });
});
