/**
 * Blocks per second of the follower catching up on a real regtest node (raw blocks fetched, matched against 100,000 watched scripts and
 * their coins, written to SQLite), against fetching the same raw blocks in the same pipeline and doing nothing, in turns in one run.
 *
 *   node test/bench/follower.ts [small blocks] [full blocks] [rounds]
 */
import { randomBytes } from 'node:crypto';
import { address, Transaction } from 'bitcoinjs-lib';
import { pino } from 'pino';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { blocksAhead } from '../../src/chain/follower/blocks-ahead.ts';
import { createFollower } from '../../src/chain/follower/index.ts';
import { parseBlockTransactions } from '../../src/core/blocks/block.ts';
import { newId } from '../../src/core/ids.ts';
import type { BlockHash } from '../../src/core/outpoint.ts';
import { createLedger } from '../../src/services/ledger/ledger.ts';
import { createScriptPool } from '../../src/services/wallets/database-script-pool.ts';
import type { Store } from '../../src/store/store.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { accountRecord } from '../builders/store-records.ts';
import { openTemporarySqlite } from '../builders/stores.ts';
import { testKey } from '../builders/test-key.ts';

const WATCHED = 100_000;
const TRANSACTIONS = 4_000;
/** Of a full block's transactions, one in this many pays a watched script. */
const OURS_EVERY = 2_000;
const log = pino({ level: 'silent' });
const miner = testKey('bench miner');

const watched = Array.from({ length: WATCHED }, (_, i) => {
  const hash = Buffer.alloc(20);
  hash.writeUInt32LE(i + 1, 0);
  return Buffer.concat([Buffer.from('0014', 'hex'), hash]);
});

/**
 * Blocks of about 0.5 MB: 4,000 transactions of one input and two outputs, of which two pay us. The inputs are outputs that anyone may
 * spend, made in a block before, so that nothing needs signing.
 */
async function mineFull(node: TestNode, chain: ChainSource, coinbases: readonly string[]): Promise<void> {
  const anyone = Buffer.of(0x51);
  const fans: Transaction[] = [];
  for (const hash of coinbases) {
    const [coinbase] = parseBlockTransactions((await chain.block(hash as never))!.bytes);
    const coin = { txid: coinbase!.txid, vout: 0, amountSats: coinbase!.outputs[0]!.amountSats };
    const outputs = Array.from({ length: TRANSACTIONS }, () => ({ script: anyone, amountSats: 3_000n }));
    fans.push(miner.spend({ coins: [coin], outputs }).transaction);
  }
  for (const fan of fans) await node.rpc('generateblock', 'raw(51)', [fan.toHex()]);
  for (const [n, fan] of fans.entries()) {
    const fanHash = fan.getHash();
    const raws = fan.outs.map((_, vout) => {
      const spend = new Transaction();
      spend.version = 2;
      spend.addInput(fanHash, vout);
      const script = vout % OURS_EVERY === 0 ? watched[(n * 2 + vout / OURS_EVERY) % WATCHED]! : foreignScript();
      spend.addOutput(script, 1_000n);
      spend.addOutput(foreignScript(), 1_000n);
      return spend.toHex();
    });
    await node.rpc('generateblock', 'raw(51)', raws);
  }
}

const foreignScript = () => Buffer.concat([Buffer.from('0014', 'hex'), randomBytes(20)]);

async function watchScripts(store: Store): Promise<void> {
  const accountId = newId('acc', randomBytes);
  const walletId = newId('wal', randomBytes);
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord(accountId, { name: 'bench' }));
    await tx.wallets.insert({
      walletId,
      accountId,
      name: 'bench',
      externalId: null,
      type: 'watch-only',
      backupType: 'none',
      network: 'regtest',
      fingerprint: null,
      externalDescriptor: 'none',
      internalDescriptor: null,
      secret: null,
      isDefault: false,
      birthdayHeight: 0,
      nextExternalIndex: 0,
      nextInternalIndex: 0,
      scan: { state: 'idle', fromHeight: null, atHeight: null, toHeight: null, error: null },
      transactionCount: 0,
      archivedAt: null,
      createdAt: 0,
    });
    for (let i = 0; i < WATCHED; i += 1_000) {
      await tx.scripts.insertMissing(
        watched.slice(i, i + 1_000).map((script, j) => ({
          walletId,
          accountId,
          scriptPubKey: script.toString('hex'),
          change: false,
          index: i + j,
          address: `script ${i + j}`,
          label: null,
          reservedAt: 0,
          usedAt: null,
        })),
      );
    }
  });
}

async function fetchAlone(chain: ChainSource, from: number, to: number): Promise<number> {
  const start = performance.now();
  for await (const batch of blocksAhead(chain, from, to)) void batch;
  return performance.now() - start;
}

/** The chain as it was when another block was its tip. */
function asOf(chain: ChainSource): ChainSource & { show(height: number): Promise<void> } {
  let tip = { height: 0, bestBlockHash: '' as BlockHash };
  return {
    ...chain,
    info: async () => ({ ...(await chain.info()), ...tip }),
    async show(height) {
      tip = { height, bestBlockHash: (await chain.blockHashAt(height))! };
    },
  };
}

async function follow(source: ChainSource, from: number, to: number) {
  const chain = asOf(source);
  await chain.show(from - 1);
  const { store, close } = await openTemporarySqlite();
  await watchScripts(store);
  const pool = createScriptPool({ store, clock: Date.now });
  // The scripts stand for reserved addresses: using them moves no gap.
  const ledger = createLedger({
    store,
    scriptPool: { ...pool, topUp: async () => [] },
    network: 'regtest',
    clock: Date.now,
  });
  const hash = (await chain.blockHashAt(from - 1))!;
  const { height, prevHash, time, medianTime } = (await chain.header(hash))!;
  await ledger.begin([{ height, hash, prevHash, time, medianTime }]);
  const follower = createFollower({ chain, store, sink: ledger, clock: Date.now, randomBytes, log, pollMs: 1_000 });
  const beforeLoad = performance.now();
  follower.start();
  // What is watched is loaded once, at the start; then it stands at the block before, and the others come.
  await follower.refreshMempool();
  while (follower.status().lag !== 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await follower.refreshMempool();
  const loaded = performance.now() - beforeLoad;
  const there = new Promise<void>((resolve) => follower.onTip((tip) => tip.height === to && resolve()));
  await chain.show(to);
  const start = performance.now();
  follower.wake();
  await there;
  const took = performance.now() - start;
  const { watchingBytes } = follower.status();
  await follower.stop();
  await close();
  return { took, loaded, watchingBytes };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function compare(name: string, chain: ChainSource, from: number, to: number, rounds: number): Promise<void> {
  const alone: number[] = [];
  const followed: number[] = [];
  const loading: number[] = [];
  let watchingBytes = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push(await fetchAlone(chain, from, to));
    const one = await follow(chain, from, to);
    followed.push(one.took);
    loading.push(one.loaded);
    watchingBytes = one.watchingBytes;
  }
  const perSecond = (ms: number) => ((to - from + 1) / ms) * 1_000;
  const [fetching, following] = [perSecond(median(alone)), perSecond(median(followed))];
  console.log(
    `${name.padEnd(28)} fetching alone ${fetching.toFixed(0).padStart(6)} blocks/s   follower ${following.toFixed(0).padStart(6)} blocks/s` +
      `   ${(following / fetching).toFixed(2)} of it   (watching ${(watchingBytes / 1e6).toFixed(1)} MB, loaded at the start in ${median(loading).toFixed(0)} ms)`,
  );
}

const small = Number(process.argv[2] ?? 10_000);
const full = Number(process.argv[3] ?? 60);
const rounds = Number(process.argv[4] ?? 5);
const node = await startTestNode({ wallet: false });
const chain = createBitcoindSource({
  rpcUrl: node.rpcUrl,
  cookieFile: node.cookieFile,
  zmqUrls: [],
  network: 'regtest',
  log,
});
try {
  // First, while a block still pays enough for 4,000 outputs.
  const coinbases = await node.mine(full, address.toBech32(miner.script.slice(2), 0, 'bcrt'));
  for (let mined = 0; mined < small; mined += 500) await node.mine(Math.min(500, small - mined));
  await mineFull(node, chain, coinbases);
  const { height } = await chain.info();
  console.log(`${WATCHED} watched scripts, medians of ${rounds} rounds`);
  await compare(`${small} small blocks`, chain, 1, small, rounds);
  await compare(`${full} blocks of 4,000 payments`, chain, height - full + 1, height, rounds);
} finally {
  await chain.close();
  await node.stop();
}
