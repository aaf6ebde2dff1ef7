import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serializeHeader } from '../../../src/core/blocks/header.ts';
import { MalformedDataError } from '../../../src/core/blocks/malformed-data-error.ts';
import { merkleRoot } from '../../../src/core/blocks/merkle.ts';
import { isTransaction, merkleBranch, rootOfBranch } from '../../../src/core/blocks/merkle-branch.ts';
import { merkleBlock, parseMerkleBlock } from '../../../src/core/blocks/partial-merkle-tree.ts';
import { hash256 } from '../../../src/core/hashes.ts';
import { type BlockHash, displayHash } from '../../../src/core/outpoint.ts';
import { GENESIS } from './known-headers.ts';

const leaves = (count: number): Buffer[] => Array.from({ length: count }, (_, i) => hash256(Buffer.from(`leaf ${i}`)));

const headerOf = (hashes: readonly Uint8Array[]): Buffer =>
  serializeHeader({
    version: 1,
    prevHash: '00'.repeat(32) as BlockHash,
    merkleRoot: displayHash(merkleRoot(hashes).root),
    time: 1,
    bits: 0x207fffff,
    nonce: 0,
  });

/** 64 bytes that are both an inner node and a transaction: one input of an empty scriptSig, one output of four bytes. */
const sixtyFour = Buffer.concat([
  Buffer.from('01000000', 'hex'),
  Buffer.from('01', 'hex'),
  randomBytes(36),
  Buffer.from('00ffffffff', 'hex'),
  Buffer.from('01', 'hex'),
  Buffer.alloc(8),
  Buffer.from('0451515151', 'hex'),
  Buffer.alloc(4),
]);

describe('merkle branches', () => {
  it('lead from every leaf to the root, and from no other place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (count) => {
        const hashes = leaves(count);
        const { root } = merkleRoot(hashes);
        for (const [position, hash] of hashes.entries()) {
          const branch = merkleBranch(hashes, position);
          expect(rootOfBranch(hash, position, branch)).toEqual({ root, problem: null });
          if (branch.length === 0) continue;
          expect(rootOfBranch(hash, position ^ 1, branch).root.equals(root)).toBe(branch[0]!.equals(hash));
          expect(rootOfBranch(hash256(hash), position, branch).root.equals(root)).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('show a block whose transactions were doubled (CVE-2012-2459)', () => {
    const hashes = leaves(6);
    const doubled = [...hashes, ...hashes.slice(4)];
    const { root } = merkleRoot(hashes);
    expect(merkleRoot(doubled).root).toEqual(root);
    const copy = rootOfBranch(doubled[6]!, 6, merkleBranch(doubled, 6));
    expect(copy).toEqual({ root, problem: 'equal-siblings' });
    expect(rootOfBranch(hashes[4]!, 4, merkleBranch(hashes, 4)).problem).toBeNull();
  });

  it('show an inner node that is a transaction (CVE-2017-12842)', () => {
    expect(sixtyFour.length).toBe(64);
    expect(isTransaction(sixtyFour)).toBe(true);
    const [left, forged] = [sixtyFour.subarray(0, 32), sixtyFour.subarray(32)];
    // The block holds the 64-byte transaction; the proof is of what its second half hashes.
    const hashes = [hash256(sixtyFour), ...leaves(1)];
    const { root } = merkleRoot(hashes);
    expect(rootOfBranch(forged, 1, [left, hashes[1]!])).toEqual({ root, problem: 'node-is-transaction' });
  });

  it('read nodes that are no transaction as such, whatever they hold', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (node) => typeof isTransaction(node) === 'boolean'),
    );
    expect(isTransaction(sixtyFour.subarray(0, 63))).toBe(false);
  });
});

describe('merkle blocks (BIP37)', () => {
  it('prove any transactions of a block, in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
        (count, picks) => {
          const hashes = leaves(count);
          const positions = [...new Set(picks.map((pick) => pick % count))].toSorted((a, b) => a - b);
          const proof = parseMerkleBlock(merkleBlock(headerOf(hashes), hashes, positions));
          expect(proof.root).toEqual(merkleRoot(hashes).root);
          expect(proof.matches).toEqual(positions.map((position) => ({ hash: hashes[position], position })));
          expect(proof).toMatchObject({ transactionCount: count, problem: null });
          expect(proof.header.merkleRoot).toBe(displayHash(proof.root));
        },
      ),
    );
  });

  it('show doubled transactions and a node that is a transaction', () => {
    const hashes = leaves(6);
    const doubled = [...hashes, ...hashes.slice(4)];
    expect(parseMerkleBlock(merkleBlock(headerOf(hashes), doubled, [6])).problem).toBe('equal-siblings');
    const halves = [sixtyFour.subarray(0, 32), sixtyFour.subarray(32)];
    expect(parseMerkleBlock(merkleBlock(headerOf(halves), halves, [1])).problem).toBe('node-is-transaction');
  });

  it('are refused where anything is left over or missing', () => {
    const hashes = leaves(5);
    const good = merkleBlock(headerOf(hashes), hashes, [3]);
    for (let length = 0; length < good.length; length++)
      expect(() => parseMerkleBlock(good.subarray(0, length))).toThrow(MalformedDataError);
    expect(() => parseMerkleBlock(Buffer.concat([good, Buffer.of(0)]))).toThrow('follow the proof');
    const counted = (count: number) => {
      const bytes = Buffer.from(good);
      bytes.writeUInt32LE(count, 80);
      return bytes;
    };
    expect(() => parseMerkleBlock(counted(0))).toThrow('not 0');
    expect(() => parseMerkleBlock(counted(16_667))).toThrow('not 16667');
    expect(() => parseMerkleBlock(counted(1))).toThrow('more hashes');
    expect(() => parseMerkleBlock(counted(0xffffffff))).toThrow(MalformedDataError);
    const moreFlags = Buffer.concat([good.subarray(0, good.length - 2), Buffer.of(2, good.at(-1)!, 0)]);
    expect(() => parseMerkleBlock(moreFlags)).toThrow('flags that the tree does not use');
  });

  it('of arbitrary bytes are read or refused, nothing else', () => {
    const header = Buffer.from(GENESIS, 'hex');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (rest) => {
        try {
          parseMerkleBlock(Buffer.concat([header, rest]));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedDataError);
        }
      }),
    );
  });
});
