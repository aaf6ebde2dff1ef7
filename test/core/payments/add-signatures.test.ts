/** The service's share of MuSig2: as many inputs as a payment may have, and never the same nonce for anything else. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { networkParameters } from '../../../src/core/network.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { addSignatures, type OwnAccount } from '../../../src/core/payments/add-signatures.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { inputFactsOf } from '../../../src/core/psbt/construction/derived-script.ts';
import { canBeSignedTogether } from '../../../src/core/psbt/musig/musig-targets.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { bip32 } from '../../../src/core/wallets/hd-key.ts';
import { refuseTooManyShares } from '../../../src/core/wallets/musig-wallets.ts';
import { openSpending } from '../../../src/core/wallets/spending-data.ts';
import { cosigner } from '../../builders/cosigner.ts';

const [service, alice] = [cosigner('service'), cosigner('alice')];
const descriptor = `tr(musig(${service.key(87, 1, 0)},${alice.key(87, 1, 0)})/0/*)`;
const spendingAt = openSpending(descriptor, 'regtest');

const account = (): OwnAccount => {
  const path = [87, 1, 0].map((step) => step + 0x80000000);
  const node = path.reduce(
    (at, step) => at.derive(step),
    bip32.fromBase58(service.master, networkParameters('regtest')),
  );
  const key = Uint8Array.from(Buffer.concat([node.privateKey!, node.chainCode]));
  return { fingerprint: service.fingerprint, path, key };
};
const payment = (inputs: number): string =>
  psbtToBase64(
    createPsbt({
      inputs: Array.from({ length: inputs }, (_, index) => {
        const script = spendingAt(index);
        const witnessUtxo = { amountSats: 50_000n, script: script.scriptPubKey };
        return { outpoint: { txid: 'ab'.repeat(32) as Txid, vout: index }, witnessUtxo, ...inputFactsOf(script) };
      }),
      outputs: [{ amountSats: 40_000n, script: spendingAt(0).scriptPubKey }],
    }),
  );
const given = (own: string, theirs: string) => ({ psbts: [own, theirs] as const, musig: true, account: account() });
const ownNonces = (psbt: string): string[] =>
  (psbtFromText(psbt) as PsbtV2).inputs
    .flatMap((input) => input.all(INPUT.MUSIG2_PUB_NONCE))
    .map(({ value }) => Buffer.from(value).toString('hex'));

describe("the service's share of a MuSig2 payment", () => {
  it('is made for every input, and no payment is let have more than can be signed together', () => {
    const [most, some] = [49, 8];
    expect([canBeSignedTogether(most, 2), canBeSignedTogether(most + 1, 2)]).toEqual([true, false]);
    expect(() => refuseTooManyShares(descriptor, most)).not.toThrow();
    expect(() => refuseTooManyShares(descriptor, most + 1)).toThrow(expect.objectContaining({ code: 'too_large' }));
    const psbt = payment(some);
    const round = alice.nonces(psbt);
    const shared = addSignatures(given(psbt, round.psbt), { randomBytes });
    expect(shared.nonces).toHaveLength(some);
    expect(shared.complete).toBeNull();
    const done = addSignatures(given(shared.psbt, round.sign(shared.psbt)), { randomBytes });
    expect(done.complete?.vsize).toBeGreaterThan(some * 57);
  });

  it('has another nonce for whatever is another, and each time where randomness is there', () => {
    const psbt = payment(1);
    const [first, second] = [alice.nonces(psbt), alice.nonces(psbt)];
    const made = (theirs: string, random: (size: number) => Uint8Array, own = psbt): string => {
      const [nonce] = ownNonces(addSignatures(given(own, theirs), { randomBytes: random }).psbt).filter(
        (one) => !ownNonces(theirs).includes(one),
      );
      return nonce as string;
    };
    const none = (size: number) => new Uint8Array(size);
    // A database that was set back, and a machine whose randomness was: the same signature, and no other one with its nonce.
    expect(made(first.psbt, none)).toBe(made(first.psbt, none));
    const other = payment(2);
    const otherNonces = alice.nonces(other).psbt;
    const all = [made(first.psbt, none), made(second.psbt, none), made(otherNonces, none, other)];
    all.push(made(first.psbt, randomBytes), made(first.psbt, randomBytes));
    expect(new Set(all).size).toBe(all.length);
  });

  it("names each nonce of others once, of the input that it came for, and the service's own never", () => {
    const psbt = payment(2);
    const round = alice.nonces(psbt);
    const [first, second] = ownNonces(round.psbt);
    const changed = (text: string, change: (inputs: PsbtV2['inputs']) => void) => {
      const parsed = psbtFromText(text) as PsbtV2;
      change(parsed.inputs);
      return psbtToBase64(parsed);
    };
    const half = changed(round.psbt, (inputs) => inputs[1]!.remove(INPUT.MUSIG2_PUB_NONCE));
    const begun = addSignatures(given(psbt, half), { randomBytes });
    expect(begun.nonces).toEqual([first]);
    const shared = addSignatures(given(begun.psbt, round.psbt), { randomBytes });
    expect(shared.nonces).toEqual([second]);
    expect(addSignatures(given(shared.psbt, round.sign(shared.psbt)), { randomBytes }).nonces).toEqual([]);
    // What a device gave for two inputs is named for both, so that it is refused.
    const twice = changed(round.psbt, (inputs) => {
      const [nonce] = inputs[1]!.all(INPUT.MUSIG2_PUB_NONCE);
      inputs[1]!.set(INPUT.MUSIG2_PUB_NONCE, Buffer.from(first!, 'hex'), nonce!.keyData);
    });
    expect(addSignatures(given(psbt, twice), { randomBytes }).nonces).toEqual([first, first]);
  });

  it('overwrites the key that it was given, whatever comes of it', () => {
    const psbt = payment(1);
    for (const theirs of [alice.nonces(psbt).psbt, psbt, 'nonsense']) {
      const one = given(psbt, theirs);
      try {
        addSignatures(one, { randomBytes });
      } catch {
        // Refused, which is another's to test.
      }
      expect(one.account.key.every((byte) => byte === 0)).toBe(true);
    }
  });
});
