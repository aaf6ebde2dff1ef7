/** Which acquired bitcoin a disposal is of, and what that gains (docs/compliance.md). Money in units of the last decimal of the prices. */
import { formatBtc } from '../amount.ts';
import { DomainError } from '../errors.ts';
import { createHeap } from './heap.ts';
import { type Identified, type LotList, wrongLot } from './lot-list.ts';
import { worth } from './price-list.ts';

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

interface Lot extends Acquired {
  readonly place: number;
  readonly price: bigint | null;
  readonly cost: bigint | null;
  left: bigint;
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

/** Of lots of one price the oldest comes first, and lots without a price come last. */
const FIRST: Readonly<Record<Method, (one: Lot, other: Lot) => boolean>> = {
  fifo: (one, other) => one.place < other.place,
  lifo: (one, other) => one.place > other.place,
  hifo: (one, other) => {
    const [price, against] = [one.price ?? -1n, other.price ?? -1n];
    return price === against ? one.place < other.place : price > against;
  },
};

/**
 * `method`: which lot comes first where `identified` names none; null: all are to be named. An identified lot is taken in its turn, whatever
 * was taken before.
 */
export function createTaxLots(deps: {
  readonly method: Method | null;
  readonly identified?: LotList | undefined;
  readonly priceAt: (at: number) => bigint | null;
}) {
  const { method, identified = new Map<string, Identified[]>(), priceAt } = deps;
  const lots = createHeap<Lot>(FIRST[method ?? 'fifo']);
  const named = new Map<string, Lot | null>();
  for (const { lot } of [...identified.values()].flat()) named.set(lot, null);
  let place = 0;
  const costUpTo = ({ cost, sats, left }: Lot, taken: bigint) => shareOf(cost, sats - left + taken, sats);

  function top(): Lot | undefined {
    while (lots.top()?.left === 0n) lots.pop();
    return lots.top();
  }
  /** The lot that a line names. */
  function lotOf({ line, lot: txid, sats }: Identified, most: bigint): Lot {
    const lot = named.get(txid) ?? null;
    if (lot === null) throw wrongLot(line, 'names a lot that was not acquired before: see acquired_txid of a report');
    if (sats > lot.left)
      throw wrongLot(line, `takes ${formatBtc(sats)} of a lot of which ${formatBtc(lot.left)} are left`);
    if (sats > most)
      throw wrongLot(line, `takes ${formatBtc(sats)}, of which ${formatBtc(most)} remain to be disposed of`);
    return lot;
  }
  /** Which lots it takes, one after another; null: there is none. */
  function* choices({ txid, sats }: Disposed): Generator<[lot: Lot | null, sats: bigint, isNamed: boolean]> {
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
      const taken = lot === null || lot.left > rest ? rest : lot.left;
      yield [lot, taken, false];
      rest -= taken;
    }
  }

  return {
    acquire(acquired: Acquired): void {
      const price = priceAt(acquired.at);
      const cost = price === null ? null : worth(acquired.sats, price);
      const lot = { ...acquired, place: place++, price, cost, left: acquired.sats };
      lots.push(lot);
      if (named.has(lot.txid)) named.set(lot.txid, lot);
    },
    /** Its parts, in the order in which lots are taken. Throws what is wrong with a line that names them. */
    *dispose(disposed: Disposed): Generator<DisposedPart> {
      const { at, sats, forSats } = disposed;
      const price = priceAt(at);
      const proceeds = price === null ? null : worth(forSats, price);
      let done = 0n;
      for (const [lot, taken, isNamed] of choices(disposed)) {
        const part = less(shareOf(proceeds, done + taken, sats), shareOf(proceeds, done, sats));
        const cost = lot === null ? null : less(costUpTo(lot, taken), costUpTo(lot, 0n));
        done += taken;
        if (lot !== null) lot.left -= taken;
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
      for (let lot = top(); lot !== undefined; lot = top()) {
        yield { lot, sats: lot.left, proceeds: null, cost: less(lot.cost, costUpTo(lot, 0n)), isNamed: false };
        lot.left = 0n;
      }
    },
  };
}
