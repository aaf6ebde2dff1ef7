/** What somebody put in the place of a key's signature does not keep the key from signing. */
import { expect, it } from 'vitest';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { fundingTransaction, signWith, spendingPsbt } from './funded.ts';
import { SPEND_CASES } from './spend-cases.ts';

const outputs = [{ amountSats: 90_000n, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') }];
const SIGNATURES = new Set<number>([INPUT.PARTIAL_SIG, INPUT.TAP_KEY_SIG, INPUT.TAP_SCRIPT_SIG]);

/** Every signature with a byte of s changed. */
const spoilt = (psbt: PsbtV2): PsbtV2 => ({
  ...psbt,
  inputs: psbt.inputs.map((input) => {
    const changed = input.clone();
    changed.setAll(
      input.entries
        .filter(({ type }) => SIGNATURES.has(type))
        .map((entry) => {
          const value = Buffer.from(entry.value);
          value.writeUInt8(value.readUInt8(50) ^ 1, 50);
          return { ...entry, value };
        }),
    );
    return changed;
  }),
});

it.each(SPEND_CASES.map((one) => [one.name, one] as const))('%s', (_, one) => {
  const psbt = spendingPsbt(fundingTransaction([one]), [{ case: one, vout: 0 }], outputs);
  const sign = (from: PsbtV2): PsbtV2 => one.signers.reduce((so, key) => signWith(so, key), from);
  const bad = spoilt(sign(psbt));
  expect(finalizePsbt(bad).complete).toBe(false);
  const signed = sign(bad);
  expect(finalizePsbt(signed).complete).toBe(true);
  // One that holds stays.
  for (const key of one.signers) expect(() => signWith(signed, key)).toThrow(/signed by this key already/);
});
