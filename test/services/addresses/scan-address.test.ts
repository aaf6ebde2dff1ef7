import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedChain, type SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { isStale } from '../../../src/services/addresses/manage-address-scans.ts';
import { scanAddress } from '../../../src/services/addresses/scan-address.ts';
import type { AddressScanRecord } from '../../../src/store/repositories/address-scans.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { collectedLog } from '../../secrets/collected.ts';

const SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
let chain: SimulatedChain;
let app: TestApp;

beforeAll(async () => {
  chain = await createSimulatedChain({ clock: Date.now, randomBytes, log: collectedLog() });
  app = await startTestApp({ chain });
  await chain.mine(5, SCRIPT);
  await app.synced();
});
afterAll(async () => {
  await app.close();
  await chain.close();
});

/** Kept as failed, so that nobody else works on it. */
async function scanned(scanId: string, at: { height: number; hash: string } | null, source: SimulatedChain = chain) {
  const scan = {
    ...{
      scanId,
      accountId: app.accountId,
      address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      scriptPubKey: SCRIPT,
    },
    ...{ state: 'failed', fromHeight: 0, toHeight: 5, error: null, restarts: 0, createdAt: 1, finishedAt: null },
    ...{ atHeight: at?.height ?? null, atHash: at?.hash ?? null },
  } as AddressScanRecord;
  const { store } = app.app;
  await store.write((tx) => tx.addressScans.insert(scan));
  const deps = { store, chain: source, clock: () => 1, randomBytes };
  const outcome = await scanAddress(deps, scan, new AbortController().signal, () => false);
  const { data } = await store.read.addressScans.entries(scan, { limit: 10, offset: 0 });
  const { state } = (await store.read.addressScans.find(app.accountId, scanId))!;
  return { outcome, found: data.length, state };
}
const LOST = 'ff'.repeat(32);

describe('a scan of an address', () => {
  it('begins anew where its last block left the chain, within and at the end', async () => {
    for (const [scanId, height] of [
      ['scn_a', 2],
      ['scn_b', 5],
    ] as const)
      expect(await scanned(scanId, { height, hash: LOST })).toEqual({ outcome: 'restart', found: 0, state: 'failed' });
  });

  it('writes nothing of a block that is not in the chain as it is followed', async () => {
    const other = Object.create(chain) as SimulatedChain;
    other.blocks = async (hashes) => (await chain.blocks(hashes)).map((block) => ({ ...block, hash: LOST as never }));
    expect(await scanned('scn_c', null, other)).toEqual({ outcome: 'later', found: 0, state: 'failed' });
    expect(await scanned('scn_d', null)).toEqual({ outcome: 'done', found: 5, state: 'done' });
  });

  it('is stale where another block stands at its height', async () => {
    const scan = { state: 'done', atHeight: 5, atHash: LOST } as AddressScanRecord;
    const { read } = app.app.store;
    const { bestBlockHash } = await chain.info();
    expect(await isStale(read, scan)).toBe(true);
    expect(await isStale(read, { ...scan, atHash: bestBlockHash })).toBe(false);
    expect(await isStale(read, { ...scan, state: 'running' })).toBe(false);
  });
});
