import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createGrowingTree,
  EMPTY_ROOT,
  foldSubtrees,
  leafHash,
  nodeHash,
  rootOf,
} from '../../../src/core/merkle/tree-hash.ts';
import { consistencyPath, inclusionPath, type LeafRange, subtreesOf } from '../../../src/core/merkle/tree-ranges.ts';
import { verifyConsistency, verifyInclusion } from './verify-proof.ts';

/** RFC 6962 §2.1 word for word. */
function naiveRoot(entries: readonly Uint8Array[]): Buffer {
  const [only] = entries;
  if (only === undefined) return hash('sha256', '', 'buffer');
  if (entries.length === 1) return hash('sha256', Buffer.concat([Buffer.from([0]), only]), 'buffer');
  let k = 1;
  while (k * 2 < entries.length) k *= 2;
  const halves = [naiveRoot(entries.slice(0, k)), naiveRoot(entries.slice(k))];
  return hash('sha256', Buffer.concat([Buffer.from([1]), ...halves]), 'buffer');
}

/** A part of a proof, from its complete subtrees, each hashed from all its leaves. */
const hashOf = (entries: readonly Uint8Array[]) => (range: LeafRange) =>
  foldSubtrees(
    subtreesOf(range).map(({ level, index }) => naiveRoot(entries.slice(index * 2 ** level, (index + 1) * 2 ** level))),
  );

const entriesOf = (size: number) => Array.from({ length: size }, (_, index) => Buffer.from(`entry ${index}`));

/** From the tests of google/certificate-transparency (cpp/merkletree/merkle_tree_test.cc): leaves, and roots of the first 1 to 8. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (text) => Buffer.from(text, 'hex'),
);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const INCLUSION: [leaf: number, size: number, proof: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const CONSISTENCY: [first: number, second: number, proof: string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const hex = (hashes: readonly Uint8Array[]) => hashes.map((one) => Buffer.from(one).toString('hex'));

describe('the Merkle tree of RFC 6962', () => {
  it('is not shown to be smaller by a proof that goes on', () => {
    const [first, second] = LEAVES.slice(0, 2).map(leafHash) as [Buffer, Buffer];
    const root = rootOf([first, second]);
    const claim = { leaf: second, position: 1, size: 2, root, proof: [first] };
    expect(verifyInclusion(claim)).toBe(true);
    expect(verifyInclusion({ ...claim, position: 0, size: 1 })).toBe(false);
  });

  it('gives the published roots and proofs', () => {
    expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(ROOTS.map((_, index) => rootOf(LEAVES.slice(0, index + 1).map(leafHash)).toString('hex'))).toEqual(ROOTS);
    for (const [leaf, size, proof] of INCLUSION) {
      expect(hex(inclusionPath(leaf, size).map(hashOf(LEAVES)))).toEqual(proof);
    }
    for (const [first, second, proof] of CONSISTENCY) {
      expect(hex(consistencyPath(first, second).map(hashOf(LEAVES)))).toEqual(proof);
    }
  });

  it('grows to the root that the definition gives', () => {
    const entries = entriesOf(70);
    const tree = createGrowingTree();
    for (const [index, entry] of entries.entries()) {
      expect(tree.root()).toEqual(naiveRoot(entries.slice(0, index)));
      tree.append(leafHash(entry));
    }
  });

  it('proves inclusion of every leaf, and of nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 130 }), fc.nat(), fc.nat(), (size, seed, other) => {
        const entries = entriesOf(size);
        const position = seed % size;
        const proof = inclusionPath(position, size).map(hashOf(entries));
        const claim = { leaf: leafHash(entries[position]!), position, size, root: naiveRoot(entries), proof };
        expect(verifyInclusion(claim)).toBe(true);
        const elsewhere = other % size;
        if (elsewhere !== position) expect(verifyInclusion({ ...claim, position: elsewhere })).toBe(false);
        expect(verifyInclusion({ ...claim, leaf: leafHash(Buffer.from('another')) })).toBe(false);
        expect(verifyInclusion({ ...claim, root: leafHash(Buffer.from('another')) })).toBe(false);
        expect(verifyInclusion({ ...claim, proof: [...proof, EMPTY_ROOT] })).toBe(false);
        if (proof.length > 0) expect(verifyInclusion({ ...claim, proof: proof.slice(1) })).toBe(false);
        expect(verifyInclusion({ ...claim, position: size })).toBe(false);
      }),
    );
  });

  it('proves that one tree begins another, and not where it does not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 130 }), fc.nat(), (size, seed) => {
        const entries = entriesOf(size);
        const first = { size: 1 + (seed % size), root: naiveRoot(entries.slice(0, 1 + (seed % size))) };
        const second = { size, root: naiveRoot(entries) };
        const proof = consistencyPath(first.size, size).map(hashOf(entries));
        expect(verifyConsistency({ first, second, proof })).toBe(true);
        const changed = naiveRoot(entries.slice(0, first.size).map((_, i) => Buffer.from(`changed ${i}`)));
        expect(verifyConsistency({ first: { ...first, root: changed }, second, proof })).toBe(false);
        expect(verifyConsistency({ first, second: { ...second, root: changed }, proof })).toBe(false);
        expect(verifyConsistency({ first, second, proof: [...proof, EMPTY_ROOT] })).toBe(false);
        expect(verifyConsistency({ first: { ...first, size: size + 1 }, second, proof })).toBe(false);
      }),
    );
  });

  it('takes no inner node for a leaf', () => {
    const [left, right] = entriesOf(2).map(leafHash) as [Buffer, Buffer];
    const root = nodeHash(left, right);
    expect(leafHash(Buffer.concat([left, right]))).not.toEqual(root);
    expect(
      verifyInclusion({ leaf: leafHash(Buffer.concat([left, right])), position: 0, size: 1, root, proof: [] }),
    ).toBe(false);
  });
});
