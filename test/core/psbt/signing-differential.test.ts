/** The same PSBT signed here, by @scure/btc-signer and by bitcoinjs-lib: the same signatures, and each finalizes what the others signed. */
import { Transaction } from '@scure/btc-signer';
import { networks, Psbt } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { tapScriptSignatures } from '../../../src/core/psbt/codec/input-fields.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { toVersion0, toVersion2 } from '../../../src/core/psbt/construction/migrate.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV0, PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import { SIGHASH_NAMES } from '../../../src/core/scripts/sighash-type.ts';
import { CASE_SATS, fundingTransaction, signerOf, spendingPsbt } from './funded.ts';
import { SPEND_CASES, type SpendCase, type TestKey } from './spend-cases.ts';

const funding = fundingTransaction(SPEND_CASES);
const pairs = ECPairFactory(ecc);
const zeros = (size: number) => new Uint8Array(size);

/** Like the libraries: R as it comes, auxiliary randomness all zero. */
const alike = { ecc: { ...ecc, signEcdsa: ecc.sign }, randomBytes: zeros };
const sign = (psbt: PsbtV2, key: TestKey): PsbtV2 =>
  signPsbt(psbt, signerOf(key), alike, { allowSighash: SIGHASH_NAMES }).psbt;
const bytesOfV0 = (psbt: PsbtV2): Buffer => serializePsbt(toVersion0(psbt));
const fromV0 = (bytes: Uint8Array): PsbtV2 => toVersion2(parsePsbt(bytes) as PsbtV0);

/** Each input's signatures: what they are by, and what they are, in hex. */
const signaturesOf = ({ inputs }: PsbtV2): string[][] =>
  inputs.map((input) =>
    [INPUT.PARTIAL_SIG, INPUT.TAP_KEY_SIG, INPUT.TAP_SCRIPT_SIG]
      .flatMap((type) => input.all(type))
      .map(
        ({ type, keyData, value }) =>
          `${type} ${Buffer.from(keyData).toString('hex')} ${Buffer.from(value).toString('hex')}`,
      )
      .sort(),
  );

const bitcoinjsSign = (bytes: Uint8Array, keys: readonly TestKey[]): Psbt => {
  const psbt = Psbt.fromBuffer(bytes, { network: networks.regtest });
  for (const key of keys) psbt.signAllInputs(pairs.fromPrivateKey(key.privateKey), [1, 2, 3, 0x81, 0x82, 0x83]);
  return psbt;
};

/** What bitcoinjs-lib signs with nothing but a key: no taproot, whose keys it wants tweaked by hand. */
const SIMPLE = SPEND_CASES.filter(
  ({ name, taproot }) =>
    !taproot && !name.includes('uncompressed') && !name.includes('second key') && !name.includes('pkh'),
).concat(SPEND_CASES.filter(({ name }) => ['p2pkh', 'p2wpkh', 'p2sh-p2wpkh'].includes(name)));
const spends = fc
  .uniqueArray(fc.constantFrom(...SIMPLE), { minLength: 1, maxLength: 6 })
  .filter((cases) => !cases.some(({ lock }) => lock.requiredHeightLocktime !== undefined));
const types = fc.constantFrom(undefined, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83);

const build = (cases: readonly SpendCase[], sighashType?: number): PsbtV2 =>
  spendingPsbt(
    funding,
    cases.map((one) => ({ case: one, vout: SPEND_CASES.indexOf(one), sighashType })),
    cases.map(() => ({ amountSats: CASE_SATS - 500n, script: Buffer.from(`0014${'22'.repeat(20)}`, 'hex') })),
  );

describe('bitcoinjs-lib', () => {
  it('makes the same signatures of everything before taproot, under every sighash type', () => {
    fc.assert(
      fc.property(spends, types, (cases, type) => {
        const psbt = build(cases, type);
        const keys = [...new Set(cases.flatMap(({ signers }) => signers))];
        const ours = keys.reduce(sign, psbt);
        const theirs = fromV0(bitcoinjsSign(bytesOfV0(psbt), keys).toBuffer());
        expect(signaturesOf(theirs)).toEqual(signaturesOf(ours));
      }),
      { numRuns: 60 },
    );
  });

  it('finalizes and extracts what was signed here, byte for byte as here', () => {
    // Multisig and single keys: it satisfies no miniscript by itself.
    const cases = SIMPLE.filter(({ name }) => !/p2wsh (?!multisig)/.test(name) && name !== 'p2sh of a key');
    for (const one of cases) {
      // By no more signers than are needed: more of them it refuses.
      const ours = one.signers.reduce(sign, build([one]));
      const psbt = Psbt.fromBuffer(bytesOfV0(ours), { network: networks.regtest });
      const isValid = psbt.validateSignaturesOfAllInputs((key, hash, signature) =>
        ecc.verifyEcdsa(hash, key, signature),
      );
      expect(isValid).toBe(true);
      const theirs = psbt.finalizeAllInputs().extractTransaction(true).toBuffer();
      expect(extractTransaction(finalizePsbt(ours).psbt).raw.equals(Buffer.from(theirs))).toBe(true);
    }
  });
});

describe('@scure/btc-signer', () => {
  const options = { allowLegacyWitnessUtxo: false, allowUnknownInputs: true, disableScriptCheck: true };

  it.each(
    SPEND_CASES.filter(({ name }) =>
      /^(p2wpkh|p2sh-p2wpkh|p2wsh multisig|p2sh-p2wsh multisig|p2sh multisig|p2pkh|p2tr by its key|p2tr with a tree by its key|p2tr leaf|p2tr multisig leaf)$/.test(
        name,
      ),
    ).map((one) => ({ name: one.name, one })),
  )('makes the same signatures of $name', ({ one }) => {
    const psbt = build([one]);
    for (const key of one.signers) {
      const ours = sign(psbt, key);
      const transaction = Transaction.fromPSBT(bytesOfV0(psbt), options);
      transaction.sign(key.privateKey, undefined, zeros(32));
      expect(signaturesOf(fromV0(transaction.toPSBT(0)))).toEqual(signaturesOf(ours));
    }
  });

  it.each(
    SPEND_CASES.filter(({ name }) =>
      /^(p2wpkh|p2sh-p2wpkh|p2wsh multisig|p2sh multisig|p2pkh|p2tr by its key|p2tr leaf)$/.test(name),
    ).map((one) => ({ name: one.name, one })),
  )('finalizes what was signed here as here: $name', ({ one }) => {
    const ours = one.signers.reduce(sign, build([one]));
    const transaction = Transaction.fromPSBT(bytesOfV0(ours), options);
    transaction.finalize();
    expect(extractTransaction(finalizePsbt(ours).psbt).raw.equals(Buffer.from(transaction.extract()))).toBe(true);
  });
});

it('every signature that is made is low in S, and R fits 32 bytes', () => {
  const ours = SPEND_CASES.filter(({ taproot }) => !taproot).map((one) =>
    one.signers.reduce((psbt, key) => signPsbt(psbt, signerOf(key), { ecc, randomBytes: zeros }).psbt, build([one])),
  );
  for (const psbt of ours)
    for (const { value } of psbt.inputs[0]!.all(INPUT.PARTIAL_SIG)) expect(value.length).toBeLessThanOrEqual(71);
  expect(ours.length).toBeGreaterThan(10);
});

it('no leaf is signed that has not the key', () => {
  const leaf = SPEND_CASES.find(({ name }) => name === 'p2tr leaf with a lock')!;
  const signed = leaf.signers.reduce(sign, build([leaf]));
  // B is in both leaves that are given, the multisig one and its own.
  expect(tapScriptSignatures(signed.inputs[0]!)).toHaveLength(2);
});
