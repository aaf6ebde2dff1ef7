/** What comes back signed is believed in nothing but its signatures, and those only where they hold. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { completePayment } from '../../../src/core/payments/complete-payment.ts';
import { paymentPsbt } from '../../../src/core/payments/payment-psbt.ts';
import { setFinalScriptWitness, setSequence, setSighashType } from '../../../src/core/psbt/codec/input-fields.ts';
import { GLOBAL, INPUT, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { mergeSignatures } from '../../../src/core/psbt/signatures/merge-signatures.ts';
import { signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../../src/core/psbt/signing/signers.ts';
import type { SighashName } from '../../../src/core/scripts/sighash-type.ts';
import { parseDescriptor } from '../../../src/core/wallets/descriptors.ts';
import { openSpending } from '../../../src/core/wallets/spending-data.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';
import { type Cosigner, cosigner } from '../../builders/cosigner.ts';

const [alice, bob] = [cosigner('alice'), cosigner('bob')];
const NOBODY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

/** Two coins of the wallet, one payment; segwit and taproot alone, so that no previous transaction is needed. */
function payment(inner: string): PsbtV2 {
  const text = inner.replaceAll(/\b[AB]\b/g, (name) => `${(name === 'A' ? alice : bob).multisigKey}/0/*`);
  const { external } = parseDescriptor(text, 'regtest');
  const model = walletModel({ external, internal: null }, 'regtest');
  return paymentPsbt({
    plan: { version: 2, locktime: 0 },
    inputs: [0, 1].map((index) => ({
      coin: {
        ...{ txid: `${index}`.repeat(64) as Txid, vout: 0, amountSats: 50_000n, change: false, index },
        ...{ scriptPubKey: model.scriptAt(false, index).scriptPubKey, scriptType: model.scriptType },
        sequence: 0xfffffffd,
      },
      spending: openSpending(external, 'regtest')(index),
      previous: null,
    })),
    outputs: [
      { output: { scriptPubKey: `0014${'11'.repeat(20)}`, amountSats: 90_000n, recipient: 0 }, spending: null },
    ],
    xpubs: [],
  });
}

function signed(psbt: PsbtV2, party: Cosigner, allowSighash: SighashName[] = []): PsbtV2 {
  const signer = signerFromKeyText(party.master, 'regtest');
  try {
    return signPsbt(psbt, signer, { ecc, randomBytes }, { allowSighash }).psbt;
  } finally {
    signer.dispose();
  }
}

const changed = (psbt: PsbtV2, change: (input: PsbtMap, index: number) => void): PsbtV2 => ({
  ...psbt,
  inputs: psbt.inputs.map((input, index) => {
    const copy = input.clone();
    change(copy, index);
    return copy;
  }),
});
const refusal = (own: PsbtV2, given: PsbtV2) => {
  try {
    mergeSignatures(own, given);
  } catch (error) {
    return error;
  }
  throw new Error('it was merged');
};

const FORMS = ['wsh(sortedmulti(2,A,B))', 'wsh(and_v(v:pk(A),pk(B)))', `tr(${NOBODY},multi_a(2,A,B))`];

describe('merging', () => {
  it('takes the preimage that a script asks for, and no other', () => {
    const [asked, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const psbt = payment(`wsh(and_v(v:pk(A),sha256(${sha256(asked).toString('hex')})))`);
    const given = changed(psbt, (input) => {
      for (const preimage of [asked, other]) input.set(INPUT.SHA256, preimage, sha256(preimage));
    });
    const merged = mergeSignatures(psbt, given);
    expect(merged.inputs.map((input) => input.all(INPUT.SHA256).map(({ value }) => value[0]))).toEqual([[1], [1]]);
    expect(refusal(merged, given)).toMatchObject({ code: 'nothing_signed' });
  });

  it.each(FORMS)('%s: in either order the same signatures, then complete', (inner) => {
    const psbt = payment(inner);
    const [byAlice, byBob] = [signed(psbt, alice), signed(psbt, bob)];
    const one = mergeSignatures(mergeSignatures(psbt, byAlice), byBob);
    const other = mergeSignatures(mergeSignatures(psbt, byBob), byAlice);
    expect(completePayment(mergeSignatures(psbt, byAlice))).toBeNull();
    expect(one.inputs.map((map) => map.entries)).toEqual(other.inputs.map((map) => map.entries));
    expect(completePayment(one)?.txid).toBe(completePayment(other)?.txid);
    expect(refusal(one, byAlice)).toMatchObject({ code: 'nothing_signed' });
    expect(refusal(psbt, psbt)).toMatchObject({ code: 'nothing_signed' });
  });

  it.each(FORMS)('%s: final scripts of one input are taken as they are, and run first', (inner) => {
    const psbt = payment(inner);
    const complete = finalizePsbt(mergeSignatures(signed(psbt, alice), signed(psbt, bob))).psbt;
    const first: PsbtV2 = { ...psbt, inputs: [complete.inputs[0]!, psbt.inputs[1]!] };
    const half = mergeSignatures(psbt, first);
    expect(completePayment(half)).toBeNull();
    expect(refusal(half, first)).toMatchObject({ code: 'nothing_signed' });
    expect(completePayment(mergeSignatures(half, complete))).not.toBeNull();
    // The other input's witness spends nothing here.
    const swapped: PsbtV2 = {
      ...psbt,
      inputs: psbt.inputs.map((input, index) => {
        const map = input.clone();
        map.set(INPUT.FINAL_SCRIPTWITNESS, complete.inputs[1 - index]!.get(INPUT.FINAL_SCRIPTWITNESS)!);
        return map;
      }),
    };
    expect(refusal(psbt, swapped)).toMatchObject({ code: 'psbt_mismatch', message: expect.stringMatching(/^input 0/) });
    const empty = changed(psbt, (input) => setFinalScriptWitness(input, []));
    expect(refusal(psbt, empty)).toMatchObject({ code: 'psbt_mismatch' });
  });

  it.each(FORMS)('%s: signatures that leave the transaction open are refused, partial or final', (inner) => {
    const psbt = payment(inner);
    const open = changed(psbt, (input) => setSighashType(input, 0x82));
    const loose = signed(open, alice, ['NONE|ANYONECANPAY']);
    expect(refusal(psbt, loose)).toMatchObject({
      code: 'unsafe_to_sign',
      message: expect.stringMatching(/input 0 .*NONE\|ANYONECANPAY/),
    });
    const final = finalizePsbt(signed(loose, bob, ['NONE|ANYONECANPAY'])).psbt;
    expect(refusal(psbt, final)).toMatchObject({ code: 'unsafe_to_sign' });
  });

  it.each(FORMS)('%s: signatures of other inputs, and of other transactions, are refused', (inner) => {
    const psbt = payment(inner);
    const byAlice = signed(psbt, alice);
    const types: number[] = [INPUT.PARTIAL_SIG, INPUT.TAP_KEY_SIG, INPUT.TAP_SCRIPT_SIG];
    const signatures = (from: PsbtMap) => from.entries.filter(({ type }) => types.includes(type));
    const swapped = changed(psbt, (input, index) => input.setAll(signatures(byAlice.inputs[1 - index]!)));
    expect(refusal(psbt, swapped)).toMatchObject({ code: 'psbt_mismatch', message: expect.stringMatching(/^input 0/) });

    const later = { ...byAlice, global: byAlice.global.clone() };
    later.global.set(GLOBAL.FALLBACK_LOCKTIME, Uint8Array.of(1, 0, 0, 0));
    expect(refusal(psbt, later)).toMatchObject({ code: 'psbt_mismatch', message: expect.stringContaining('another') });
    const hasty = changed(byAlice, (input) => setSequence(input, 1));
    expect(refusal(psbt, hasty)).toMatchObject({
      code: 'psbt_mismatch',
      message: expect.stringContaining('sequences'),
    });
    const dearer = { ...byAlice, outputs: byAlice.outputs.map((output) => output.clone()) };
    dearer.outputs[0]!.set(OUTPUT.AMOUNT, Buffer.from('0100000000000000', 'hex'));
    expect(refusal(psbt, dearer)).toMatchObject({ code: 'psbt_mismatch' });
  });

  it('taproot signatures of keys that are not in the leaf, and with the default type written out, are refused', () => {
    const psbt = payment(FORMS[2]!);
    const byAlice = signed(psbt, alice);
    const foreign = changed(byAlice, (input) => {
      const [entry] = input.all(INPUT.TAP_SCRIPT_SIG);
      input.remove(INPUT.TAP_SCRIPT_SIG);
      const keyData = Buffer.concat([Buffer.from(NOBODY, 'hex'), entry!.keyData.subarray(32)]);
      input.set(INPUT.TAP_SCRIPT_SIG, entry!.value, keyData);
    });
    expect(refusal(psbt, foreign)).toMatchObject({
      code: 'psbt_mismatch',
      message: expect.stringContaining('which is not in that leaf'),
    });
    const written = changed(byAlice, (input) => {
      const [entry] = input.all(INPUT.TAP_SCRIPT_SIG);
      input.set(INPUT.TAP_SCRIPT_SIG, Buffer.concat([entry!.value, Buffer.of(0)]), entry!.keyData);
    });
    expect(refusal(psbt, written)).toMatchObject({
      code: 'psbt_mismatch',
      message: expect.stringContaining('malformed'),
    });
  });

  it('nothing else of what comes back is kept', () => {
    const psbt = payment(FORMS[0]!);
    const theirs = changed(signed(psbt, alice), (input) => {
      input.remove(INPUT.WITNESS_SCRIPT);
      input.remove(INPUT.WITNESS_UTXO);
      input.set(INPUT.PROPRIETARY, Uint8Array.of(1), Buffer.from('0161', 'hex'));
    });
    const merged = mergeSignatures(psbt, theirs);
    expect(merged.global).toBe(psbt.global);
    const without = changed(merged, (input) => input.remove(INPUT.PARTIAL_SIG));
    expect(without.inputs.map((map) => map.entries)).toEqual(psbt.inputs.map((map) => map.entries));
  });
});
