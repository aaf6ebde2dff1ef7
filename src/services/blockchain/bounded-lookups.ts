/** Questions about single outputs and transactions, of which one request may ask a thousand: few at a time, so that payments are not kept waiting. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';

export type Lookups = Pick<ChainSource, 'utxo' | 'transaction'>;

/** Of the eight connections to a node, so that half are left to payments and the follower. */
const AT_ONCE = 4;
/** In milliseconds, for the turn of one question. */
const LONGEST_WAIT = 10_000;

/**
 * The same questions to the source, in turn, for all who share it. Throws `node_unavailable` for one whose turn does not come in time:
 * it is no answer of the source, which `unavailable` may be.
 */
export function boundedLookups(chain: Lookups, { atOnce = AT_ONCE, longestWait = LONGEST_WAIT } = {}): Lookups {
  let free = atOnce;
  const waiting = new Set<() => void>();

  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(busy());
      }, longestWait);
      waiting.add(begin);
    });

  async function inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else await turn();
    try {
      return await ask();
    } finally {
      // Who waits longest takes the place over.
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    }
  }

  return {
    utxo: (outpoint) => inTurn(() => chain.utxo(outpoint)),
    transaction: (txid) => inTurn(() => chain.transaction(txid)),
  };
}

const busy = (): DomainError =>
  new DomainError('node_unavailable', 'too many outputs are being looked up on the chain just now: ask again later', {
    retryAfterSeconds: 5,
  });
