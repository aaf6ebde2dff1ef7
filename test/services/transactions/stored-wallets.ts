/** Payments of stored wallets, as the service makes them up to the plan. */
import { afterAll, beforeAll } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { feeRate } from '../../../src/core/fee-rate.ts';
import { coinsWanted } from '../../../src/core/payments/coins-wanted.ts';
import { checkRecipients } from '../../../src/core/payments/payees.ts';
import type { PlanningJobs } from '../../../src/core/payments/planning-job.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import type { Computing } from '../../../src/engines/computing/computing.ts';
import { candidateModel } from '../../../src/services/transactions/coins/candidates.ts';
import { type CoinLeases, createCoinLeases } from '../../../src/services/transactions/coins/coin-leases.ts';
import { createUtxoSnapshots } from '../../../src/services/transactions/coins/utxo-snapshots.ts';
import { createLeaseWallet, type LeaseOptions } from '../../../src/services/transactions/coins/wallet-lease.ts';
import { planWalletPayment } from '../../../src/services/transactions/drafting/plan-wallet-payment.ts';
import type { CoinRecord } from '../../../src/store/records.ts';
import { accountRecord, coinRecord, scriptOf, scriptRecord, walletRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';
import { bytesFrom } from '../../core/coin-selection/coins.ts';

export const TIP = 1_000;
const PAYEE = `0014${'aa'.repeat(20)}`;
const CHANGE = `0014${'cc'.repeat(20)}`;

const CLAIM = coinRecord('claim').txid;

let sqlite: TemporarySqlite;
let wallets = 0;
beforeAll(async () => {
  sqlite = await openTemporarySqlite();
  await sqlite.store.write((tx) => tx.accounts.insert(accountRecord()));
});
afterAll(() => sqlite.close());

export interface Wallet {
  readonly coins: readonly CoinRecord[];
  /** Of one input; null: what a signature of ours takes. */
  readonly inputWeight: number | null;
  readonly olderBlocks: number;
}

export interface Payment {
  readonly sats: bigint | 'max';
  readonly satVb: number;
  readonly minConf: number;
  readonly payerPays: boolean;
  readonly groupByScript: boolean;
  /** Positions of coins. */
  readonly exclude: readonly number[];
  readonly include: readonly number[];
}

/** What goes on beside a payment. */
interface Meanwhile {
  /** Of the process; its own unless given. */
  readonly leases?: CoinLeases;
  readonly computing?: Computing<PlanningJobs>;
  readonly signal?: AbortSignal;
  /** Outpoints that another payment gets when the largest coins have been read. */
  readonly takenOnceRead?: string[];
  /** And that payment has ended before this one chooses. */
  readonly ended?: boolean;
  /** It claims its coins in the database, and its lease ends; until then others wait. */
  readonly commits?: boolean;
  /** How many of the largest coins were asked for, each time. */
  readonly reads?: number[];
  /** When its first search in another thread is over. */
  readonly takenOnceFound?: string[];
}

/** Leases and plans as payments do, once with parts of a wallet of more than `readWhole` coins, once with all. */
export async function stored({ coins, inputWeight, olderBlocks }: Wallet) {
  const { store } = sqlite;
  const walletId = `wal_${wallets++}` as const;
  const wallet = walletRecord(walletId, inputWeight === null ? { secret: {} as never } : { type: 'multisig' });
  await store.write(async (tx) => {
    await tx.wallets.insert(wallet);
    await tx.ledger.insertCoins(coins.map((coin) => ({ ...coin, walletId })));
  });
  const scriptType = inputWeight === null ? ('p2wpkh' as const) : ('p2wsh' as const);
  const model = {
    scriptType,
    ...(inputWeight === null ? {} : { inputWeight }),
    timelocks: () => ({ olderBlocks, afterHeight: 0 }),
  };
  const change = { ...scriptRecord(0), scriptPubKey: inputWeight === null ? CHANGE : `0020${'cc'.repeat(32)}` };
  const scripts = {
    model: () => model,
    leaseChange: async () => change,
    peekChange: async () => change,
    returnChange() {},
  } as never;

  return async (payment: Payment, looksAt: keyof typeof SIZES, seed: string, meanwhile: Meanwhile = {}) => {
    const leases = meanwhile.leases ?? createCoinLeases();
    const randomBytes = bytesFrom(seed);
    const sizes = SIZES[looksAt];
    const pool: (typeof store.read.coins)['pool'] = async (...given) => {
      const found = await store.read.coins.pool(...given);
      if (given[3].partly) meanwhile.reads?.push(given[2].largest);
      const taken = (given[3].partly && meanwhile.takenOnceRead?.splice(0)) || [];
      const lease = taken.length > 0 && leases.lease(walletId, taken);
      if (lease && meanwhile.ended) lease.release();
      return found;
    };
    const snapshots = createUtxoSnapshots({
      ...{ coins: { ...store.read.coins, pool }, leases, randomBytes },
      ...(sizes === null ? {} : { sizes }),
    });
    const leaseWallet = createLeaseWallet({ scripts, snapshots, coins: store.read.coins, leases });
    const computing = meanwhile.computing ?? computeHere({ network: 'regtest', randomBytes });
    const { signal } = meanwhile;
    const { satVb, minConf, groupByScript } = payment;
    const settings = { scriptType, ...(inputWeight === null ? {} : { inputWeight }) };
    const payees = checkRecipients([{ scriptPubKey: PAYEE, amountSats: payment.sats }], payment.payerPays ? [0] : []);
    const planning = {
      ...{ payees, minConf, groupByScript, randomBytes, rbf: true, feeRate: feeRate(BigInt(satVb * 1000)) },
      ...{ tip: { height: TIP, recent: true }, change: { ...settings, scriptPubKey: change.scriptPubKey } },
      coinControl: {
        include: payment.include.map((at) => coins[at]!),
        exclude: payment.exclude.map((at) => coins[at]!),
      },
    };
    const takesAll = payment.sats === 'max';
    const options: LeaseOptions = {
      ...{ hold: true, tipHeight: TIP, minConf, waits: meanwhile.commits === true, fresh: takesAll, most: takesAll },
      excluded: payment.exclude.length,
      near: looksAt === 'few' ? [] : coinsWanted(payees, planning.feeRate, settings),
      signal,
    };
    const lease = await leaseWallet(wallet, options);
    const source: Parameters<typeof planWalletPayment>[2] = {
      ...{ read: store.read, wallet, signal, model: candidateModel(model as never, wallet) },
      chain: { mempoolEntry: async () => null },
      computing: {
        async run(...given) {
          const found = await computing.run(...given);
          leases.lease(walletId, meanwhile.takenOnceFound?.splice(0) ?? []);
          return found;
        },
      },
    };
    try {
      const plan = await lease.coins((free) => planWalletPayment(free, planning, source));
      if (meanwhile.commits) {
        await store.write((tx) => tx.coins.claim(wallet.accountId, plan.inputs, CLAIM));
        lease.committed();
      }
      return { plan };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { refusal: { code: error.code, message: error.message, field: error.details.field } };
    }
  };
}

const SIZES = {
  /** Of a wallet of some tens of coins most are not looked at. */
  few: { readWhole: 8, largest: 3, largestUnconfirmed: 3, places: 5 },
  usual: null,
  all: { readWhole: 1_000_000, largest: 0, largestUnconfirmed: 0, places: 0 },
};

/** A wallet of coins that are confirmed, each on a script of its own. */
export function plainWallet(count: number, amountOf: (at: number) => bigint): Wallet {
  const coins = Array.from({ length: count }, (_, at) =>
    coinRecord(`plain ${count} ${at}`, {
      amountSats: amountOf(at),
      index: at,
      scriptPubKey: scriptOf(at),
      height: 500,
    }),
  );
  return { coins, inputWeight: null, olderBlocks: 0 };
}

export const plain = { minConf: 1, payerPays: false, groupByScript: true, exclude: [], include: [] };
