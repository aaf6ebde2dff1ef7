import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { createFollower, type Follower } from '../../../src/chain/follower/index.ts';
import { createSimulatedChain, type SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { parseBlockTransactions } from '../../../src/core/blocks/block.ts';
import { isOffered } from '../../../src/core/events/channels.ts';
import { type AccountId, newId } from '../../../src/core/ids.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { createLedger } from '../../../src/services/ledger/ledger.ts';
import { transactionEvent } from '../../../src/services/ledger/transaction-event.ts';
import { createScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import type { CoinRecord, TransactionRecord, WalletRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { testKey } from '../../builders/test-key.ts';
import { collectedLog } from '../../secrets/collected.ts';
import { type HdCoin, type HdSpend, type HdWallet, hdWallet } from './hd-wallet.ts';

export const stranger = testKey('stranger');
export const NOBODY = `0014${'00'.repeat(20)}`;
const log = collectedLog();

export type World = Awaited<ReturnType<typeof openWorld<SimulatedChain>>>;

export interface OpenWorld<C extends ChainSource> {
  chain?: C;
  store?: Store;
  /** Follow from the genesis block instead of the tip. */
  fromGenesis?: boolean;
  start?: boolean;
  graceMs?: number;
}

/** A simulated chain, a SQLite store, and a follower with the real ledger between them. */
export async function openWorld<C extends ChainSource = SimulatedChain>(options: OpenWorld<C> = {}) {
  const chain = (options.chain ?? (await createSimulatedChain({ clock: Date.now, randomBytes, log }))) as C;
  if (!options.chain) onTestFinished(() => chain.close());
  let { store } = options;
  if (!store) {
    const temporary = await openTemporarySqlite();
    onTestFinished(temporary.close);
    store = temporary.store;
  }
  const { read } = store;
  const scriptPool = createScriptPool({ store, clock: Date.now });
  const ledger = createLedger({ store, scriptPool, network: 'regtest', clock: Date.now });
  let follower = newFollower();

  function newFollower(): Follower {
    return createFollower({
      chain,
      store: store!,
      sink: ledger,
      clock: Date.now,
      randomBytes,
      log,
      pollMs: 1_000,
      graceMs: options.graceMs ?? 0,
    });
  }
  async function stop() {
    await follower.stop();
  }
  function start() {
    follower = newFollower();
    follower.start();
  }
  async function step() {
    follower.wake();
    await follower.pause(async () => {});
    // The next pause is not to be served along with this one.
    await new Promise((resolve) => setImmediate(resolve));
  }
  /** Until what the chain says now is in the database. */
  async function settle() {
    for (const latest = performance.now() + 60_000; performance.now() < latest; ) {
      // The first pause may be served by a step under way; after the second a whole one has been made.
      await step();
      await step();
      const tip = await read.ledger.tip();
      if (tip?.hash !== (await chain.info()).bestBlockHash) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      await step();
      await step();
      return;
    }
    throw new Error(`the follower does not get to the tip: ${JSON.stringify(follower.status())}`);
  }

  async function addAccount(name: string): Promise<AccountId> {
    const accountId = newId('acc', randomBytes);
    await store!.write((tx) => tx.accounts.insert(accountRecord(accountId, { name })));
    return accountId;
  }
  async function addWallet(accountId: AccountId, hd: HdWallet): Promise<WalletRecord> {
    const wallet: WalletRecord = {
      walletId: newId('wal', randomBytes),
      accountId,
      name: hd.name,
      externalId: null,
      type: 'segwit',
      backupType: 'none',
      network: 'regtest',
      fingerprint: hd.fingerprint,
      externalDescriptor: hd.descriptors.external,
      internalDescriptor: hd.descriptors.internal,
      secret: null,
      isDefault: false,
      birthdayHeight: 0,
      nextExternalIndex: 0,
      nextInternalIndex: 0,
      scan: { state: 'idle', fromHeight: null, atHeight: null, toHeight: null, error: null },
      transactionCount: 0,
      archivedAt: null,
      createdAt: Date.now(),
    };
    await store!.write(async (tx) => {
      await tx.wallets.insert(wallet);
      await scriptPool.topUp(tx, wallet, false);
      await scriptPool.topUp(tx, wallet, true);
    });
    return wallet;
  }

  return {
    chain,
    store,
    ledger,
    follower: () => follower,
    stop,
    start,
    step,
    settle,
    addAccount,
    addWallet,
    async begin() {
      if (options.fromGenesis) {
        const hash = (await chain.blockHashAt(0))!;
        const { height, prevHash, time, medianTime } = (await chain.header(hash))!;
        await ledger.begin([{ height, hash, prevHash, time, medianTime }]);
      }
      follower.start();
      onTestFinished(stop);
      await settle();
    },
    /** A payment as the transaction service commits it: signed bytes kept, coins claimed, own change there, nothing sent yet. */
    async commitOwn(
      wallet: WalletRecord,
      spend: HdSpend,
      more: { replaces?: Txid; kind?: TransactionRecord['kind']; own?: Partial<CoinRecord>[] } = {},
    ) {
      await store!.write(async (tx) => {
        const replacing = more.replaces ? [more.replaces] : [];
        const refused = await tx.coins.claim(wallet.accountId, spend.inputs as never, spend.txid, replacing);
        if (refused.length > 0) throw new Error(`not free: ${JSON.stringify(refused)}`);
        const record: Omit<TransactionRecord, 'ordinal'> = {
          accountId: wallet.accountId,
          txid: spend.txid,
          unsignedTxid: spend.txid,
          walletId: wallet.walletId,
          kind: more.kind ?? 'payment',
          status: 'signed',
          direction: 'outgoing',
          raw: spend.raw,
          psbt: null,
          recipients: [],
          amountSats: 1n,
          feeSats: 1n,
          vsize: 100,
          version: 2,
          locktime: 0,
          inputCount: 1,
          ancestorFeeSats: 0n,
          rbf: true,
          blockHeight: null,
          blockHash: null,
          replaces: more.replaces ?? null,
          replacedBy: null,
          label: null,
          externalId: null,
          reason: null,
          policy: null,
          counts: null,
          asked: null,
          approvalId: null,
          createdAt: Date.now(),
          updatedAt: Date.now(),
        };
        await tx.transactions.insert(
          record,
          spend.inputs.map((prev, vin) => ({ vin, prev: prev as never })),
          [{ walletId: wallet.walletId, receivedSats: 0n, sentSats: 1n }],
        );
        await tx.events.append(transactionEvent(record));
      });
      return spend;
    },
    async broadcast(raw: Uint8Array): Promise<void> {
      const verdict = await chain.broadcast(raw);
      if (verdict.result === 'refused') throw new Error(`refused: ${verdict.reason}`);
    },
    record: (wallet: WalletRecord, txid: string) => read.transactions.find(wallet.accountId, txid as Txid),
    async balance(wallet: WalletRecord) {
      const tip = await read.ledger.tip();
      return read.coins.balance(wallet.accountId, wallet.walletId, tip!.height);
    },
    /** Spendable as the tests sign: amount, branch and index with it. */
    async coins(wallet: WalletRecord): Promise<(HdCoin & CoinRecord)[]> {
      const page = await read.coins.list(wallet.accountId, wallet.walletId, {}, { limit: 100, offset: 0 });
      return page.data;
    },
    /** What deposit.detected events tell, in order. */
    async deposits(): Promise<object[]> {
      const events = await read.events.after(0n, 10_000);
      return events.filter(({ channel }) => channel === 'deposits').map(({ data }) => JSON.parse(data));
    },
    /** "broadcast", "confirmed 103", "block 103", with "-" before what is taken back; in order. */
    async story(wallet: WalletRecord, about: readonly string[] = []): Promise<string[]> {
      await store!.write((tx) => tx.events.number(10_000));
      const events = await read.events.after(0n, 10_000);
      return events
        .filter(({ channel }) => isOffered(channel))
        .filter((event) => event.accountId === null || event.accountId === wallet.accountId)
        .map((event) => ({ ...event, data: JSON.parse(event.data) }))
        .filter(({ data }) => about.length === 0 || about.includes(data.txid))
        .map(({ channel, data, retractsSeq }) => {
          const text =
            channel === 'blocks'
              ? `block ${data.height}`
              : `${data.status}${data.block_height === null ? '' : ` ${data.block_height}`}`;
          return retractsSeq === null ? text : `-${text}`;
        });
    },
  };
}

/** A stranger with mature coins of 50 BTC each, who pays and double-spends. */
export async function fundStranger(chain: SimulatedChain, count: number) {
  const blocks = await chain.mine(count, stranger.scriptHex);
  await chain.mine(100, NOBODY);
  const coins: { txid: string; vout: number; amountSats: bigint }[] = [];
  for (const { hash } of blocks) {
    const [coinbase] = parseBlockTransactions((await chain.block(hash))!.bytes);
    coins.push({ txid: coinbase!.txid, vout: 0, amountSats: coinbase!.outputs[0]!.amountSats });
  }
  return coins;
}

/** A stranger with coins, and Alice, whose wallet is followed from here on. */
export async function strangersAndAlice(coins = 3) {
  const world = await openWorld();
  const strangers = await fundStranger(world.chain, coins);
  const account = await world.addAccount('alice');
  const keys = hdWallet('alice');
  const wallet = await world.addWallet(account, keys);
  await world.begin();
  return { world, strangers, account, keys, wallet };
}

/** A stranger's payment with change. */
export function pay(
  coin: { txid: string; vout: number; amountSats: bigint },
  script: Uint8Array,
  amountSats: bigint,
  feeSats = 1_000n,
) {
  return stranger.spend({
    coins: [coin],
    outputs: [
      { script, amountSats },
      { script: stranger.script, amountSats: coin.amountSats - amountSats - feeSats },
    ],
  });
}
