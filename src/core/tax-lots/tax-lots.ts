/** Which acquired bitcoin a disposal is of, and what that gains (docs/compliance.md). Money in units of the last decimal of the prices. */
import { createHeap } from './heap.ts';
import { worth } from './price-list.ts';

export const METHODS = ['fifo', 'lifo', 'hifo'] as const;
export type Method = (typeof METHODS)[number];

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

export function createTaxLots(method: Method, priceAt: (at: number) => bigint | null) {
  const lots = createHeap<Lot>(FIRST[method]);
  let place = 0;
  const costUpTo = ({ cost, sats, left }: Lot, taken: bigint) => shareOf(cost, sats - left + taken, sats);

  return {
    acquire(acquired: Acquired): void {
      const price = priceAt(acquired.at);
      const cost = price === null ? null : worth(acquired.sats, price);
      lots.push({ ...acquired, place: place++, price, cost, left: acquired.sats });
    },
    /** Its parts, in the order in which lots are taken. */
    *dispose({ at, sats, forSats }: Disposed): Generator<DisposedPart> {
      const price = priceAt(at);
      const proceeds = price === null ? null : worth(forSats, price);
      for (let done = 0n; done < sats; ) {
        const lot = lots.top();
        const rest = sats - done;
        const taken = lot === undefined || lot.left > rest ? rest : lot.left;
        const part = less(shareOf(proceeds, done + taken, sats), shareOf(proceeds, done, sats));
        const cost = lot === undefined ? null : less(costUpTo(lot, taken), costUpTo(lot, 0n));
        done += taken;
        if (lot !== undefined) {
          lot.left -= taken;
          if (lot.left === 0n) lots.pop();
        }
        yield { lot: lot ?? null, sats: taken, proceeds: part, cost };
      }
    },
    /** What is left of the lots, one after another; they are taken out. */
    *rest(): Generator<DisposedPart> {
      for (let lot = lots.pop(); lot !== undefined; lot = lots.pop())
        yield { lot, sats: lot.left, proceeds: null, cost: less(lot.cost, costUpTo(lot, 0n)) };
    },
  };
}
