/** Which acquired bitcoin a disposal is of, and what that gains (docs/compliance.md). Money in units of the last decimal of the prices. */
import { formatBtc } from '../amount.ts';
import { DomainError } from '../errors.ts';
import { createHeap } from './heap.ts';
import { type Identified, type LotList, wrongLot } from './lot-list.ts';
import { createLotPool, type PackedLot } from './lot-pool.ts';
import { type PriceList, worth } from './price-list.ts';

/** Of which something is left at one time: 72 bytes each. */
const MOST_LOTS = 1_000_000;

export const METHODS = ['fifo', 'lifo', 'hifo'] as const;
export type Method = (typeof METHODS)[number];
/** As the uploaded lots name them. */
export const SPECIFIC = 'specific';

/** In the order of the chain. */
export interface Acquired {
  readonly txid: string;
  readonly at: number;
  readonly sats: bigint;
}
/** `sats` with the network fee, `forSats` of them for something: the rest, the fee, brings nothing. */
export interface Disposed extends Acquired {
  readonly forSats: bigint;
}

/** A part of a disposal, of one lot; `lot` null: of more than was ever acquired. null: there is no price. */
export interface DisposedPart {
  readonly lot: Acquired | null;
  readonly sats: bigint;
  readonly proceeds: bigint | null;
  readonly cost: bigint | null;
  /** By a line of the uploaded lots. */
  readonly isNamed: boolean;
}

/** What falls to the first `part` of `whole`: parts taken one after another come to `value` exactly. */
const shareOf = (value: bigint | null, part: bigint, whole: bigint): bigint | null =>
  value === null ? null : (2n * value * part + whole) / (2n * whole);
const less = (value: bigint | null, before: bigint | null): bigint | null =>
  value === null || before === null ? null : value - before;

/**
 * `method`: which lot comes first where `identified` names none; null: all are to be named. An identified lot is taken in its turn, whatever
 * was taken before.
 */
export function createTaxLots(deps: {
  readonly method: Method | null;
  readonly identified?: LotList | undefined;
  readonly prices: Pick<PriceList, 'indexAt' | 'price'>;
}) {
  const { method, identified = new Map<string, Identified[]>(), prices } = deps;
  const pool = createLotPool();
  const amountOf = (index: number): bigint => (index < 0 ? -1n : prices.price(index));
  const priceAt = (at: number): bigint | null => {
    const index = prices.indexAt(at);
    return index < 0 ? null : prices.price(index);
  };
  const isOlder = (one: number, other: number) => pool.place(one) < pool.place(other);
  /** Of lots of one price the oldest comes first, and lots without a price come last. */
  const first: Readonly<Record<Method, (one: number, other: number) => boolean>> = {
    fifo: isOlder,
    lifo: (one, other) => isOlder(other, one),
    hifo: (one, other) => {
      const [price, against] = [amountOf(pool.price(one)), amountOf(pool.price(other))];
      return price === against ? isOlder(one, other) : price > against;
    },
  };
  const lots = createHeap(first[method ?? 'fifo']);
  /** Those of which lines tell. null: not acquired yet; -1: nothing is left. */
  const named = new Map<string, number | null>();
  for (const { lot } of [...identified.values()].flat()) named.set(lot, null);

  /** What the next `taken` of a lot cost. */
  function costOf({ sats, price }: PackedLot, left: bigint, taken: bigint): bigint | null {
    const cost = price < 0 ? null : worth(sats, prices.price(price));
    const before = sats - left;
    return less(shareOf(cost, before + taken, sats), shareOf(cost, before, sats));
  }
  function top(): number | undefined {
    for (let lot = lots.top(); lot !== undefined && pool.left(lot) === 0n; lot = lots.top()) {
      lots.pop();
      const { txid } = pool.get(lot);
      if (named.has(txid)) named.set(txid, -1);
      pool.free(lot);
    }
    return lots.top();
  }
  /** The lot that a line names. */
  function lotOf({ line, lot: txid, sats }: Identified, most: bigint): number {
    const lot = named.get(txid) ?? null;
    if (lot === null) throw wrongLot(line, 'names a lot that was not acquired before: see acquired_txid of a report');
    const left = lot < 0 ? 0n : pool.left(lot);
    if (sats > left)
      throw wrongLot(line, `takes ${formatBtc(sats)} BTC of a lot of which ${formatBtc(left)} BTC are left`);
    if (sats > most)
      throw wrongLot(line, `takes ${formatBtc(sats)} BTC, of which ${formatBtc(most)} BTC remain to be disposed of`);
    return lot;
  }
  /** Which lots it takes, one after another; null: there is none. */
  function* choices({ txid, sats }: Disposed): Generator<[lot: number | null, sats: bigint, isNamed: boolean]> {
    let rest = sats;
    for (const line of identified.get(txid) ?? []) {
      yield [lotOf(line, rest), line.sats, true];
      rest -= line.sats;
    }
    identified.delete(txid);
    while (rest > 0n) {
      const lot = top() ?? null;
      if (lot !== null && method === null)
        throw new DomainError(
          'invalid_value',
          `the lots name none for ${formatBtc(rest)} of ${formatBtc(sats)} BTC that ${txid} disposes of: add lines, or say \`otherwise\``,
          { field: 'lots' },
        );
      const left = lot === null ? rest : pool.left(lot);
      const taken = left > rest ? rest : left;
      yield [lot, taken, false];
      rest -= taken;
    }
  }

  /** Lots of which something is left. */
  let open = 0;
  return {
    /** Throws `too_large`. */
    acquire(acquired: Acquired): void {
      if (open >= MOST_LOTS)
        throw new DomainError('too_large', `something is left of more than ${MOST_LOTS} lots: ask by wallets`);
      const lot = pool.add({ ...acquired, price: prices.indexAt(acquired.at) });
      lots.push(lot);
      open++;
      if (named.has(acquired.txid)) named.set(acquired.txid, lot);
    },
    /** Its parts, in the order in which lots are taken. Throws what is wrong with a line that names them. */
    *dispose(disposed: Disposed): Generator<DisposedPart> {
      const { at, sats, forSats } = disposed;
      const price = priceAt(at);
      const proceeds = price === null ? null : worth(forSats, price);
      let done = 0n;
      for (const [id, taken, isNamed] of choices(disposed)) {
        const part = less(shareOf(proceeds, done + taken, sats), shareOf(proceeds, done, sats));
        done += taken;
        const lot = id === null ? null : pool.get(id);
        const cost = id === null || lot === null ? null : costOf(lot, pool.left(id), taken);
        if (id !== null) pool.take(id, taken);
        if (id !== null && pool.left(id) === 0n) open--;
        yield { lot, sats: taken, proceeds: part, cost, isNamed };
      }
    },
    /** What is left of the lots, one after another; they are taken out. Throws where a line names what disposed of nothing. */
    *rest(): Generator<DisposedPart> {
      for (const [{ line }] of identified.values() as Iterable<[Identified]>)
        throw wrongLot(
          line,
          'names a transaction that disposes of nothing in these wallets before the end of the report',
        );
      for (let id = top(); id !== undefined; id = top()) {
        const [lot, left] = [pool.get(id), pool.left(id)];
        pool.take(id, left);
        yield { lot, sats: left, proceeds: null, cost: costOf(lot, left, left), isNamed: false };
      }
    },
  };
}
