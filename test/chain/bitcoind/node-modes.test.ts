import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBitcoindSource } from '../../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { type BlockHash, txid } from '../../../src/core/outpoint.ts';
import { startTestNode, type TestNode } from '../../builders/regtest-node.ts';
import { testKey } from '../../builders/test-key.ts';
import { collectedLog } from '../../secrets/collected.ts';

const owner = testKey('owner');

/** A pruned node keeps no transaction index: what it cannot know is said, not guessed. */
describe('a pruned node without indexes', () => {
  let node: TestNode;
  let source: ChainSource;

  beforeAll(async () => {
    node = await startTestNode({
      wallet: false,
      extraArgs: ['-txindex=0', '-blockfilterindex=0', '-prune=1', '-fastprune'],
    });
    source = createBitcoindSource({
      rpcUrl: node.rpcUrl,
      cookieFile: node.cookieFile,
      network: 'regtest',
      log: collectedLog(),
    });
    await node.rpc('generatetodescriptor', 1000, `raw(${owner.scriptHex})`);
    await node.rpc('pruneblockchain', 600);
  });
  afterAll(async () => {
    await source?.close();
    await node?.stop();
  });

  it('tells from which height it has blocks', async () => {
    const { prunedBelow, capabilities } = await source.info();
    expect(prunedBelow).toBeGreaterThan(100);
    expect(prunedBelow).toBeLessThanOrEqual(601);
    expect(capabilities).toMatchObject({ blockFilters: false, anyTransaction: false });
    const [lost, kept] = await source.blockHashesAt([prunedBelow - 1, prunedBelow]);
    await expect(source.block(lost!)).rejects.toMatchObject({
      code: 'source_incapable',
      message: expect.stringMatching(/pruned/),
    });
    await expect(source.blocks([lost!])).rejects.toMatchObject({ code: 'source_incapable' });
    expect(await source.block(kept!)).toMatchObject({ height: prunedBelow });
    expect(await source.header(lost!)).toMatchObject({ height: prunedBelow - 1 });
  });

  it('has no filters to search by', async () => {
    expect(await source.matchingBlocks([owner.scriptHex], 0, 900)).toBeNull();
  });

  it('cannot tell whether a transaction outside its mempool exists', async () => {
    await expect(source.transaction(txid('ab'.repeat(32)))).rejects.toMatchObject({ code: 'no_index' });
  });

  it('does not call a missing input final, because its parent may be anywhere', async () => {
    const block = await node.rpc<{ tx: string[] }>('getblock', await node.rpc('getblockhash', 800));
    const coin = { txid: block.tx[0]!, vout: 0, amountSats: 12n };
    const orphan = owner.spend({ coins: [{ ...coin, txid: 'cd'.repeat(32) }], feeSats: 1n });
    expect(await source.broadcast(orphan.raw)).toMatchObject({ result: 'refused', final: false });
  });
});

describe('a node with indexes', () => {
  let node: TestNode;
  let source: ChainSource;

  beforeAll(async () => {
    node = await startTestNode({ wallet: false });
    source = createBitcoindSource({
      rpcUrl: node.rpcUrl,
      cookieFile: node.cookieFile,
      network: 'regtest',
      log: collectedLog(),
    });
    await source.mine(150, owner.scriptHex);
  });
  afterAll(async () => {
    await source?.close();
    await node?.stop();
  });

  it('runs block scans one after another and answers each its own', async () => {
    const strangers = Array.from({ length: 300 }, (_, index) => testKey(`stranger ${index}`).scriptHex);
    const [all, none, again] = await Promise.all([
      source.matchingBlocks([owner.scriptHex], 1, 150),
      source.matchingBlocks(strangers, 1, 150),
      source.matchingBlocks([...strangers, owner.scriptHex], 100, 120),
    ]);
    expect(all).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
    expect(none!.length).toBeLessThan(5);
    expect(again).toEqual(Array.from({ length: 21 }, (_, index) => index + 100));
  });

  it('answers a scan without scripts, or of no blocks, with no blocks', async () => {
    expect(await source.matchingBlocks([], 0, 150)).toEqual([]);
    expect(await source.matchingBlocks([owner.scriptHex], 10, 9)).toEqual([]);
  });

  it('keeps mined blocks when the node is killed', async () => {
    await source.mine(2, owner.scriptHex);
    const { height, bestBlockHash } = await source.info();
    process.kill(node.pid, 'SIGKILL');
    await node.restart();
    expect(await source.info()).toMatchObject({ height, bestBlockHash });
  });

  it('is pushed to again after the node has restarted', async () => {
    const listening = createBitcoindSource({
      rpcUrl: node.rpcUrl,
      cookieFile: node.cookieFile,
      zmqUrls: node.zmqUrls,
      network: 'regtest',
      log: collectedLog(),
    });
    let blocks = 0;
    listening.onNotification(({ type }) => {
      if (type === 'block') blocks += 1;
    });
    const notifiedByMining = () => listening.mine(1, owner.scriptHex).then(() => blocks > 0);
    await expect.poll(notifiedByMining).toBe(true);
    await node.restart();
    blocks = 0;
    await expect.poll(notifiedByMining).toBe(true);
    await listening.close();
  });

  it('refuses to mine where the configured network is not regtest', async () => {
    const other = createBitcoindSource({
      rpcUrl: node.rpcUrl,
      cookieFile: node.cookieFile,
      network: 'signet',
      log: collectedLog(),
    });
    await expect(other.mine(1, owner.scriptHex)).rejects.toMatchObject({ code: 'forbidden' });
    // The mismatch itself shows in what the node says of itself.
    expect((await other.info()).network).toBe('regtest');
    await other.close();
  });

  it('answers null for the block of a hash that is no block', async () => {
    expect(await source.block('ff'.repeat(32) as BlockHash)).toBeNull();
    await expect(source.blocks(['ff'.repeat(32) as BlockHash])).rejects.toMatchObject({ code: 'unavailable' });
  });
});
