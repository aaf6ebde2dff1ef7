/** PSBTs with bytes changed, cut out and put in: every operation answers or refuses by name, none fails. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { toVersion0 } from '../../../src/core/psbt/construction/migrate.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { CASE_SATS, fundingTransaction, signWith } from '../../core/psbt/funded.ts';
import { A, SPEND_CASES } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { ELSEWHERE, ELSEWHERE_SCRIPT, psbtHttp } from './psbt-http.ts';

let service: TestApp;
const { ask } = psbtHttp(() => service);
beforeAll(async () => {
  service = await startTestApp();
  noteSecret('key', A.hex);
});
afterAll(() => service.close());

const funding = fundingTransaction(SPEND_CASES);
const { txid } = parseTransaction(funding);

/** Of every kind of input: unsigned, signed by one, signed by all, final; and in version 0. */
const SEEDS: readonly Buffer[] = SPEND_CASES.flatMap((one, vout) => {
  const psbt = createPsbt({
    inputs: [
      {
        outpoint: { txid, vout },
        ...one.lock,
        ...one.facts,
        ...(one.legacy ? { nonWitnessUtxo: funding } : { witnessUtxo: { amountSats: CASE_SATS, script: one.script } }),
      },
    ],
    outputs: [{ amountSats: CASE_SATS - 1_000n, script: Buffer.from(ELSEWHERE_SCRIPT, 'hex') }],
    modifiable: { inputs: true, outputs: true },
  });
  let signed = psbt;
  for (const key of one.signers) signed = signWith(signed, key);
  return [psbt, signed, finalizePsbt(signed).psbt, toVersion0(signed)].map(serializePsbt);
});

const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 3 })),
      { maxLength: 3 },
    ),
  )
  .map(([seed, edits]) =>
    edits.reduce<Buffer>((bytes, [place, removed, put]) => {
      const at = Math.floor(place * bytes.length);
      return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)]);
    }, seed),
  );

const REQUESTS: Readonly<Record<string, (psbt: string) => unknown>> = {
  decode: (psbt) => ({ psbt, descriptors: [`addr(${ELSEWHERE})`] }),
  verify: (psbt) => ({ psbt, against_chain: true }),
  finalize: (psbt) => ({ psbt }),
  extract: (psbt) => ({ psbt }),
  migrate: (psbt) => ({ psbt, target: 0 }),
  sign: (psbt) => ({ psbt, key: A.hex, sighash_types_allowed: ['NONE', 'SINGLE', 'ALL|ANYONECANPAY'] }),
  combine: (psbt) => ({ psbts: [psbt, psbt] }),
  join: (psbt) => ({ psbts: [psbt, SEEDS[0]?.toString('hex')] }),
  update: (psbt) => ({ psbt, descriptors: [`addr(${ELSEWHERE})`], inputs: [{ index: 0, sequence: 5 }] }),
  construct: (psbt) => ({ psbt, remove_inputs: [0], add_outputs: [{ address: ELSEWHERE, amount: '1' }] }),
  frames: (psbt) => ({ psbt, format: 'bbqr' }),
};

describe('a mutated PSBT', () => {
  it.each(Object.keys(REQUESTS))('is answered or refused by %s', async (verb) => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(mutated, async (bytes) => {
        const answer = await ask(verb, REQUESTS[verb]?.(bytes.toString('base64')));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect([200, 400, 422], answer.text.slice(0, 300)).toContain(answer.status);
        if (answer.status !== 200) expect(answer.body.error.details.field).not.toBe('');
      }),
      { numRuns: 250 },
    );
    // The property says something only where both happen.
    expect(statuses.get(200) ?? 0, [...statuses].join()).toBeGreaterThan(5);
    expect(statuses.get(400) ?? 0, [...statuses].join()).toBeGreaterThan(20);
  });
});
