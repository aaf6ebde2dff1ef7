import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLiabilities } from '../../../src/core/reserves/liabilities.ts';
import { growTree, leafNode, pathOf, rootOfPath, rootOfTop, topOf } from '../../../src/core/reserves/sum-tree.ts';
import { liabilityTree } from '../../builders/reserves.ts';

/** The definition in docs/compliance.md, written a second time. */
const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const tagged = (tag: string, ...parts: Uint8Array[]) => {
  const prefix = sha(Buffer.from(`ashlar/liabilities/${tag}`));
  return sha(prefix, prefix, ...parts);
};
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: bigint) => Buffer.from(BigInt64Array.of(value).buffer);
type Row = { customerId: string; balanceSats: bigint };
function recounted(rows: readonly Row[], seed: Uint8Array) {
  const secret = (id: string) => createHmac('sha512', seed).update(id).digest();
  const ordered = rows.toSorted((a, b) =>
    secret(a.customerId).toString('hex', 32) < secret(b.customerId).toString('hex', 32) ? -1 : 1,
  );
  const leaves = ordered.map(({ customerId, balanceSats }, index) => ({
    sum: balanceSats,
    hash: tagged('leaf', u32(index), u64(balanceSats), secret(customerId).subarray(0, 32), Buffer.from(customerId)),
  }));
  const top = (nodes: typeof leaves): (typeof leaves)[number] => {
    if (nodes.length === 1) return nodes[0]!;
    let split = 1;
    while (split * 2 < nodes.length) split *= 2;
    const [left, right] = [top(nodes.slice(0, split)), top(nodes.slice(split))];
    return {
      sum: left.sum + right.sum,
      hash: tagged('node', left.hash, u64(left.sum), right.hash, u64(right.sum)),
    };
  };
  const whole = top(leaves);
  return { total: whole.sum, root: tagged('root', u32(rows.length), u64(whole.sum), whole.hash).toString('hex') };
}

const salt = Buffer.alloc(32, 1);
const leavesOf = (balances: readonly bigint[]) =>
  balances.map((balanceSats, index) => ({ index, customerId: `c${index}`, balanceSats, salt }));
const treeOf = (balances: readonly bigint[]) => growTree(leavesOf(balances).map(leafNode));

describe('the Merkle-sum tree', () => {
  it('has the root of a recount, and every customer leads to it, at their own place only', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 70 }), (balances) => {
        const rows = balances.map((balanceSats, at) => ({ customerId: `kunde-${at}-ü`, balanceSats }));
        const made = liabilityTree(rows);
        const expected = recounted(rows, Buffer.alloc(32, 9));
        expect(made.said.root).toBe(expected.root);
        expect(made.said.total.replace('.', '').replace(/^0+(?=\d)/, '')).toBe(expected.total.toString());
        const tree = treeOf(balances);
        const { root } = rootOfTop(topOf(tree), balances.length);
        const hex = root.toString('hex');
        for (const leaf of leavesOf(balances)) {
          const path = pathOf(tree, leaf.index);
          expect(rootOfPath(leaf, path, balances.length).root.toString('hex')).toBe(hex);
          for (const other of [leaf.index ^ 1, leaf.index + 2].filter((at) => at < balances.length)) {
            const moved = () => rootOfPath({ ...leaf, index: other }, path, balances.length).root.toString('hex');
            expect(outcome(moved)).not.toBe(hex);
          }
          for (const count of [balances.length + 1, balances.length - 1])
            expect(outcome(() => rootOfPath(leaf, path, count).root.toString('hex'))).not.toBe(hex);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('a doubled last leaf is another tree (CVE-2012-2459)', () => {
    const leaves = leavesOf([5n, 6n, 7n]).map(leafNode);
    const roots = [leaves, [...leaves, leaves[2]!]].map((all) => topOf(growTree(all)).sumSats);
    expect(roots).toEqual([18n, 25n]);
    const three = rootOfTop(topOf(growTree(leaves)), 3).root;
    expect(rootOfTop(topOf(growTree(leaves)), 4).root).not.toEqual(three);
  });

  it('refuses sums below zero and above all bitcoin, on the way in and on the way up', () => {
    expect(() => treeOf([1n, -1n])).toThrow('negative');
    expect(() => treeOf([2_100_000_000_000_000n, 1n])).toThrow('21,000,000');
    const [leaf] = leavesOf([5n]);
    const hidden = { hash: Buffer.alloc(32), sumSats: -4n };
    expect(() => rootOfPath(leaf!, [hidden], 2)).toThrow('negative');
    expect(() => rootOfPath(leaf!, [{ ...hidden, sumSats: 2_100_000_000_000_000n }], 2)).toThrow('21,000,000');
    expect(() => rootOfPath(leaf!, [], 2)).toThrow('more siblings');
    expect(() => rootOfPath(leaf!, [{ ...hidden, sumSats: 1n }], 1)).toThrow('0 siblings');
  });
});

const outcome = (run: () => string): string => {
  try {
    return run();
  } catch (error) {
    return (error as Error).name;
  }
};

describe('liabilities as CSV', () => {
  it('reads ids as they are, quoted or not, with or without header', () => {
    const rows = parseLiabilities('customer_id,balance\r\nalice,5\r\n"bob, ""jr""",2000000000000000\r\n');
    expect(rows).toEqual([
      { customerId: 'alice', balanceSats: 5n },
      { customerId: 'bob, "jr"', balanceSats: 2_000_000_000_000_000n },
    ]);
    expect(parseLiabilities('=1,0')).toEqual([{ customerId: '=1', balanceSats: 0n }]);
  });

  it.each([
    ['a,1\na,2', 'body[2].customer_id', 'is in line 1, too'],
    ['a,1\nb,-1', 'body[2].balance', 'is negative'],
    ['a,0.5', 'body[1].balance', 'whole satoshis'],
    ['a,1e3', 'body[1].balance', 'whole satoshis'],
    ['a,2100000000000000\nb,1', 'body[2].balance', '21,000,000'],
    ['a', 'body[1]', 'has 1 columns'],
    [',1', 'body[1].customer_id', '1 to 200'],
    [' a,1', 'body[1].customer_id', 'space'],
    ['customer_id,balance', 'body[1]', 'at least one customer'],
    ['"a,1', 'body[1]', 'quotation marks'],
  ])('refuses %j at %s', (csv, field, reason) => {
    expect(() => parseLiabilities(csv)).toThrow(reason);
    try {
      parseLiabilities(csv);
    } catch (error) {
      expect((error as { details: object }).details).toMatchObject({ field });
    }
  });
});
