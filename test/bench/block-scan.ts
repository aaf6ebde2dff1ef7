/**
 * Scanning full blocks for 100,000 watched scripts and outpoints against parsing the same blocks with bitcoinjs-lib, side by side:
 * best MB/s of several rounds and the ratio. Run: node test/bench/block-scan.ts
 */
import { createHash } from 'node:crypto';
import { Block, Transaction } from 'bitcoinjs-lib';
import { parseBlockTransactions, scanBlock } from '../../src/core/blocks/block.ts';
import { createWatchSet } from '../../src/core/blocks/watch-set.ts';

const BLOCKS = 5;
const TRANSACTIONS = 2_800;
const WATCHED = 100_000;
const ROUNDS = 9;

const digest = (text: string): Uint8Array => Uint8Array.from(createHash('sha256').update(text).digest());
const program = (text: string): Uint8Array => Uint8Array.from([0, 20, ...digest(text).subarray(0, 20)]);

/** About a full block: two P2WPKH inputs and two or three outputs a transaction. */
function fullBlock(seed: number): Uint8Array {
  const transactions = Array.from({ length: TRANSACTIONS }, (_, i) => {
    const tx = new Transaction();
    tx.version = 2;
    for (let input = 0; input < 2; input++) {
      tx.addInput(digest(`in ${seed} ${i} ${input}`), input, 0xfffffffd);
      tx.setWitness(input, [new Uint8Array(71).fill(input + 1), new Uint8Array(33).fill(2)]);
    }
    for (let output = 0; output < 2 + (i % 2); output++) tx.addOutput(program(`out ${seed} ${i} ${output}`), 100_000n);
    return tx;
  });
  const block = new Block();
  block.prevHash = new Uint8Array(32);
  block.merkleRoot = new Uint8Array(32);
  block.transactions = transactions;
  return block.toBuffer();
}

/** Best of several interleaved rounds, so that what else the machine does weighs least. */
function best(runs: readonly (() => number)[]): number[] {
  const times = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, run] of runs.entries()) {
      const start = performance.now();
      run();
      times[i] = Math.min(times[i]!, performance.now() - start);
    }
  return times;
}

const blocks = Array.from({ length: BLOCKS }, (_, seed) => fullBlock(seed));
const megabytes = blocks.reduce((sum, { length }) => sum + length, 0) / 1e6;
const salt = digest('salt').subarray(0, 16);
const scripts = createWatchSet(salt, WATCHED);
const outpoints = createWatchSet(salt, WATCHED);
for (let i = 0; i < WATCHED; i++) {
  // Ten scripts of each block are watched, the others appear in none.
  scripts.add(i < 10 * BLOCKS ? program(`out ${i % BLOCKS} ${i * 7} 0`) : program(`elsewhere ${i}`));
  outpoints.add(Buffer.concat([digest(`elsewhere ${i}`), new Uint8Array(4)]));
}

let found = 0;
const scan = (): number => {
  found = 0;
  for (const block of blocks)
    scanBlock(block, {
      input: (bytes, start) => outpoints.has(bytes, start, start + 36),
      output: (bytes, start, end) => scripts.has(bytes, start, end),
      match: () => found++,
    });
  return found;
};
const rows: [string, () => number][] = [
  ['scanBlock', scan],
  [
    'parseBlockTransactions, with txids',
    () => blocks.reduce((sum, block) => sum + parseBlockTransactions(block).length, 0),
  ],
  [
    'bitcoinjs-lib Block.fromBuffer',
    () => blocks.reduce((sum, block) => sum + Block.fromBuffer(block).transactions!.length, 0),
  ],
];
const times = best(rows.map(([, run]) => run));
const baseline = times[times.length - 1]!;
const entryBytes = (scripts.byteLength + outpoints.byteLength) / (2 * WATCHED);
console.log(
  `${BLOCKS} blocks of ${(megabytes / BLOCKS).toFixed(2)} MB; ${2 * WATCHED} watched, ${found} transactions match`,
);
console.log(`watch sets: ${entryBytes.toFixed(1)} bytes an entry`);
for (const [i, [name]] of rows.entries()) {
  const ms = times[i]!;
  const rate = (megabytes / (ms / 1000)).toFixed(0).padStart(6);
  console.log(`${name.padEnd(36)} ${rate} MB/s  ${(baseline / ms).toFixed(1).padStart(6)}x`);
}
