import { describe, expect, it } from 'vitest';
import { createGrowingTree, leafHash } from '../../../src/core/merkle/tree-hash.ts';
import { sealBatch } from '../../../src/services/audit/seal-batch.ts';
import { consistencyProof, inclusionProof, rootAt } from '../../../src/services/audit/tree.ts';
import type { AuditNode } from '../../../src/store/repositories/audit.ts';
import type { AuditSeal } from '../../../src/store/repositories/audit-pages.ts';
import type { Repositories } from '../../../src/store/store.ts';
import { verifyConsistency, verifyInclusion } from '../../core/merkle/verify-proof.ts';

/** What the sealer and the tree ask of the repository, in memory; counts the rows that are read. */
function memoryRepository() {
  const seals: AuditSeal[] = [];
  const nodes = new Map<string, Uint8Array>();
  const place = (level: number, position: number) => `${level} ${position}`;
  let read = 0;
  const audit: Pick<Repositories['audit'], 'lastSeal' | 'insertSeals' | 'insertNodes' | 'nodes'> = {
    lastSeal: async () => seals.at(-1) ?? null,
    insertSeals: async (added) => {
      seals.push(...added);
    },
    insertNodes: async (added: readonly AuditNode[]) => {
      for (const { level, position, hash } of added) {
        if (nodes.has(place(level, position))) throw new Error(`a node is there already: ${place(level, position)}`);
        nodes.set(place(level, position), hash);
      }
    },
    nodes: async (_, level, position, count) => {
      const found =
        level === 0
          ? seals.slice(position, position + count).map((seal) => seal.leafHash)
          : Array.from({ length: count }, (_, index) => nodes.get(place(level, position + index))).filter(
              (hash) => hash !== undefined,
            );
      read += found.length;
      return found;
    },
  };
  const rowsRead = async <T>(work: () => Promise<T>): Promise<{ value: T; rows: number }> => {
    read = 0;
    const value = await work();
    return { value, rows: read };
  };
  return { tx: { audit: audit as Repositories['audit'] }, seals, nodes, rowsRead };
}

const entryOf = (index: number) => `{"entry":${index}}`;
const recordOf = (index: number) => ({
  sequence: BigInt(index),
  recordId: `aud_${index}`,
  logId: 'log',
  entry: entryOf(index),
});

describe('the tree of a log', () => {
  it('has the roots and proofs of one that hashes everything, and reads little for them', async () => {
    const { tx, nodes, rowsRead } = memoryRepository();
    // Above 2^16, so that three kept levels stand one on another; batches that do not fit the levels.
    const size = 66_100;
    const tree = createGrowingTree();
    const roots = new Map<number, Buffer>([[0, tree.root()]]);
    const wanted = new Set([1, 2, 255, 256, 257, 300, 511, 512, 65_535, 65_536, 65_537, 65_800, size]);
    for (let start = 0; start < size; start += 700) {
      const records = Array.from({ length: Math.min(700, size - start) }, (_, index) => recordOf(start + index));
      await sealBatch(tx, records);
    }
    for (let index = 0; index < size; index++) {
      tree.append(leafHash(Buffer.from(entryOf(index))));
      if (wanted.has(index + 1)) roots.set(index + 1, tree.root());
    }
    expect(nodes.size).toBe(258 + 1);
    for (const [at, root] of roots) {
      const found = await rowsRead(() => rootAt(tx, 'log', at));
      expect(Buffer.from(found.value)).toEqual(root);
      expect(found.rows).toBeLessThanOrEqual(3 * 255);
    }
    const second = { size, root: roots.get(size)! };
    for (const position of [0, 1, 255, 256, 40_000, 65_535, 65_536, 66_099]) {
      const { value: proof, rows } = await rowsRead(() => inclusionProof(tx, 'log', position, size));
      const leaf = leafHash(Buffer.from(entryOf(position)));
      expect(verifyInclusion({ leaf, position, size, root: second.root, proof })).toBe(true);
      expect(rows).toBeLessThanOrEqual(2 * 3 * 255);
    }
    for (const [at, root] of roots) {
      if (at === 0) continue;
      const { value: proof, rows } = await rowsRead(() => consistencyProof(tx, 'log', at, size));
      expect(verifyConsistency({ first: { size: at, root }, second, proof })).toBe(true);
      expect(rows).toBeLessThanOrEqual(2 * 3 * 255);
    }
    await expect(rootAt(tx, 'log', size + 1)).rejects.toThrow(/lacks nodes/);
  });
});
