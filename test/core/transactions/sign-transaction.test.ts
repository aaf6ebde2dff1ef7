import { existsSync, readFileSync } from 'node:fs';
import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { buildTransaction, txidOf } from '../../../src/core/transactions/build-transaction.ts';
import type { PlannedInput } from '../../../src/core/transactions/payment-plan.ts';
import { createSighashCache } from '../../../src/core/transactions/sighash.ts';
import { signTransaction } from '../../../src/core/transactions/sign-transaction.ts';
import { transactionVsize } from '../../../src/core/transactions/sizing.ts';
import { bytesFrom } from '../coin-selection/coins.ts';
import { keyCoin, SINGLE_KEY_TYPES, type SingleKeyType, scriptOf, testKeyRing } from './keys.ts';

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
    const signed = signTransaction(plan, testKeyRing(), tools);
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
        const signed = signTransaction(planOf(inputs, outputCount), testKeyRing(), tools);
        verifyAll(signed.raw, inputs);
        const lengths = Array.from({ length: outputCount }, () => 22);
        expect(signed.vsize).toBeLessThanOrEqual(transactionVsize(inputs, lengths));
      }),
      { numRuns: 30 },
    );
  });

  it('sizes counts above 252 as CompactSize does', () => {
    const inputs = Array.from({ length: 260 }, (_, index) => input('p2wpkh', index % 3, BigInt(1000 + index)));
    const signed = signTransaction(planOf(inputs, 300), testKeyRing(), { ...tools, verify: false });
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
      const signed = signTransaction(plan, testKeyRing(), tools);
      expect(signed.unsignedTxid).toBe(txidOf(buildTransaction(plan)));
      expect(signed.unsignedTxid === signed.txid).toBe(type === 'p2wpkh' || type === 'p2tr');
    }
  });

  it('overwrites every private key it was given', () => {
    const keys = testKeyRing();
    signTransaction(planOf(SINGLE_KEY_TYPES.map((type, index) => input(type, index))), keys, tools);
    expect(keys.given).toHaveLength(4);
    for (const key of keys.given) expect(key.every((byte) => byte === 0)).toBe(true);
  });

  it('refuses a key that is not the coin’s, and overwrites it', () => {
    const keys = testKeyRing();
    const wrong = { ...input('p2wpkh', 0), index: 1 };
    expect(() => signTransaction(planOf([wrong]), keys, tools)).toThrow(
      expect.objectContaining({ code: 'signing_unavailable' }),
    );
    expect(keys.given[0]!.every((byte) => byte === 0)).toBe(true);
  });

  it('refuses to let a faulty signature out', () => {
    const faulty = { ...ecc, signEcdsa: () => new Uint8Array(64).fill(1), signSchnorr: () => new Uint8Array(64) };
    for (const type of SINGLE_KEY_TYPES)
      expect(() => signTransaction(planOf([input(type, 0)]), testKeyRing(), { ...tools, ecc: faulty })).toThrow(
        'not valid',
      );
  });

  it('is repeatable for ECDSA and takes fresh auxiliary randomness for Schnorr', () => {
    const plans = { p2wpkh: planOf([input('p2wpkh', 0)]), p2tr: planOf([input('p2tr', 0)]) };
    const once = (type: keyof typeof plans, seed: string) =>
      signTransaction(plans[type], testKeyRing(), { ecc, randomBytes: bytesFrom(seed) }).raw.toString('hex');
    expect(once('p2wpkh', 'a')).toBe(once('p2wpkh', 'b'));
    expect(once('p2tr', 'a')).not.toBe(once('p2tr', 'b'));
  });
});

describe('signature hashes', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const anyTransaction = fc.record({
    version: fc.constantFrom(1, 2, 3),
    locktime: fc.integer({ min: 0, max: 0xffffffff }),
    inputs: fc.array(
      fc.record({
        txid: bytes(32).map((id) => Buffer.from(id).toString('hex') as PlannedInput['txid']),
        vout: fc.integer({ min: 0, max: 0xffffffff }),
        sequence: fc.integer({ min: 0, max: 0xffffffff }),
        amountSats: fc.bigInt(0n, 2_100_000_000_000_000n),
        script: fc.constantFrom(22, 34, 25).chain(bytes),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    outputs: fc.array(
      fc.record({
        scriptPubKey: fc.oneof(bytes(22), bytes(34), bytes(300)).map((script) => Buffer.from(script).toString('hex')),
        amountSats: fc.bigInt(0n, 2_100_000_000_000_000n),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  });

  it('are those of bitcoinjs-lib for every input', () => {
    fc.assert(
      fc.property(anyTransaction, bytes(20), (plan, keyHash) => {
        const transaction = buildTransaction(plan);
        const scripts = plan.inputs.map((one) => one.script);
        const amounts = plan.inputs.map((one) => one.amountSats);
        const cache = createSighashCache(
          transaction,
          plan.inputs.map((one) => ({ amountSats: one.amountSats, scriptPubKey: one.script })),
        );
        const keyScript = Buffer.concat([Buffer.from('76a914', 'hex'), keyHash, Buffer.from('88ac', 'hex')]);
        for (const [index, one] of plan.inputs.entries()) {
          const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
          expect(hex(cache.witnessV0(index, keyHash))).toBe(
            hex(transaction.hashForWitnessV0(index, keyScript, one.amountSats, Transaction.SIGHASH_ALL)),
          );
          expect(hex(cache.taproot(index))).toBe(
            hex(transaction.hashForWitnessV1(index, scripts, amounts, Transaction.SIGHASH_DEFAULT)),
          );
          expect(hex(cache.legacy(index, keyScript))).toBe(
            hex(transaction.hashForSignature(index, keyScript, Transaction.SIGHASH_ALL)),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is that of the BIP143 native P2WPKH example', () => {
    const unsigned = Transaction.fromHex(
      '0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000',
    );
    const empty = { amountSats: 0n, scriptPubKey: new Uint8Array(0) };
    const cache = createSighashCache(unsigned, [empty, { ...empty, amountSats: 600_000_000n }]);
    const keyHash = Buffer.from('1d0f172a0ecb48aee1be1f2687d2963ae33f71a1', 'hex');
    expect(cache.witnessV0(1, keyHash).toString('hex')).toBe(
      'c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670',
    );
  });
});

const BIP341 = new URL('../../../../shared/vectors/taproot/bip0341-wallet.json', import.meta.url);

describe('BIP341 wallet vectors', () => {
  if (!existsSync(BIP341)) {
    it.skip('key path spending (the folder ../shared/vectors is not here)', () => {});
    return;
  }
  const [spending] = JSON.parse(readFileSync(BIP341, 'utf8')).keyPathSpending;
  const transaction = Transaction.fromHex(spending.given.rawUnsignedTx);
  const cache = createSighashCache(
    transaction,
    spending.given.utxosSpent.map((utxo: { scriptPubKey: string; amountSats: number }) => ({
      amountSats: BigInt(utxo.amountSats),
      scriptPubKey: Buffer.from(utxo.scriptPubKey, 'hex'),
    })),
  );
  interface Vector {
    readonly given: { readonly txinIndex: number; readonly hashType: number };
    readonly intermediary: { readonly sigHash: string; readonly tweakedPrivkey: string };
    readonly expected: { readonly witness: readonly string[] };
  }
  const byDefault = (spending.inputSpending as Vector[]).filter((one) => one.given.hashType === 0);
  it('covers an input with SIGHASH_DEFAULT', () => expect(byDefault.length).toBeGreaterThan(0));
  it.each(byDefault)('signs input $given.txinIndex with the expected hash and signature', (one) => {
    const hash = cache.taproot(one.given.txinIndex);
    expect(hash.toString('hex')).toBe(one.intermediary.sigHash);
    const signature = ecc.signSchnorr(hash, Buffer.from(one.intermediary.tweakedPrivkey, 'hex'), new Uint8Array(32));
    expect(Buffer.from(signature).toString('hex')).toBe(one.expected.witness[0]);
  });
});
