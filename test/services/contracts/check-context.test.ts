import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { createCheckContext } from '../../../src/services/contracts/remote/check-context.ts';

const most = async (estimate: bigint | 'unavailable') => {
  const chain = {
    info: async () => ({ height: 7, bestBlockHash: 'aa' }) as never,
    header: async () => ({ medianTime: 5 }) as never,
    estimateFees: async () => new Map([[6, estimate as FeeRate | 'unavailable']]),
  };
  const context = createCheckContext({ chain, network: 'regtest' });
  return [
    (await context.ofOffer('tagged')).feeRateLimits.mostSatVb,
    (await context('tagged')).feeRateLimits.mostSatVb,
  ] as const;
};

describe('the feerate of an offer', () => {
  it('may be ten times what the node estimates, or 100 sat/vB; answers to our own offers have ours', async () => {
    expect(await most(30_000n)).toEqual([300n, 10_000n]);
    expect(await most(1_000n)).toEqual([100n, 10_000n]);
    expect(await most(9_999_000n)).toEqual([10_000n, 10_000n]);
    expect(await most('unavailable')).toEqual([10_000n, 10_000n]);
  });
});
