import { describe, expect, it } from 'vitest';
import type { ChainInfo, MempoolInfo } from '../../../src/chain/chain-source.ts';
import { createBlockchainStatus } from '../../../src/services/blockchain/blockchain-status.ts';
import type { Store } from '../../../src/store/store.ts';

describe('seconds_to_tip', () => {
  it('follows the pace of the last five minutes, through a reorganization, a stop and a clock that is set back', async () => {
    let [now, height] = [1_000_000, 100];
    const status = createBlockchainStatus({
      clock: () => now,
      chain: {
        kind: 'simulated',
        info: async () => ({ height: 1_000, headers: 1_100 }) as ChainInfo,
        mempoolInfo: async () => ({}) as MempoolInfo,
        node: async () => ({ peers: null, verificationProgress: null, warnings: [] }),
      },
      store: { read: { ledger: { tip: async () => ({ height }) } } } as unknown as Pick<Store, 'read'>,
    });
    const afterwards = async (seconds: number, at: number) => {
      now += seconds * 1000;
      height = at;
      return (await status.status()).follower.secondsToTip;
    };
    expect(await afterwards(0, 100)).toBe(null);
    expect(await afterwards(10, 200)).toBe(90);
    expect(await afterwards(10, 150)).toBe(380);
    expect(await afterwards(10, 250)).toBe(170);
    expect(await afterwards(400, 250)).toBe(null);
    expect(await afterwards(10, 260)).toBe(840);
    expect(await afterwards(-300, 270)).toBe(null);
    expect(await afterwards(10, 1_100)).toBe(0);
  });
});
