/** Alice's side of a contract on the simulated chain, with one key in the place of the two that guard its funding output. */
import type { SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import type { Outpoint, Txid } from '../../../src/core/outpoint.ts';
import type { TransactionRecord } from '../../../src/store/records.ts';
import type { ContractPatch, ContractRecord } from '../../../src/store/repositories/contract-rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { transactionRecord } from '../../builders/store-records.ts';
import { testKey } from '../../builders/test-key.ts';
import { type HdSpend, hdWallet } from '../ledger/hd-wallet.ts';
import { fundStranger, NOBODY, openWorld, pay, stranger } from '../ledger/world.ts';

export const BTC = 100_000_000n;
const COLLATERAL = 200_000n;
const FUNDING = COLLATERAL + 1_000n;
const bothKeys = testKey('both funding keys');
const place = (index: number) => ({ change: false, index, address: `bcrt1qplace${index}` });

/** A confirmed coin of Alice's, the contract that it is to fund (`signed`), and what can become of that. */
export async function trackedContract(options: { store?: Store; contract?: ContractPatch; graceMs?: number } = {}) {
  const world = await openWorld<SimulatedChain>({
    ...(options.store ? { store: options.store } : {}),
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
  const strangers = await fundStranger(world.chain, 3);
  const accountId = await world.addAccount('alice');
  const keys = hdWallet('alice');
  const wallet = await world.addWallet(accountId, keys);
  await world.begin();
  const deposit = pay(strangers[0]!, keys.script(0), BTC);
  await world.broadcast(deposit.raw);
  await world.chain.mine(1, NOBODY);
  await world.settle();
  const coin = { txid: deposit.txid as Txid, vout: 0, amountSats: BTC, change: false, index: 0 };
  const { store } = world;
  const { read } = store;

  const funding = keys.spend(
    [coin],
    [
      { script: bothKeys.script, amountSats: FUNDING },
      { script: keys.script(0, true), amountSats: BTC - FUNDING - 500n },
    ],
  );
  const fundingCoin = { txid: funding.txid, vout: 0, amountSats: FUNDING };
  const closing = (offerSats: bigint, locktime: number, sequence = 0xffffffff) =>
    bothKeys.spend({
      coins: [fundingCoin],
      locktime,
      sequence,
      outputs: [
        { script: keys.script(7), amountSats: offerSats },
        { script: stranger.script, amountSats: COLLATERAL - offerSats },
      ].filter(({ amountSats }) => amountSats > 0n),
    });
  const { height } = (await read.ledger.tip())!;
  const refundLocktime = height + 1;

  const record: ContractRecord = contractRecord('ctr_tracked', {
    accountId,
    status: 'signed',
    role: 'offerer',
    offerSide: {
      walletId: wallet.walletId,
      fundingKey: { change: false, index: 3 },
      payout: place(7),
      change: place(0),
      inputs: [],
    },
    fundingTxid: funding.txid,
    fundingVout: 0,
    refundLocktime,
    ...options.contract,
  });
  await store.write((tx) => tx.contracts.insert(record));

  return {
    world,
    accountId,
    keys,
    wallet,
    coin: coin satisfies Outpoint,
    strangers,
    funding,
    /** yes: all to Alice; no: nothing. */
    cets: { yes: closing(COLLATERAL, 0), no: closing(0n, 0) },
    refund: closing(COLLATERAL / 2n, refundLocktime, 0xfffffffe),
    /** Something else that both keys have signed. */
    agreed: closing(COLLATERAL / 4n, 0),
    /** Of the same coin, to somebody else. */
    doubleSpend: keys.spend([coin], [{ script: stranger.script, amountSats: BTC - 40_000n }]),
    contract: () => read.contracts.find(accountId, record.contractId).then((found) => found!),
    record: (txid: string) => read.transactions.find(accountId, txid as Txid),
    balance: () => world.balance(wallet),
    /** As the contract's driver commits it: coins claimed, nothing sent. `raw: null`: the counterparty's to complete. */
    async commitFunding(more: Partial<TransactionRecord> = {}) {
      await store.write(async (tx) => {
        await tx.coins.claim(accountId, [coin], funding.txid);
        await tx.transactions.insert(
          transactionRecord('funding', {
            accountId,
            txid: funding.txid,
            unsignedTxid: funding.txid,
            walletId: wallet.walletId,
            kind: 'funding',
            status: 'signed',
            raw: funding.raw,
            ...more,
          }),
          [{ vin: 0, prev: coin }],
          [{ walletId: wallet.walletId, receivedSats: 0n, sentSats: BTC }],
        );
      });
    },
    /** A CET or refund of ours, committed before it is sent. */
    async commitClosing(
      { txid, raw }: { txid: string; raw: Uint8Array },
      kind: 'cet' | 'refund' | 'cooperative_close',
      patch: ContractPatch,
    ) {
      await store.write(async (tx) => {
        await tx.transactions.insert(
          transactionRecord(txid, {
            accountId,
            txid: txid as Txid,
            unsignedTxid: txid as Txid,
            walletId: wallet.walletId,
            kind,
            status: 'signed',
            direction: 'incoming',
            raw,
          }),
          [{ vin: 0, prev: { txid: funding.txid, vout: 0 } }],
          [],
        );
        await tx.contracts.update(accountId, record.contractId, { closingTxid: txid as Txid, ...patch });
      });
    },
    commit: (spend: HdSpend, more: Parameters<typeof world.commitOwn>[2]) => world.commitOwn(wallet, spend, more),
    async send(...transactions: readonly { raw: Uint8Array }[]) {
      for (const { raw } of transactions) await world.broadcast(raw);
      await world.settle();
    },
    async mine(count = 1) {
      await world.chain.mine(count, NOBODY);
      await world.settle();
    },
    async mineOnly(...transactions: readonly { raw: Uint8Array }[]) {
      await world.chain.mineTransactions(transactions.map(({ raw }) => raw));
      await world.settle();
    },
    /** "funded", "-confirmed" where that takes back; with the outcome where there is one. */
    async story(): Promise<string[]> {
      await store.write((tx) => tx.events.number(10_000));
      const events = await read.events.after(0n, 10_000);
      return events
        .filter((event) => event.channel === 'contracts')
        .map((event) => {
          const { status, outcome } = JSON.parse(event.data);
          const text = outcome === null ? status : `${status} ${outcome}`;
          return event.retractsSeq === null ? text : `-${text}`;
        });
    },
  };
}
