import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedOutput, parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { sha256 } from '../../../src/core/hashes.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { STANDARD_FLAGS } from '../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpendBy } from '../../../src/core/scripts/interpreter/verify-spend.ts';
import { createSignatureHasher } from '../../../src/core/scripts/signature-hash.ts';
import { vectorRows } from '../../vectors/rows.ts';
import { arbitraryTransaction } from '../blocks/arbitrary-transaction.ts';
import { walletSpending, walletSpent } from '../taproot/taproot-vectors.ts';

const HASH_TYPES = [0x01, 0x02, 0x03, 0x81, 0x82, 0x83];

const spentOutput = fc.record({
  amountSats: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }),
  // Of taproot's length: bitcoinjs-lib sizes BIP341's message for no other.
  scriptPubKey: fc.uint8Array({ minLength: 34, maxLength: 34 }).map((script) => Buffer.from(script).toString('hex')),
});

describe('signature hashes', () => {
  it('are those of bitcoinjs-lib for every input, version and defined hash type', () => {
    const scenario = arbitraryTransaction.chain((tx) =>
      fc.record({
        tx: fc.constant(tx),
        spent: fc.array(spentOutput, { minLength: tx.ins.length, maxLength: tx.ins.length }),
        scriptCode: fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => bytes.fill(0x51)),
        hashType: fc.constantFrom(...HASH_TYPES),
        pick: fc.nat(),
      }),
    );
    fc.assert(
      fc.property(scenario, ({ tx, spent, scriptCode, hashType, pick }) => {
        const hasher = createSignatureHasher(parseTransaction(tx.toBuffer()), spent);
        const index = pick % tx.ins.length;
        const scripts = spent.map((output) => Buffer.from(output.scriptPubKey, 'hex'));
        const amounts = spent.map((output) => output.amountSats);
        const same = (ours: Uint8Array, theirs: Uint8Array) => expect(Buffer.from(ours)).toEqual(Buffer.from(theirs));
        same(
          hasher.segwitV0(index, scriptCode, hashType),
          tx.hashForWitnessV0(index, scriptCode, amounts[index]!, hashType),
        );
        same(hasher.taproot(index, 0), tx.hashForWitnessV1(index, scripts, amounts, 0));
        if ((hashType & 3) === 3 && index >= tx.outs.length) {
          expect(() => hasher.taproot(index, hashType)).toThrow(RangeError);
          expect(() => hasher.legacy(index, scriptCode, hashType)).toThrow(RangeError);
          return;
        }
        same(hasher.taproot(index, hashType), tx.hashForWitnessV1(index, scripts, amounts, hashType));
        same(hasher.legacy(index, scriptCode, hashType), tx.hashForSignature(index, scriptCode, hashType));
      }),
      { numRuns: 300 },
    );
  });

  it('of script paths and annexes are those of bitcoinjs-lib', () => {
    const bytes = (least: number, most: number) => fc.uint8Array({ minLength: least, maxLength: most });
    const scenario = arbitraryTransaction.chain((tx) =>
      fc.record({
        tx: fc.constant(tx),
        spent: fc.array(spentOutput, { minLength: tx.ins.length, maxLength: tx.ins.length }),
        leafHash: fc.option(bytes(32, 32), { nil: undefined }),
        annex: fc.option(
          bytes(0, 300).map((rest) => Buffer.concat([Buffer.of(0x50), rest])),
          { nil: undefined },
        ),
        hashType: fc.constantFrom(0, ...HASH_TYPES),
        pick: fc.nat(),
      }),
    );
    fc.assert(
      fc.property(scenario, ({ tx, spent, leafHash, annex, hashType, pick }) => {
        const index = pick % tx.ins.length;
        fc.pre((hashType & 3) !== 3 || index < tx.outs.length);
        const ours = createSignatureHasher(parseTransaction(tx.toBuffer()), spent).taproot(index, hashType, {
          ...(leafHash && { leafHash }),
          ...(annex && { annex }),
        });
        const theirs = tx.hashForWitnessV1(
          index,
          spent.map((output) => Buffer.from(output.scriptPubKey, 'hex')),
          spent.map((output) => output.amountSats),
          hashType,
          leafHash,
          annex,
        );
        expect(Buffer.from(ours)).toEqual(Buffer.from(theirs));
      }),
      { numRuns: 300 },
    );
  });

  it('of a script path cover the position of the last code separator', () => {
    const tx = parseTransaction(Buffer.from(BIP143_P2WPKH, 'hex'));
    const spent = tx.inputs.map(() => ({ amountSats: 1n, scriptPubKey: `5120${'07'.repeat(32)}` }));
    const hasher = createSignatureHasher(tx, spent);
    const leafHash = Buffer.alloc(32, 1);
    const none = hasher.taproot(0, 0, { leafHash });
    expect(hasher.taproot(0, 0, { leafHash, codeSeparator: 0xffffffff })).toEqual(none);
    expect(hasher.taproot(0, 0, { leafHash, codeSeparator: 0 })).not.toEqual(none);
  });

  it('from before segwit leave code separators out, except within pushes', () => {
    const tx = Transaction.fromHex(BIP143_P2WPKH);
    const hasher = createSignatureHasher(
      parseTransaction(tx.toBuffer()),
      tx.ins.map(() => ({ amountSats: 1n, scriptPubKey: '' })),
    );
    for (const script of ['51ab52', 'abab', '02abab51ab']) {
      const code = Buffer.from(script, 'hex');
      expect(Buffer.from(hasher.legacy(1, code, 1))).toEqual(Buffer.from(tx.hashForSignature(1, code, 1)));
    }
    // bitcoinjs-lib writes pushes anew in their shortest form, and reads none that the script cuts off; nodes hash both as they are.
    for (const [script, without] of [
      ['4c03abab51ab51', '4c03abab5151'],
      ['4d0100abab', '4d0100ab'],
      ['51ab4d09abab', '514d09abab'],
    ] as const) {
      const [code, expected] = [Buffer.from(script, 'hex'), Buffer.from(without, 'hex')];
      expect(hasher.legacy(1, code, 1)).toEqual(hasher.legacy(1, expected, 1));
    }
  });

  it('from before segwit are refused where all of them come to hundreds of megabytes', () => {
    const inputs = Array.from({ length: 9000 }, (_, vout) => ({
      prev: { txid: '00'.repeat(32) as Txid, vout },
      sequence: 0,
      scriptSig: new Uint8Array(0),
      witness: [],
    }));
    const output = { amountSats: 1n, scriptPubKey: '51' };
    const hasher = createSignatureHasher(
      { version: 2, locktime: 0, inputs, outputs: [output] },
      inputs.map(() => output),
    );
    const code = Buffer.from('51', 'hex');
    expect(() => {
      for (const index of inputs.keys()) hasher.legacy(index, code, 1);
    }).toThrow(expect.objectContaining({ code: 'too_large' }));
  });

  it('need the spent output of every input', () => {
    const tx = parseTransaction(Buffer.from(BIP143_P2WPKH, 'hex'));
    expect(() => createSignatureHasher(tx, [])).toThrow(RangeError);
  });
});

const BIP143_P2WPKH =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6' +
  'a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc' +
  '618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb20600' +
  '0000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0' +
  '167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c45183315' +
  '61406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07ae' +
  'ee635711000000';

describe('BIP143', () => {
  it("hashes and verifies its native P2WPKH example's second input", () => {
    const tx = parseTransaction(Buffer.from(BIP143_P2WPKH, 'hex'));
    const keyHash = '1d0f172a0ecb48aee1be1f2687d2963ae33f71a1';
    const spent: ParsedOutput[] = [
      {
        amountSats: 625_000_000n,
        scriptPubKey: '2103c9f4836b9a4f77fc0d81f7bcb01b7f1b35916864b9476c241ce9fc198bd25432ac',
      },
      { amountSats: 600_000_000n, scriptPubKey: `0014${keyHash}` },
    ];
    const hasher = createSignatureHasher(tx, spent);
    const scriptCode = Buffer.from(`76a914${keyHash}88ac`, 'hex');
    expect(Buffer.from(hasher.segwitV0(1, scriptCode, 1)).toString('hex')).toBe(
      'c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670',
    );
    expect(verifySpendBy(hasher, 1, STANDARD_FLAGS)).toEqual({ valid: true });
    expect(verifySpendBy(hasher, 0, STANDARD_FLAGS)).toEqual({ valid: true });
  });
});

describe('BIP341 wallet test vectors', () => {
  it('hashes every key path spend as they say', () => {
    const hasher = createSignatureHasher(parseTransaction(Buffer.from(walletSpending.unsigned, 'hex')), walletSpent);
    const tag = sha256(Buffer.from('TapSighash'));
    for (const { index, hashType, message, hash } of walletSpending.inputs) {
      expect(Buffer.from(hasher.taproot(index, hashType)).toString('hex')).toBe(hash);
      expect(sha256(Buffer.concat([tag, tag, Buffer.from(message, 'hex')])).toString('hex')).toBe(hash);
    }
    expect(walletSpending.inputs.length).toBeGreaterThan(0);
  });

  it('verifies every input of the fully signed transaction, taproot or older, and none with its amount changed', () => {
    const tx = parseTransaction(Buffer.from(walletSpending.signed, 'hex'));
    const hasher = createSignatureHasher(tx, walletSpent);
    for (const index of tx.inputs.keys()) expect(verifySpendBy(hasher, index, STANDARD_FLAGS)).toEqual({ valid: true });
    for (const [index, output] of walletSpent.entries()) {
      const raised = walletSpent.with(index, { ...output, amountSats: output.amountSats + 1n });
      const legacy = output.scriptPubKey.startsWith('76a9');
      expect(verifySpendBy(createSignatureHasher(tx, raised), index, STANDARD_FLAGS).valid).toBe(legacy);
    }
  });
});

it('are those of Bitcoin Core before segwit, whatever the hash type and the script', () => {
  const rows = vectorRows('core-signature-hashes');
  expect(rows).toHaveLength(500);
  const wrong = rows.filter(([raw = '', script = '', index, type, expected = '']) => {
    const transaction = parseTransaction(Buffer.from(raw, 'hex'));
    const spent = transaction.inputs.map(() => ({ amountSats: 0n, scriptPubKey: '' }));
    const { legacy } = createSignatureHasher(transaction, spent);
    const hash = () => legacy(Number(index), Buffer.from(script, 'hex'), Number(type) >>> 0);
    // The number one, as uint256 writes it: SIGHASH_SINGLE without an output of that index.
    if (/^0+1$/.test(expected)) return expect(hash).toThrow(RangeError);
    return Buffer.from(hash()).reverse().toString('hex') !== expected;
  });
  expect(wrong).toEqual([]);
});
