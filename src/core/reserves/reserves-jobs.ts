/** What the worker threads do for reports of reserves. */
import { ofField } from '../address-book/csv.ts';
import { formatBtc } from '../amount.ts';
import { hex } from '../bytes.ts';
import { leavesOf, parseLiabilities } from './liabilities.ts';
import { proveFunds } from './prove-funds.ts';
import { growTree, leafNode, packTree, rootOfTop, topOf } from './sum-tree.ts';

/** Of a report; `seed`: 32 bytes in hex. */
export interface SeededLiabilities {
  readonly csv: string;
  readonly seed: string;
}

/** Throws as parseLiabilities does. */
function plantTree({ csv, seed }: SeededLiabilities) {
  const leaves = leavesOf(parseLiabilities(csv), Buffer.from(seed, 'hex'));
  const tree = growTree(leaves.map(leafNode));
  const { root, totalSats, count } = rootOfTop(topOf(tree), leaves.length);
  return {
    /** What the report says of them. */
    said: { root: hex(root), total: formatBtc(totalSats), customers: count },
    /** In the order of the leaves, a line each (an id has no control characters): a hundred thousand strings would hold up whoever takes them. */
    customerIds: leaves.map(({ customerId }) => customerId).join('\n'),
    tree: packTree(tree),
  };
}

/** Throws what is wrong with them, before they are kept. */
const checkLiabilities = ({ csv }: { readonly csv: string }): number =>
  ofField('liabilities', () => parseLiabilities(csv).length);

export const reservesJobs = {
  'reserves.check': checkLiabilities,
  'reserves.plant': plantTree,
  'reserves.prove': proveFunds,
};
export type ReservesJobs = typeof reservesJobs;
