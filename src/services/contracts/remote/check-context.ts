/** What messages are checked against: the network, and where the chain stands. */
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { CheckContext } from '../../../core/dlc/contract/contract-checks.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import type { Network } from '../../../core/network.ts';

/** What a contract's own request may ask for. */
export const FEE_RATE_LIMITS = { leastSatVb: 1n, mostSatVb: 10_000n } as const;

export type MakeCheckContext = (dialect: Dialect) => Promise<CheckContext>;

/** Asks the chain each time; throws `node_unavailable`, `node_syncing`. */
export function createCheckContext(deps: {
  chain: Pick<ChainSource, 'info' | 'header'>;
  network: Network;
}): MakeCheckContext {
  return async (dialect) => {
    const { bestBlockHash, height } = await deps.chain.info();
    const header = await deps.chain.header(bestBlockHash);
    return { ...timeless(deps.network, dialect), tip: header && { height, medianTime: header.medianTime } };
  };
}

/** Of a contract that stands: its locktimes may be over. */
export const timeless = (network: Network, dialect: Dialect): CheckContext => ({
  network,
  dialect,
  feeRateLimits: FEE_RATE_LIMITS,
  tip: null,
});
