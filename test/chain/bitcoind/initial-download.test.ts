import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBitcoindSource } from '../../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { GENESIS_HASHES } from '../../../src/chain/genesis.ts';
import { findBitcoind } from '../../../src/chain/node-finder/find-bitcoind.ts';
import { freePorts } from '../../../src/chain/node-finder/free-ports.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { testKey } from '../../builders/test-key.ts';
import { collectedLog } from '../../secrets/collected.ts';

/** A signet node without peers never leaves its initial download. */
describe('a node in initial download', () => {
  let node: ChildProcess;
  let folder: string;
  let source: ChainSource;

  beforeAll(async () => {
    const found = await findBitcoind({ env: process.env });
    if (found.binary === null) throw new Error(found.reason);
    folder = await mkdtemp(join(tmpdir(), 'ashlar-signet-'));
    const [port] = await freePorts(1);
    node = spawn(
      found.binary,
      [
        ...['-signet', `-datadir=${folder}`, '-server', '-listen=0', '-connect=0', '-dnsseed=0', '-disablewallet=1'],
        ...['-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', `-rpcport=${port}`, '-printtoconsole=0', '-txindex=1'],
      ],
      { stdio: 'ignore' },
    );
    source = createBitcoindSource({
      rpcUrl: `http://127.0.0.1:${port}`,
      cookieFile: join(folder, 'signet', '.cookie'),
      network: 'regtest',
      log: collectedLog(),
    });
    await vi.waitFor(() => source.info(), { timeout: 60_000, interval: 100 });
  });
  afterAll(async () => {
    await source?.close();
    if (node?.exitCode === null) {
      node.kill('SIGTERM');
      await once(node, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('says that it is syncing, and which network it is really on', async () => {
    expect(await source.info()).toMatchObject({
      syncing: true,
      network: 'signet',
      genesisHash: GENESIS_HASHES.signet,
      height: 0,
      capabilities: { mining: false },
    });
  });

  it('gives no verdict on a transaction whose coins it cannot know yet', async () => {
    const payment = testKey('owner').spend({ coins: [{ txid: 'ab'.repeat(32), vout: 0, amountSats: 10_000n }] });
    await expect(source.broadcast(payment.raw)).rejects.toMatchObject({ code: 'node_syncing' });
    await expect(source.testAccept(payment.raw)).rejects.toMatchObject({ code: 'node_syncing' });
  });

  it('still answers what it does know', async () => {
    expect(await source.blockHashesAt([0, 1])).toEqual([GENESIS_HASHES.signet, null]);
    expect(await source.mempoolTxids()).toEqual([]);
    expect(await source.utxo({ txid: txid('ab'.repeat(32)), vout: 0 })).toBeNull();
  });
});
