import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import type { PlannedInput } from '../../../src/core/payments/payment-plan.ts';
import { createSignatureHasher } from '../../../src/core/scripts/signature-hash.ts';
import { buildTransaction, txidOf } from '../../../src/core/transactions/build-transaction.ts';
import { transactionVsize } from '../../../src/core/transactions/sizing.ts';
import { bytesFrom } from '../coin-selection/coins.ts';
import { walletSpending, walletSpent } from '../taproot/taproot-vectors.ts';
import { keyCoin, SINGLE_KEY_TYPES, type SingleKeyType, scriptOf, signedAtOnce, testKeyRing } from './keys.ts';

const tools = { ecc, randomBytes: bytesFrom('aux') };
const input = (scriptType: SingleKeyType, index: number, amountSats = 50_000n): PlannedInput => ({
  ...keyCoin(scriptType, amountSats, index),
  sequence: 0xfffffffd,
});
const output = (index: number, amountSats = 10_000n) => ({
  scriptPubKey: scriptOf('p2wpkh', true, index),
  amountSats,
  recipient: index,
});
const planOf = (inputs: readonly PlannedInput[], outputCount = 2) => ({
  version: 2 as const,
  locktime: 812_345,
  inputs,
  outputs: Array.from({ length: outputCount }, (_, index) => output(index)),
});

/** Verifies every input by bitcoinjs-lib's own signature hashes: another implementation than the one under test. */
function verifyAll(raw: Uint8Array, inputs: readonly PlannedInput[]): void {
  const transaction = Transaction.fromBuffer(raw);
  const scripts = inputs.map((one) => Buffer.from(one.scriptPubKey, 'hex'));
  const amounts = inputs.map((one) => one.amountSats);
  for (const [index, one] of inputs.entries()) {
    const { witness, script } = transaction.ins[index]!;
    if (one.scriptType === 'p2tr') {
      const hash = transaction.hashForWitnessV1(index, scripts, amounts, Transaction.SIGHASH_DEFAULT);
      expect(witness).toHaveLength(1);
      expect(ecc.verifySchnorr(hash, scripts[index]!.subarray(2), witness[0]!)).toBe(true);
      continue;
    }
    const [signature, publicKey] =
      one.scriptType === 'p2pkh'
        ? [script.subarray(1, 1 + script[0]!), script.subarray(2 + script[0]!)]
        : [witness[0]!, witness[1]!];
    const keyScript = Buffer.from(scriptOf('p2pkh', one.change, one.index), 'hex');
    const hash =
      one.scriptType === 'p2pkh'
        ? transaction.hashForSignature(index, keyScript, Transaction.SIGHASH_ALL)
        : transaction.hashForWitnessV0(index, keyScript, one.amountSats, Transaction.SIGHASH_ALL);
    expect(signature.at(-1)).toBe(Transaction.SIGHASH_ALL);
    expect(signature.length).toBeLessThanOrEqual(71);
    expect(ecc.verifyEcdsa(hash, publicKey, compact(signature))).toBe(true);
  }
}

/** r and s of a DER signature with sighash byte. */
function compact(der: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(64);
  const rLength = der[3]!;
  const r = der.subarray(4, 4 + rLength);
  const s = der.subarray(6 + rLength, 6 + rLength + der[5 + rLength]!);
  for (const [at, part] of [
    [32, r],
    [64, s],
  ] as const) {
    const digits = part[0] === 0 ? part.subarray(1) : part;
    bytes.set(digits, at - digits.length);
  }
  return bytes;
}

describe('signing', () => {
  it.each(SINGLE_KEY_TYPES)('%s inputs verify, at the planned size or just below', (type) => {
    const inputs = [0, 1, 2].map((index) => input(type, index));
    const plan = planOf(inputs);
    const signed = signedAtOnce(plan, testKeyRing(), tools);
    verifyAll(signed.raw, inputs);
    const planned = transactionVsize(inputs, [22, 22]);
    expect(signed.vsize).toBeLessThanOrEqual(planned);
    expect(signed.vsize).toBeGreaterThanOrEqual(planned - 2);
    expect(Transaction.fromBuffer(signed.raw).virtualSize()).toBe(signed.vsize);
    expect(Transaction.fromBuffer(signed.raw).getId()).toBe(signed.txid);
  });

  it('mixed inputs verify, whatever their number and order', () => {
    const types = fc.array(fc.constantFrom(...SINGLE_KEY_TYPES), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(types, fc.integer({ min: 1, max: 4 }), (mixture, outputCount) => {
        const inputs = mixture.map((type, index) => input(type, index, 10_000n + BigInt(index)));
        const signed = signedAtOnce(planOf(inputs, outputCount), testKeyRing(), tools);
        verifyAll(signed.raw, inputs);
        const lengths = Array.from({ length: outputCount }, () => 22);
        expect(signed.vsize).toBeLessThanOrEqual(transactionVsize(inputs, lengths));
      }),
      { numRuns: 30 },
    );
  });

  it('sizes counts above 252 as CompactSize does', () => {
    const inputs = Array.from({ length: 260 }, (_, index) => input('p2wpkh', index % 3, BigInt(1000 + index)));
    const signed = signedAtOnce(planOf(inputs, 300), testKeyRing(), { ...tools, verify: false });
    const planned = transactionVsize(
      inputs,
      Array.from({ length: 300 }, () => 22),
    );
    expect(signed.vsize).toBeLessThanOrEqual(planned);
    expect(signed.vsize).toBeGreaterThan(planned - 4);
  });

  it('keeps the txid of native segwit and changes that of scriptSigs', () => {
    for (const type of SINGLE_KEY_TYPES) {
      const plan = planOf([input(type, 0)]);
      const signed = signedAtOnce(plan, testKeyRing(), tools);
      expect(signed.unsignedTxid).toBe(txidOf(buildTransaction(plan)));
      expect(signed.unsignedTxid === signed.txid).toBe(type === 'p2wpkh' || type === 'p2tr');
    }
  });

  it('overwrites every private key it was given', () => {
    const keys = testKeyRing();
    signedAtOnce(planOf(SINGLE_KEY_TYPES.map((type, index) => input(type, index))), keys, tools);
    expect(keys.given).toHaveLength(4);
    for (const key of keys.given) expect(key.every((byte) => byte === 0)).toBe(true);
  });

  it('refuses a key that is not the coin’s, and overwrites it', () => {
    const keys = testKeyRing();
    const wrong = { ...input('p2wpkh', 0), index: 1 };
    expect(() => signedAtOnce(planOf([wrong]), keys, tools)).toThrow(
      expect.objectContaining({ code: 'signing_unavailable' }),
    );
    expect(keys.given[0]!.every((byte) => byte === 0)).toBe(true);
  });

  it('refuses to let a faulty signature out', () => {
    const faulty = { ...ecc, signEcdsa: () => new Uint8Array(64).fill(1), signSchnorr: () => new Uint8Array(64) };
    for (const type of SINGLE_KEY_TYPES)
      expect(() => signedAtOnce(planOf([input(type, 0)]), testKeyRing(), { ...tools, ecc: faulty })).toThrow(
        'not valid',
      );
  });

  it('is repeatable for ECDSA and takes fresh auxiliary randomness for Schnorr', () => {
    const plans = { p2wpkh: planOf([input('p2wpkh', 0)]), p2tr: planOf([input('p2tr', 0)]) };
    const once = (type: keyof typeof plans, seed: string) =>
      signedAtOnce(plans[type], testKeyRing(), { ecc, randomBytes: bytesFrom(seed) }).raw.toString('hex');
    expect(once('p2wpkh', 'a')).toBe(once('p2wpkh', 'b'));
    expect(once('p2tr', 'a')).not.toBe(once('p2tr', 'b'));
  });
});

describe('BIP341 wallet vectors', () => {
  const hasher = createSignatureHasher(parseTransaction(Buffer.from(walletSpending.unsigned, 'hex')), walletSpent);
  const byDefault = walletSpending.inputs.filter(({ hashType }) => hashType === 0);
  it('covers an input with SIGHASH_DEFAULT', () => expect(byDefault.length).toBeGreaterThan(0));
  it.each(byDefault)('signs input $index with the expected hash and signature', (one) => {
    const hash = Buffer.from(hasher.taproot(one.index, 0));
    expect(hash.toString('hex')).toBe(one.hash);
    const signature = ecc.signSchnorr(hash, Buffer.from(one.tweakedPrivateKey, 'hex'), new Uint8Array(32));
    expect(Buffer.from(signature).toString('hex')).toBe(one.signature);
  });
});
