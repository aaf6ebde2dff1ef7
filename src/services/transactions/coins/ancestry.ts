/**
 * Mempool ancestry of our own unconfirmed transactions from what the database holds, so that payments that no node has taken yet count
 * too, and what our other payments built on the same ancestors already pays for them. What strangers built on our outputs is unknown
 * here; the node's verdict covers it.
 */
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { AncestorTransaction } from '../../../core/coin-selection/candidate.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { Repositories } from '../../../store/store.ts';
import { isUnconfirmed } from '../transaction-states.ts';

/** The most that hang together in a mempool (Bitcoin Core's cluster limit): a walk that gets here need not go on. */
const WALK_LIMIT = 64;
/** Deposits whose fees the chain source is asked for; those of the most valuable coins come first. */
const MAX_ASKED = 20;

interface Node extends AncestorTransaction {
  readonly txid: Txid;
  readonly parents: readonly Txid[];
  /** Its bytes and its fee are known here, so that what it pays for its ancestors counts. */
  readonly lifts: boolean;
}

/** A transaction built in the same batch and not committed yet. */
export type PendingNode = Omit<Node, 'lifts'>;

export interface AncestryDependencies {
  readonly transactions: Pick<Repositories['transactions'], 'find' | 'inputs' | 'children'>;
  /** Says what deposits pay; without it they count as paying nothing. */
  readonly chain?: Pick<ChainSource, 'mempoolEntry'>;
}

/** Remembers what it read: for the length of one payment. */
export function createAncestryLookup(
  { transactions, chain }: AncestryDependencies,
  accountId: AccountId,
  /** `without`: transactions that are to be replaced, which count no more. */
  { pending = [], without = [] }: { pending?: readonly PendingNode[]; without?: readonly Txid[] } = {},
) {
  /** null: a record of ours that is in a block, or dead. */
  const node = remembered(load);
  const whole = remembered(isWhole);
  const ancestorsOf = remembered((txid) => walk(txid, async (at) => (await nodeOf(at))?.parents ?? []));
  const childrenOf = remembered(loadChildren);
  const descendantsOf = remembered((txid) => walk(txid, childrenOf));
  let asked = 0;

  const nodeOf = async (txid: Txid): Promise<Node | null> => {
    const found = await node(txid);
    return found === 'unknown' ? null : found;
  };

  async function load(txid: Txid): Promise<Node | null | 'unknown'> {
    const drafted = pending.find((one) => one.txid === txid);
    if (drafted) return { ...drafted, lifts: true };
    const record = await transactions.find(accountId, txid);
    if (!record) return 'unknown';
    if (!isUnconfirmed(record.status) || without.includes(txid)) return null;
    const inputs = await transactions.inputs(accountId, record.txid);
    const { feeSats, vsize } = record;
    const known: Node = {
      ...{ txid: record.txid, vsize: vsize ?? 0, feeSats: feeSats ?? 0n },
      parents: [...new Set(inputs.map((input) => input.prev.txid))],
      // What no node has taken yet lifts nothing: it may be abandoned.
      lifts: record.status === 'broadcast' && feeSats !== null && vsize !== null,
    };
    return feeSats === null ? askedOf(known) : known;
  }

  /** A deposit, as the node knows it: with all that it is built on, unless some of that is ours and counted by itself. */
  async function askedOf(deposit: Node): Promise<Node> {
    if (!chain || asked >= MAX_ASKED) return deposit;
    asked += 1;
    const entry = await chain.mempoolEntry(deposit.txid);
    if (!entry) return deposit;
    const own = await Promise.all(deposit.parents.map(nodeOf));
    if (own.some((parent) => parent !== null)) return { ...deposit, vsize: entry.vsize, feeSats: entry.feeSats };
    return { ...deposit, vsize: entry.ancestorVsize, feeSats: entry.ancestorFeesSats, parents: [] };
  }

  async function loadChildren(txid: Txid): Promise<Txid[]> {
    const records = await transactions.children(accountId, txid);
    return [...records.filter((record) => isUnconfirmed(record.status)), ...pending.filter(spends(txid))].map(
      (child) => child.txid,
    );
  }

  async function walk(start: Txid, next: (txid: Txid) => Promise<readonly Txid[]>): Promise<Node[]> {
    const seen = new Set<Txid>([start]);
    const found: Node[] = [];
    for (const txid of seen) {
      const here = await nodeOf(txid);
      if (!here) continue;
      found.push(here);
      if (found.length >= WALK_LIMIT) break;
      for (const other of await next(txid)) seen.add(other);
    }
    return found;
  }

  /** All that it is built on is known here: it pays for nothing that we do not see. */
  async function isWhole(txid: Txid): Promise<boolean> {
    const here = await node(txid);
    if (here === 'unknown') return false;
    return here === null || (await Promise.all(here.parents.map(whole))).every(Boolean);
  }

  /** What else was built on the ancestors, each with all that it is built on: as much as fits into one mempool cluster. */
  async function relativesOf(ancestors: readonly Node[], descendants: readonly Node[]): Promise<Node[]> {
    const members = new Map(ancestors.map((one) => [one.txid, one]));
    for (const { txid, lifts } of descendants) {
      if (!lifts || members.has(txid) || !(await whole(txid))) continue;
      const line = await ancestorsOf(txid);
      const more = line.filter((one) => !members.has(one.txid));
      if (line.length >= WALK_LIMIT || members.size + more.length > WALK_LIMIT) continue;
      for (const one of more) members.set(one.txid, one);
    }
    return [...members.values()].slice(ancestors.length);
  }

  return {
    /** null where the transaction is confirmed or not ours. */
    async of(txid: Txid) {
      if (!(await nodeOf(txid))) return null;
      const ancestors = await ancestorsOf(txid);
      const families = await Promise.all(ancestors.map((ancestor) => descendantsOf(ancestor.txid)));
      return {
        ancestorCount: ancestors.length,
        ancestorVsize: sumOf(ancestors),
        ancestorFeesSats: ancestors.reduce((sum, ancestor) => sum + ancestor.feeSats, 0n),
        // As in Bitcoin Core's wallet: the ancestor that has the most descendants sets how many more there may be.
        descendantCount: Math.max(...families.map((family) => family.length)),
        descendantVsize: Math.max(...families.map(sumOf)),
        transactions: ancestors,
        relatives: await relativesOf(ancestors, families.flat()),
      };
    },
  };
}

export type AncestryLookup = ReturnType<typeof createAncestryLookup>;

/** Each answer once, also while it is still being read. */
function remembered<T>(read: (txid: Txid) => Promise<T>): (txid: Txid) => Promise<T> {
  const known = new Map<Txid, Promise<T>>();
  return (txid) => {
    const answer = known.get(txid) ?? read(txid);
    known.set(txid, answer);
    return answer;
  };
}

const spends = (txid: Txid) => (one: PendingNode) => one.parents.includes(txid);
const sumOf = (found: readonly Node[]): number => found.reduce((sum, { vsize }) => sum + vsize, 0);
