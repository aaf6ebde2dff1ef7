import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merkleRoot } from '../../../src/core/blocks/merkle.ts';
import { blockOf } from './arbitrary-transaction.ts';

describe('merkleRoot', () => {
  it("agrees with bitcoinjs-lib's for any number of transactions", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), (count) => {
        const txs = Array.from({ length: count }, (_, i) => {
          const tx = new Transaction();
          tx.locktime = i;
          tx.addInput(new Uint8Array(32), 0);
          tx.addOutput(new Uint8Array(0), 0n);
          return tx;
        });
        const { root, mutated } = merkleRoot(txs.map((tx) => tx.getHash()));
        expect(root).toEqual(Buffer.from(blockOf(txs).merkleRoot!));
        expect(mutated).toBe(false);
      }),
      { numRuns: 70 },
    );
  });
});
