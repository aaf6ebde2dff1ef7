import type { Txid } from '../../core/outpoint.ts';

/** A process that does not follow the chain keeps no more than these. */
const MOST_KEPT = 10_000;

/** Payments that this process sends and writes down whole: the mempool has nothing to tell of them. */
export interface OwnSends {
  /** Before it is sent. Answers what says how it went: true where a node has it and all that follows from that is written. */
  begin(txid: Txid): (written: boolean) => void;
}

/** What the follower asks: a payment that is written need not be fetched, matched and compared with what is there. */
export interface FollowedSends extends OwnSends {
  isEmpty(): boolean;
  /** Being sent, or written: not to be looked at now. The next look at the whole mempool takes what was being sent and is not written. */
  covers(txid: Txid): boolean;
  /** Those written by now. Whoever is in no mempool at this look may come back another time, and is looked at then. */
  takeWritten(): ReadonlySet<Txid>;
  /** Others watch what they pay by now, perhaps: all are looked at. */
  forget(): void;
}

export function createOwnSends(): FollowedSends {
  const underWay = new Set<Txid>();
  let written = new Set<Txid>();

  return {
    begin(txid) {
      underWay.add(txid);
      return (whole) => {
        // Not there: it was forgotten meanwhile.
        if (!underWay.delete(txid) || !whole) return;
        if (written.size >= MOST_KEPT) written = new Set();
        written.add(txid);
      };
    },
    isEmpty: () => underWay.size + written.size === 0,
    covers: (txid) => underWay.has(txid) || written.has(txid),
    takeWritten() {
      const taken = written;
      written = new Set();
      return taken;
    },
    forget() {
      underWay.clear();
      written.clear();
    },
  };
}
