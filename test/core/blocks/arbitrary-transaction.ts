import { Block, Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { hash256 } from '../../../src/core/hashes.ts';

const bytes = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });
/** Mostly short, now and then past the one-byte lengths. */
const script = fc.oneof({ weight: 9, arbitrary: bytes(0, 40) }, { weight: 1, arbitrary: bytes(250, 300) });

/** Transactions of any shape that the wire format can carry, made and serialized by bitcoinjs-lib. */
export const arbitraryTransaction = fc
  .record({
    version: uint32,
    locktime: uint32,
    inputs: fc.array(
      fc.record({
        hash: bytes(32, 32),
        index: uint32,
        sequence: uint32,
        script,
        witness: fc.array(bytes(0, 120), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    outputs: fc.array(fc.record({ value: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }), script }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ version, locktime, inputs, outputs }) => {
    const tx = new Transaction();
    tx.version = version;
    tx.locktime = locktime;
    for (const input of inputs) {
      const at = tx.addInput(input.hash, input.index, input.sequence, input.script);
      tx.setWitness(at, input.witness);
    }
    for (const output of outputs) tx.addOutput(output.script, output.value);
    return tx;
  });

/** A block around the given transactions, with their merkle root; its work is not done. */
export function blockOf(transactions: Transaction[]): Block {
  const block = new Block();
  block.version = 0x20000000;
  block.prevHash = new Uint8Array(hash256(new Uint8Array(1)));
  block.merkleRoot = Block.calculateMerkleRoot(transactions);
  block.timestamp = 1_700_000_000;
  block.bits = 0x207fffff;
  block.nonce = 7;
  block.transactions = transactions;
  return block;
}

export const GENESIS_BLOCK =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61' +
  '7fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c01010000000100000000000000000000000000000000000000' +
  '00000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63' +
  '656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a0100' +
  '0000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de' +
  '5c384df7ba0b8d578a4c702b6bf11d5fac00000000';
