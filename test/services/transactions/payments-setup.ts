/** Payments with everything real under them: a SQLite file, the simulated chain, the ledger and its follower, wallets with keys. */

import { address as addressCodec } from 'bitcoinjs-lib';
import { onTestFinished } from 'vitest';
import type { BroadcastVerdict, ChainSource } from '../../../src/chain/chain-source.ts';
import { createFollower } from '../../../src/chain/follower/index.ts';
import { createSimulatedChain, type SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { type FeeRate, parseFeeRate } from '../../../src/core/fee-rate.ts';
import type { AccountId } from '../../../src/core/ids.ts';
import { networkParameters } from '../../../src/core/network.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { PaymentRequest } from '../../../src/core/payments/payment-plan.ts';
import type { AccountRules } from '../../../src/core/policies/account-rules.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createLedger } from '../../../src/services/ledger/ledger.ts';
import type { IdempotencyClaim, RequestContext } from '../../../src/services/requests/request-context.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { createSecretBox, type SecretBox } from '../../../src/services/secrets/secret-box.ts';
import { createTextCipher } from '../../../src/services/secrets/text-cipher.ts';
import { createTransactions } from '../../../src/services/transactions/index.ts';
import type { TransactionService, TransactionView } from '../../../src/services/transactions/transaction-service.ts';
import { createTravelRules } from '../../../src/services/travel-rule/travel-rules.ts';
import { createWalletService } from '../../../src/services/wallets/create-wallet-service.ts';
import type { ScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import { createScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import {
  createOpenKeyRing,
  createOpenOwnAccount,
  createOpenOwnSigner,
} from '../../../src/services/wallets/wallet-keys.ts';
import type { WalletRecord, WalletType } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { gateOver, heldOver } from '../../builders/gate.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { type TestCoin, testKey } from '../../builders/test-key.ts';
import { seededBytes } from '../../chain/simulated/simulated-setup.ts';

export const BTC = 100_000_000n;
export const rate = (text: string): FeeRate => parseFeeRate(text);
const NOBODY = `0014${'00'.repeat(20)}`;
const miner = testKey('miner');

/** Addresses of nobody here. */
export const outsider = (name: string): string =>
  addressCodec.fromOutputScript(testKey(`outsider ${name}`).script, networkParameters('regtest'));

type Fault = (raw: Uint8Array) => BroadcastVerdict | 'unreachable' | 'pass' | Promise<BroadcastVerdict | 'pass'>;

export interface Payments {
  readonly chain: SimulatedChain;
  readonly store: Store;
  readonly accountId: AccountId;
  readonly wallets: ReturnType<typeof createWalletService>;
  readonly transactions: Process['transactions'];
  readonly broadcaster: Process['broadcaster'];
  context(options?: { accountId?: AccountId; idempotency?: IdempotencyClaim | null }): RequestContext;
  newWallet(type?: WalletType, accountId?: AccountId): Promise<WalletRecord>;
  newAddress(wallet: WalletRecord): Promise<string>;
  /** Deposits to addresses of the wallet, one each; in a block unless said. */
  fund(
    wallet: WalletRecord,
    amountsSats: readonly bigint[],
    options?: { confirm?: boolean; version?: number },
  ): Promise<Txid>;
  mine(count?: number): Promise<void>;
  /** The ledger has seen the chain and the mempool as they are. */
  settle(): Promise<void>;
  /** What stands between the service and the node when it broadcasts. */
  onBroadcast(fault: Fault): void;
  /** A service as another start of the process would have it: same database, nothing in memory. */
  restart(store?: Store): Process;
  /** Txids in the node's mempool. */
  mempool(): Promise<Txid[]>;
  balance(wallet: WalletRecord): Promise<{ confirmedSats: bigint; pendingSats: bigint; lockedSats: bigint }>;
  pay(wallet: WalletRecord, sats: bigint | 'max', more?: Partial<PaymentRequest>): PaymentRequest;
  halt(reason: string | null): void;
  /** What other services are made of. */
  readonly ground: {
    readonly box: SecretBox;
    readonly pool: ScriptPool;
    readonly seenByService: ChainSource;
    readonly clock: () => number;
    readonly randomBytes: (size: number) => Uint8Array;
    onTip(listener: () => void): () => void;
  };
}

/** No rule wants signatures approved, unless a test is about that. */
type Process = Omit<ReturnType<typeof createTransactions>, 'transactions'> & {
  readonly transactions: Omit<TransactionService, 'addSignatures'> & {
    addSignatures(...given: Parameters<TransactionService['addSignatures']>): Promise<TransactionView>;
  };
};

export async function openPayments(
  options: {
    accounts?: readonly AccountId[];
    store?: Store;
    clock?: () => number;
    rules?: (() => AccountRules) | 'stored';
  } = {},
): Promise<Payments> {
  const { clock = Date.now } = options;
  const randomBytes = seededBytes(`payments ${Math.random()}`);
  const store = options.store ?? (await temporaryStore());
  const chain = await createSimulatedChain({ clock, randomBytes, log: silent });
  const pool = createScriptPool({ store, clock });
  const keyProvider = createLocalKeyProvider({ masterKey: randomBytes(32), randomBytes });
  const box = createSecretBox({ provider: keyProvider, randomBytes });
  const travelKey = randomBytes(32);
  const ledger = createLedger({ store, scriptPool: pool, network: 'regtest', clock });
  const follower = createFollower({
    ...{ chain, store, sink: ledger, clock, randomBytes, log: silent },
    pollMs: 25,
    graceMs: 0,
  });
  const wallets = createWalletService({
    ...{ store, chain, pool, box, keyProvider, clock, randomBytes },
    held: heldOver(store, gateOver(store, options.rules, clock), clock),
    computing: computeHere({ network: 'regtest', randomBytes }),
    network: 'regtest',
    allowMainnetHotWallets: false,
    onScanQueued() {},
  });
  const accountId = 'acc_first' as const;
  for (const id of [accountId, ...(options.accounts ?? [])]) {
    await store.write((tx) => tx.accounts.insert(accountRecord(id)));
  }

  let fault: Fault = () => 'pass';
  let halted: string | null = null;
  const seenByService: ChainSource = {
    ...chain,
    async broadcast(raw) {
      const verdict = await fault(raw);
      if (verdict === 'pass') return chain.broadcast(raw);
      if (verdict !== 'unreachable') return verdict;
      chain.setReachable(false);
      try {
        return await chain.broadcast(raw);
      } finally {
        chain.setReachable(true);
      }
    },
  };
  const start = (scripts = pool, through = store): Process =>
    createTransactions({
      ...{ store: through, scripts, clock, randomBytes, log: silent },
      gate: gateOver(through, options.rules, clock),
      held: heldOver(through, gateOver(through, options.rules, clock), clock),
      travelRules: createTravelRules({ store: through, cipher: createTextCipher(travelKey, randomBytes), clock }),
      chain: seenByService,
      openKeyRing: createOpenKeyRing({ box }),
      openOwnSigner: createOpenOwnSigner({ box }),
      openOwnAccount: createOpenOwnAccount({ box }),
      computing: computeHere({ network: 'regtest', randomBytes }),
      spendingHalt: () => halted,
      onTip: (listener) => follower.onTip(listener),
      ownSends: follower.ownSends,
    }) as Process;

  const purse = await chain.mine(30, miner.scriptHex);
  await chain.mine(100, NOBODY);
  const coins: TestCoin[] = [];
  for (const { hash } of purse) {
    const coinbase = parseTransaction((await chain.block(hash))!.bytes.subarray(81));
    coins.push({ txid: coinbase.txid, vout: 0, amountSats: coinbase.outputs[0]!.amountSats });
  }
  follower.start();
  onTestFinished(async () => {
    await follower.stop();
    await chain.close();
    if (!options.store) await store.close();
  });

  const settle = async (): Promise<void> => {
    for (;;) {
      follower.wake();
      await follower.refreshMempool();
      const [info, tip] = await Promise.all([chain.info(), store.read.ledger.tip()]);
      if (tip?.hash === info.bestBlockHash) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await follower.refreshMempool();
  };
  const mine = async (count = 1): Promise<void> => {
    await chain.mine(count, NOBODY);
    await settle();
  };
  const context: Payments['context'] = ({ accountId: account = accountId, idempotency = null } = {}) =>
    requestContext({ accountId: account, idempotency });
  const newAddress = async (wallet: WalletRecord): Promise<string> =>
    (await store.write((tx) => pool.reserve(tx, wallet, false, null))).address;
  const first = start();
  await settle();

  return {
    ...{
      chain,
      store,
      accountId,
      wallets,
      context,
      mine,
      settle,
      newAddress,
      restart: (through = store) => start(createScriptPool({ store: through, clock }), through),
    },
    ...first,
    async newWallet(type = 'segwit', account = accountId) {
      const made = await wallets.create({ name: 'test', type, backupType: 'none' }, context({ accountId: account }));
      return made.wallet;
    },
    async fund(wallet, amountsSats, { confirm = true, version = 2 } = {}) {
      const outputs = [];
      let total = 0n;
      for (const amountSats of amountsSats) {
        const address = await newAddress(wallet);
        outputs.push({ script: addressCodec.toOutputScript(address, networkParameters('regtest')), amountSats });
        total += amountSats;
      }
      const used: TestCoin[] = [];
      let held = 0n;
      const feeSats = BigInt(outputs.length * 50 + 2_000);
      while (held < total + feeSats + 1_000n) {
        const coin = coins.shift();
        if (!coin) throw new Error('the miner has no coin left');
        used.push(coin);
        held += coin.amountSats;
      }
      outputs.push({ script: miner.script, amountSats: held - total - feeSats });
      const { raw, txid, coin } = miner.spend({ coins: used, outputs, version });
      const verdict = await chain.broadcast(raw);
      if (verdict.result === 'refused') throw new Error(`deposit refused: ${verdict.reason}`);
      if (confirm) {
        await mine();
        coins.push(coin(outputs.length - 1));
      } else await settle();
      return txid as Txid;
    },
    onBroadcast(next) {
      fault = next;
    },
    mempool: () => chain.mempoolTxids(),
    async balance(wallet) {
      const height = (await store.read.ledger.tip())?.height ?? 0;
      return store.read.coins.balance(wallet.accountId, wallet.walletId, height);
    },
    pay: (wallet, sats, more = {}) => ({
      recipients: [{ address: outsider('payee'), amount: sats }],
      feeRate: rate('2'),
      rbf: true,
      walletId: wallet.walletId,
      ...more,
    }),
    halt(reason) {
      halted = reason;
    },
    ground: { box, pool, seenByService, clock, randomBytes, onTip: (listener) => follower.onTip(listener) },
  };
}

async function temporaryStore(): Promise<Store> {
  const temporary = await openTemporarySqlite();
  onTestFinished(() => temporary.close());
  return temporary.store;
}
