/** Questions about single outputs and transactions, of which one request may ask a thousand: few at a time, accounts in turn, so that neither payments nor others are kept waiting. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import { type Asker, createFairQueue } from '../../scheduling/fair-queue.ts';

export type Lookups = Pick<ChainSource, 'utxo' | 'transaction'>;

export interface FairLookups {
  /**
   * The same questions to the source, for this account. Throws `node_unavailable` for one whose turn does not come in time: it is no answer
   * of the source, which `unavailable` may be.
   */
  of(asker: Pick<Asker, 'accountId' | 'signal'>): Lookups;
}

/** Of the eight connections to a node, so that half are left to payments and the follower. */
const AT_ONCE = 4;
/** Of one account: one is left to the others. */
const OF_ACCOUNT = 3;
/** In milliseconds, for the turn of one question. */
const MAX_WAIT = 10_000;

export function fairLookups(
  chain: Lookups,
  { atOnce = AT_ONCE, ofAccount = OF_ACCOUNT, longestWait = MAX_WAIT } = {},
): FairLookups {
  const queue = createFairQueue({ all: atOnce, ofAccount, waitMs: longestWait, busy });
  return {
    of: ({ accountId, signal }) => ({
      utxo: (outpoint) => queue.take({ accountId, signal }, () => chain.utxo(outpoint)),
      transaction: (txid) => queue.take({ accountId, signal }, () => chain.transaction(txid)),
    }),
  };
}

const busy = (): DomainError =>
  new DomainError(
    'node_unavailable',
    'too many outputs are being looked up on the chain for this account just now: ask again later',
    { retryAfterSeconds: 5 },
  );
