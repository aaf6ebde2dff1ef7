/** What messages are checked against: the network, and where the chain stands. */
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { CheckContext } from '../../../core/dlc/contract/contract-checks.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import type { Network } from '../../../core/network.ts';
import { estimatedFeeRate } from '../terms/fee-rate.ts';

/** What a contract's own request may ask for. */
const FEE_RATE_LIMITS = { leastSatVb: 1n, mostSatVb: 10_000n } as const;

/** Whoever accepts an offer pays half of its fees: more than ten times what confirms soon is no feerate but a loss. */
const TIMES_THE_ESTIMATE = 10n;
const NEVER_TOO_MUCH_SAT_VB = 100n;

export interface MakeCheckContext {
  /** Of messages that answer ours, whose feerate we chose. */
  (dialect: Dialect): Promise<CheckContext>;
  /** Of somebody's offer, before it is kept or accepted. */
  ofOffer(dialect: Dialect): Promise<CheckContext>;
}

/** Asks the chain each time; throws `node_unavailable`, `node_syncing`. */
export function createCheckContext(deps: {
  chain: Pick<ChainSource, 'info' | 'header' | 'estimateFees'>;
  network: Network;
}): MakeCheckContext {
  async function current(dialect: Dialect): Promise<CheckContext> {
    const { bestBlockHash, height } = await deps.chain.info();
    const header = await deps.chain.header(bestBlockHash);
    return { ...timeless(deps.network, dialect), tip: header && { height, medianTime: header.medianTime } };
  }

  async function mostSatVb(): Promise<bigint> {
    const estimate = await estimatedFeeRate(deps.chain);
    if (estimate === null) return FEE_RATE_LIMITS.mostSatVb;
    const most = (estimate * TIMES_THE_ESTIMATE) / 1_000n;
    if (most > FEE_RATE_LIMITS.mostSatVb) return FEE_RATE_LIMITS.mostSatVb;
    return most > NEVER_TOO_MUCH_SAT_VB ? most : NEVER_TOO_MUCH_SAT_VB;
  }

  return Object.assign(current, {
    ofOffer: async (dialect: Dialect): Promise<CheckContext> => ({
      ...(await current(dialect)),
      feeRateLimits: { ...FEE_RATE_LIMITS, mostSatVb: await mostSatVb() },
    }),
  });
}

/** Of messages by themselves, whenever it is. */
export const timeless = (network: Network, dialect: Dialect): CheckContext => ({
  network,
  dialect,
  feeRateLimits: FEE_RATE_LIMITS,
  tip: null,
});

/** Of a contract that was agreed on: its locktimes may be over. */
export const agreed = (network: Network, dialect: Dialect): CheckContext => ({
  ...timeless(network, dialect),
  stands: true,
});
