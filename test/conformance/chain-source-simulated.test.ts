import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulatedChain, type SimulatedChainOptions } from '../../src/chain/simulated/simulated-chain.ts';
import { collectedLog } from '../secrets/collected.ts';
import { type ChainHarness, describeChainSource } from './chain-source.ts';

async function open(options: Partial<SimulatedChainOptions>, after: () => void): Promise<ChainHarness> {
  const source = await createSimulatedChain({
    clock: Date.now,
    randomBytes,
    log: collectedLog(),
    ...options,
  });
  return {
    source,
    mine: async (count, scriptPubKey) => {
      await source.mine(count, scriptPubKey);
    },
    reorg: async (depth) => {
      await source.reorganize(depth);
    },
    outage: {
      begin: async () => source.setReachable(false),
      end: async () => source.setReachable(true),
    },
    async close() {
      await source.close();
      after();
    },
  };
}

describeChainSource('simulated, in memory', () => open({}, () => {}));

describeChainSource('simulated, in files', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ashlar-simulated-'));
  return open({ dataDir }, () => rmSync(dataDir, { recursive: true, force: true }));
});
