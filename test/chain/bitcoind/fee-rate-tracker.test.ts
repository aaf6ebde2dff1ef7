import { describe, expect, it } from 'vitest';
import { createFeeRateTracker } from '../../../src/chain/bitcoind/fee-rate-tracker.ts';
import type { RpcCall, RpcClient, RpcOutcome } from '../../../src/chain/bitcoind/rpc-client.ts';
import { RpcError } from '../../../src/chain/bitcoind/rpc-error.ts';

const id = (index: number) => index.toString(16).padStart(64, '0');

/** A node with a mempool of `size` equal transactions; `gone` ones left between the list and the question. */
function nodeWith(size: number, gone = new Set<string>()) {
  const asked = { lists: 0, entries: 0 };
  let failing = false;
  const answer = ({ method, params }: RpcCall): RpcOutcome => {
    if (method === 'getrawmempool') {
      asked.lists++;
      return { result: Array.from({ length: size }, (_, index) => id(index)), error: null };
    }
    asked.entries++;
    const txid = params?.[0] as string;
    if (gone.has(txid)) return { result: null, error: new RpcError(method, -5, 'Transaction not in mempool') };
    return { result: { vsize: 100, fees: { base: '0.00000500' }, depends: [] }, error: null };
  };
  const rpc: Pick<RpcClient, 'batch'> = {
    async batch(calls) {
      if (failing) throw new Error('away');
      return calls.map(answer);
    },
  };
  return {
    asked,
    rpc: rpc as RpcClient,
    setFailing(value: boolean) {
      failing = value;
    },
  };
}

describe('createFeeRateTracker', () => {
  it('asks once for many readers, and for each transaction once', async () => {
    const node = nodeWith(1_200, new Set([id(7)]));
    const distribution = createFeeRateTracker(node.rpc);
    const answers = await Promise.all(Array.from({ length: 50 }, distribution));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toEqual({ bands: [{ feeRate: 5_000n, vsize: 119_900 }], complete: true });
    expect(node.asked).toEqual({ lists: 1, entries: 1_200 });
    await expect.poll(() => distribution().then(() => node.asked.lists)).toBe(2);
    // Only the one that had not answered.
    expect(node.asked.entries).toBe(1_201);
  });

  it('shares no failure with whoever asks next', async () => {
    const node = nodeWith(1);
    const distribution = createFeeRateTracker(node.rpc);
    node.setFailing(true);
    await expect(distribution()).rejects.toThrow('away');
    node.setFailing(false);
    expect((await distribution()).bands.length).toBe(1);
  });
});
