import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedDataError } from '../../../../src/core/blocks/malformed-data-error.ts';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { previousOutput } from '../../../../src/core/dlc/transactions/previous-output.ts';

const scriptOf = (length: number): Buffer => Buffer.alloc(length, 0x51);

const transactions = fc
  .record({
    scripts: fc.array(fc.constantFrom(0, 1, 22, 34, 252, 253, 65_535, 65_536), { minLength: 1, maxLength: 6 }),
    amount: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }),
    witness: fc.boolean(),
  })
  .map(({ scripts, amount, witness }) => {
    const transaction = new Transaction();
    transaction.addInput(Buffer.alloc(32, 9), 1);
    if (witness) transaction.setWitness(0, [Buffer.alloc(300, 1)]);
    for (const [index, length] of scripts.entries())
      transaction.outs.push({ script: scriptOf(length), value: index === 0 ? amount : BigInt(index) });
    return Uint8Array.from(transaction.toBuffer());
  });

describe('one output of a previous transaction', () => {
  it('is what parsing the whole says, and the txid with it', () => {
    fc.assert(
      fc.property(transactions, (raw) => {
        const { txid, outputs } = parseTransaction(raw);
        for (const [vout, { amountSats, scriptPubKey }] of outputs.entries())
          expect(previousOutput(raw, vout)).toEqual({ txid, amountSats, scriptPubKey });
        expect(previousOutput(raw, outputs.length)).toBeNull();
        expect(previousOutput(raw, 0xffffffff)).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  it('is none of what is cut off, or followed by something', () => {
    const [raw] = fc.sample(transactions, 1) as [Uint8Array];
    expect(previousOutput(Uint8Array.from([...raw, 0]), 0)).toBeNull();
    for (const length of [0, 4, 40, raw.length - 1])
      expect(() => previousOutput(raw.subarray(0, length), 0)).toThrow(MalformedDataError);
  });
});
