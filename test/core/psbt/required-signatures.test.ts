import { describe, expect, it } from 'vitest';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import { requiredSignatures } from '../../../src/core/psbt/finalizing/required-signatures.ts';
import { openSigningView } from '../../../src/core/psbt/signing/signing-view.ts';
import { CASE_SATS, fundingTransaction, signWith, spendingPsbt } from './funded.ts';
import { A, B, C, SPEND_CASES } from './spend-cases.ts';

const funding = fundingTransaction(SPEND_CASES);
const psbtOf = (name: string) => {
  const vout = SPEND_CASES.findIndex((one) => one.name === name);
  return spendingPsbt(
    funding,
    [{ case: SPEND_CASES[vout]!, vout }],
    [{ amountSats: CASE_SATS - 1000n, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') }],
  );
};

describe('the signatures that an input still needs', () => {
  it.each(
    SPEND_CASES.map(({ name, signers }) => ({ name, signers })),
  )('$name: fewer with every signer, none where it can be finalized', ({ name, signers }) => {
    let psbt = psbtOf(name);
    let before = requiredSignatures(openSigningView(psbt), 0).stillNeeded!;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(signers.length);
    for (const key of signers) {
      psbt = signWith(psbt, key);
      const { stillNeeded } = requiredSignatures(openSigningView(psbt), 0);
      expect(stillNeeded!).toBeLessThanOrEqual(before);
      before = stillNeeded!;
    }
    expect(before).toBe(0);
    const { psbt: final, complete } = finalizePsbt(psbt);
    expect(complete).toBe(true);
    expect(requiredSignatures(openSigningView(final), 0)).toMatchObject({ stillNeeded: 0, signers: [] });
  });

  it('name the keys of a multisig and who of them has signed', () => {
    const { signers, stillNeeded } = requiredSignatures(openSigningView(signWith(psbtOf('p2wsh multisig'), B)), 0);
    expect(stillNeeded).toBe(1);
    expect(signers.map(({ publicKey, signed }) => [Buffer.from(publicKey), signed])).toEqual([
      [A.point, false],
      [B.point, true],
      [C.point, false],
    ]);
  });

  it('are not counted where a preimage is what lacks', () => {
    const psbt = signWith(psbtOf('p2wsh hash lock'), A);
    const input = psbt.inputs[0]!.clone();
    input.remove(INPUT.SHA256);
    const { stillNeeded, reason } = requiredSignatures(openSigningView({ ...psbt, inputs: [input] }), 0);
    expect(stillNeeded).toBeNull();
    expect(reason).toContain('preimage');
  });

  it('tell of one that does not hold, which the finalizer does not use', () => {
    const psbt = signWith(signWith(psbtOf('p2wsh multisig'), A), B);
    const input = psbt.inputs[0]!.clone();
    const [first, second] = input.all(INPUT.PARTIAL_SIG);
    input.set(INPUT.PARTIAL_SIG, first!.value, second!.keyData);
    const broken = { ...psbt, inputs: [input] };
    expect(requiredSignatures(openSigningView(broken), 0)).toMatchObject({
      stillNeeded: 1,
      invalid: [Buffer.from(second!.keyData).toString('hex')],
    });
    expect(finalizePsbt(broken).missing[0]!.reason).toContain(
      `${Buffer.from(second!.keyData).toString('hex')} is not valid`,
    );
    const third = signWith(broken, C);
    expect(finalizePsbt(third).complete).toBe(true);
  });
});
