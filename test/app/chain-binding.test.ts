/** A database belongs to the chain it first saw. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bindChain, ChainRefused } from '../../src/app/chain-binding.ts';
import type { ChainInfo, ChainSource } from '../../src/chain/chain-source.ts';
import { createSimulatedChain, type SimulatedChain } from '../../src/chain/simulated/simulated-chain.ts';
import type { BlockHash } from '../../src/core/outpoint.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collectedLog } from '../secrets/collected.ts';

const log = collectedLog();
let folder: string;
let store: Store;
let chain: SimulatedChain;
let refusals: ChainRefused[];

beforeEach(async () => {
  refusals = [];
  folder = mkdtempSync(join(tmpdir(), 'ashlar-binding-'));
  store = await openSqliteStore({ path: join(folder, 'ashlar.db'), role: 'service', log, clock: Date.now });
  chain = await createSimulatedChain({ clock: Date.now, randomBytes, log });
});
afterEach(async () => {
  await chain.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const bind = (source: ChainSource) =>
  bindChain(source, {
    ...{ store, network: 'regtest', log: pino({ level: 'silent' }), clock: Date.now },
    onRefused: (refusal) => refusals.push(refusal),
  });
const seenAs = (change: Partial<ChainInfo>, kind: ChainSource['kind'] = 'simulated'): ChainSource => ({
  ...chain,
  kind: kind as 'simulated',
  info: async () => ({ ...(await chain.info()), ...change }),
});
const anotherGenesis = { genesisHash: 'ab'.repeat(32) as BlockHash };

describe('chain binding', () => {
  it('names where a node is that does not answer, in the line of its outage', async () => {
    const lines: object[] = [];
    const log_ = { warn: (facts: object) => void lines.push(facts), info: () => {} };
    chain.setReachable(false);
    const bound = bindChain(chain, {
      ...{ store, network: 'regtest', log: log_, clock: Date.now, host: 'node.internal:8332', onRefused: () => {} },
    });
    await expect(bound.check()).rejects.toThrow();
    expect(lines).toEqual([expect.objectContaining({ part: 'node', host: 'node.internal:8332' })]);
  });

  it('takes the first chain, and the same one again', async () => {
    await bind(chain).check();
    await bind(chain).check();
    expect(refusals).toEqual([]);
  });

  it('refuses another genesis block, another kind of source, another network', async () => {
    await bind(chain).check();
    await expect(bind(seenAs(anotherGenesis)).check()).rejects.toThrow(
      /follows the chain that starts with .*another DATA_DIR/,
    );
    await expect(bind(seenAs({}, 'bitcoind')).check()).rejects.toThrow(
      /first used with the chain source simulated, now it is bitcoind/,
    );
    await expect(bind(seenAs({ network: 'signet' })).check()).rejects.toThrow(
      /on signet, but BITCOIN_NETWORK is regtest/,
    );
    expect(refusals).toHaveLength(3);
  });

  it('lets no question through to a chain that is not the one', async () => {
    await bind(chain).check();
    let asked = 0;
    const wrong = bind({
      ...seenAs(anotherGenesis),
      mempoolTxids: async () => {
        asked++;
        return [];
      },
    });
    await expect(wrong.mempoolTxids()).rejects.toMatchObject({ code: 'node_unavailable' });
    await expect(wrong.mempoolTxids()).rejects.toMatchObject({ code: 'node_unavailable' });
    await expect(wrong.info()).rejects.toThrow(ChainRefused);
    expect(asked).toBe(0);
  });

  it('asks a source that was away at the start when it is back', async () => {
    chain.setReachable(false);
    const bound = bind(chain);
    await expect(bound.check()).rejects.toMatchObject({ code: 'node_unavailable' });
    await expect(bound.mempoolTxids()).rejects.toMatchObject({ code: 'node_unavailable' });
    chain.setReachable(true);
    expect(await bound.mempoolTxids()).toEqual([]);
    expect(refusals).toEqual([]);
  });

  it('stops a service whose node comes back as another chain', async () => {
    let info: Partial<ChainInfo> = {};
    const bound = bind({ ...chain, info: async () => ({ ...(await chain.info()), ...info }) });
    await bound.info();
    info = anotherGenesis;
    await expect(bound.info()).rejects.toThrow(ChainRefused);
    expect(refusals).toHaveLength(1);
    await expect(bound.broadcast(Buffer.alloc(1))).rejects.toMatchObject({ code: 'node_unavailable' });
  });
});
