import { Block, Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coinbaseHeight,
  commitsToTransactions,
  parseBlockTransactions,
  scanBlock,
} from '../../../src/core/blocks/block.ts';
import { MalformedDataError } from '../../../src/core/blocks/malformed-data-error.ts';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { arbitraryTransaction, blockOf, GENESIS_BLOCK } from './arbitrary-transaction.ts';

const transactions = fc.array(arbitraryTransaction, { minLength: 1, maxLength: 6 });

describe('scanBlock', () => {
  it('matches the transactions that pay a script, whole and with their place, as a full parse finds them', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), (txs, pick) => {
        const outputs = txs.flatMap((tx) => tx.outs);
        const wanted = Buffer.from(outputs[pick % outputs.length]!.script);
        const found: [string, number][] = [];
        const count = scanBlock(blockOf(txs).toBuffer(), {
          input: () => false,
          output: (bytes, start, end) => wanted.equals(bytes.subarray(start, end)),
          match: (tx, position) => found.push([tx.txid, position]),
        });
        expect(count).toBe(txs.length);
        const oracle = Block.fromBuffer(blockOf(txs).toBuffer()).transactions!.map((tx, i) => [tx, i] as const);
        expect(found).toEqual(
          oracle.filter(([tx]) => tx.outs.some((out) => wanted.equals(out.script))).map(([tx, i]) => [tx.getId(), i]),
        );
      }),
    );
  });

  it('parses every transaction as one by one', () => {
    fc.assert(
      fc.property(transactions, (txs) => {
        expect(parseBlockTransactions(blockOf(txs).toBuffer())).toEqual(
          txs.map((tx) => parseTransaction(tx.toBuffer())),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('refuses truncated blocks and trailing bytes', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), (txs, cut) => {
        const bytes = blockOf(txs).toBuffer();
        expect(() => parseBlockTransactions(bytes.subarray(0, cut % bytes.length))).toThrow(MalformedDataError);
        expect(() => parseBlockTransactions(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(MalformedDataError);
      }),
      { numRuns: 100 },
    );
  });

  it('fails with the declared error alone when a byte is changed', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), fc.integer({ min: 1, max: 255 }), (txs, at, change) => {
        const bytes = Buffer.from(blockOf(txs).toBuffer());
        bytes[at % bytes.length]! ^= change;
        try {
          parseBlockTransactions(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedDataError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('refuses a transaction count that the bytes cannot hold', () => {
    const header = Buffer.alloc(80);
    expect(() => parseBlockTransactions(Buffer.concat([header, Buffer.from('feffffff01', 'hex')]))).toThrow(
      MalformedDataError,
    );
    expect(() => parseBlockTransactions(Buffer.concat([header, Buffer.from('00', 'hex')]))).toThrow(MalformedDataError);
  });

  it("reads Bitcoin's first block", () => {
    const [coinbase] = parseBlockTransactions(Buffer.from(GENESIS_BLOCK, 'hex'));
    expect(coinbase).toMatchObject({
      txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
      coinbase: true,
      vsize: 204,
    });
    expect(coinbase!.outputs[0]!.amountSats).toBe(5_000_000_000n);
  });
});

describe('commitsToTransactions', () => {
  it('holds for a block, and no longer when a transaction is changed, swapped or repeated', () => {
    fc.assert(
      fc.property(fc.array(arbitraryTransaction, { minLength: 2, maxLength: 6 }), (txs) => {
        const header = blockOf(txs).toBuffer().subarray(0, 80);
        const bodyOf = (list: Transaction[]) => blockOf(list).toBuffer().subarray(80);
        const whole = (list: Transaction[]) => Buffer.concat([header, bodyOf(list)]);
        expect(commitsToTransactions(whole(txs))).toBe(true);
        const changed = txs[0]!.clone();
        changed.locktime ^= 1;
        changed.locktime >>>= 0;
        expect(commitsToTransactions(whole([changed, ...txs.slice(1)]))).toBe(false);
        if (txs[0]!.getId() !== txs[1]!.getId())
          expect(commitsToTransactions(whole([txs[1]!, txs[0]!, ...txs.slice(2)]))).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('is not fooled by a repeated last transaction, which leaves the root as it was (CVE-2012-2459)', () => {
    const [a, b, c] = [1, 2, 3].map((locktime) => {
      const tx = new Transaction();
      tx.locktime = locktime;
      tx.addInput(new Uint8Array(32).fill(locktime), 0);
      tx.addOutput(new Uint8Array([0x51]), 1n);
      return tx;
    }) as [Transaction, Transaction, Transaction];
    expect(commitsToTransactions(blockOf([a, b, c]).toBuffer())).toBe(true);
    expect(Buffer.from(blockOf([a, b, c, c]).merkleRoot!)).toEqual(Buffer.from(blockOf([a, b, c]).merkleRoot!));
    expect(commitsToTransactions(blockOf([a, b, c, c]).toBuffer())).toBe(false);
  });

  it("holds for Bitcoin's first block", () => {
    expect(commitsToTransactions(Buffer.from(GENESIS_BLOCK, 'hex'))).toBe(true);
  });
});

describe('BIP34 coinbase height', () => {
  it.each([
    ['00', 0],
    ['51', 1],
    ['60', 16],
    ['0111', 17],
    ['017f', 127],
    ['028000', 128],
    ['03a08601ffff', 100_000],
    ['03ffff7f', 8_388_607],
    ['', null],
    ['0180', null],
    ['03a086', null],
    ['4c0111', null],
    ['06010101010101', null],
  ])('%s is %s', (scriptSig, height) => {
    expect(coinbaseHeight(Buffer.from(scriptSig, 'hex'))).toBe(height);
  });
});
