/**
 * A payment by the number of its wallet's coins: CPU of the process and of the serving thread for each payment, and the longest that it
 * holds that thread, one at a time and 32 at once, on SQLite with a node that takes everything. Run: node test/bench/payment-growth.ts
 * [CHECKOUT…]: of each checkout, in turn, for comparison; COINS=1000,10000 for other numbers
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { gateOver } from '../builders/gate.ts';
import { calibrated, measured } from '../builders/worst/thread-cpu.ts';

const SIZES = (process.env.COINS ?? '1000,10000,30000,100000').split(',').map(Number);
const ROUNDS = 8;
const AT_ONCE = 32;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const TIP = { height: 1_000, hash: '0'.repeat(64), time: 1_700_000_000 };

async function growth(checkout: string): Promise<void> {
  const of = async <M>(path: string): Promise<M> => import(new URL(path, `${pathToFileURL(checkout)}/`).href);
  const { openSqliteStore } = await of<typeof import('../../src/store/sqlite/sqlite-store.ts')>(
    'src/store/sqlite/sqlite-store.ts',
  );
  const { createScriptPool } = await of<typeof import('../../src/services/wallets/database-script-pool.ts')>(
    'src/services/wallets/database-script-pool.ts',
  );
  const { createTransactions } = await of<typeof import('../../src/services/transactions/index.ts')>(
    'src/services/transactions/index.ts',
  );
  const { createWalletService } = await of<typeof import('../../src/services/wallets/create-wallet-service.ts')>(
    'src/services/wallets/create-wallet-service.ts',
  );
  const keys = await of<typeof import('../../src/services/wallets/wallet-keys.ts')>(
    'src/services/wallets/wallet-keys.ts',
  );
  const secrets = await of<typeof import('../../src/services/secrets/secret-box.ts')>(
    'src/services/secrets/secret-box.ts',
  );
  const { createLocalKeyProvider } = await of<typeof import('../../src/services/secrets/local-key-provider.ts')>(
    'src/services/secrets/local-key-provider.ts',
  );
  const { openComputing } = await of<typeof import('../../src/app/open-computing.ts')>('src/app/open-computing.ts');
  const { accountRecord, coinRecord } = await of<typeof import('../builders/store-records.ts')>(
    'test/builders/store-records.ts',
  );
  const { requestContext } = await of<typeof import('../builders/request-context.ts')>(
    'test/builders/request-context.ts',
  );
  const { silent } = await of<typeof import('../builders/stores.ts')>('test/builders/stores.ts');
  const { bytesFrom, randomFrom } = await of<typeof import('../core/coin-selection/coins.ts')>(
    'test/core/coin-selection/coins.ts',
  );

  const randomBytes = bytesFrom('growth');
  const random = randomFrom('growth');
  const folder = mkdtempSync(join(tmpdir(), 'growth-'));
  const store = await openSqliteStore({ path: join(folder, 'db'), role: 'service', log: silent, clock: Date.now });
  const chain = {
    info: async () => ({ height: TIP.height, headers: TIP.height, bestBlockHash: TIP.hash, syncing: false }),
    mempoolInfo: async () => ({ minFeeRate: 1_000n, minRelayFeeRate: 1_000n, incrementalRelayFeeRate: 1_000n }),
    header: async () => TIP,
    mempoolEntry: async () => null,
    broadcast: async () => ({ result: 'accepted' }),
  } as unknown as ChainSource;
  const pool = createScriptPool({ store, clock: Date.now });
  const keyProvider = createLocalKeyProvider({ masterKey: randomBytes(32), randomBytes });
  const box = secrets.createSecretBox({ provider: keyProvider, randomBytes });
  const computing = openComputing({ network: 'regtest', randomBytes });
  const common = { store, chain, clock: Date.now, randomBytes, log: silent, computing };
  const wallets = createWalletService({
    ...{ ...common, gate: gateOver(store), pool, box, keyProvider, network: 'regtest', allowMainnetHotWallets: false },
    onScanQueued() {},
  });
  const { transactions } = createTransactions({
    ...{ ...common, scripts: pool, gate: gateOver(store), spendingHalt: () => null, onTip: () => () => {} },
    openKeyRing: keys.createOpenKeyRing({ box }),
    openOwnSigner: keys.createOpenOwnSigner({ box }),
    openOwnAccount: keys.createOpenOwnAccount({ box }),
  });
  const accountId = 'acc_growth';
  const context = () => requestContext({ accountId, idempotency: null });
  await store.write((tx) => tx.accounts.insert(accountRecord(accountId)));

  for (const size of SIZES) {
    const { wallet } = await wallets.create({ name: `${size}`, type: 'segwit', backupType: 'none' }, context());
    const model = pool.model(wallet);
    for (let from = 0; from < size; from += 5_000) {
      const coins = Array.from({ length: Math.min(5_000, size - from) }, (_, n) =>
        coinRecord(`${size} ${from + n}`, {
          ...{ accountId, walletId: wallet.walletId, index: from + n, height: 1 + random.below(900) },
          scriptPubKey: model.scriptAt(false, from + n).scriptPubKey,
          amountSats: BigInt(1_000 + random.below(2 ** (10 + random.below(17)))),
        }),
      );
      await store.write((tx) => tx.ledger.insertCoins(coins));
    }
    const pay = async () => {
      const amount = BigInt(100_000 + random.below(20_000_000));
      const request = { recipients: [{ address: model.scriptAt(true, 900).address, amount }], rbf: true };
      const made = await transactions.create(
        { ...request, walletId: wallet.walletId, feeRate: 3_000n as never },
        { dryRun: false },
        context(),
      );
      if (made.status !== 'broadcast') throw new Error(made.status);
    };
    const times = async (atOnce: number) => {
      const perPayment: { thread: number; all: number; longest: number }[] = [];
      for (let round = 0; round < (atOnce === 1 ? ROUNDS : 1); round++) {
        const before = process.cpuUsage();
        const { longestMs, totalMs } = await measured(() => Promise.all(Array.from({ length: atOnce }, pay)));
        const { user, system } = process.cpuUsage(before);
        perPayment.push({ thread: totalMs / atOnce, all: (user + system) / 1_000 / atOnce, longest: longestMs });
        // A snapshot of the coins is not kept so long.
        await new Promise((resolved) => setTimeout(resolved, 250));
      }
      const median = (of: 'thread' | 'all' | 'longest') =>
        perPayment
          .map((one) => one[of])
          .toSorted((a, b) => a - b)
          [perPayment.length >> 1]!.toFixed(1)
          .padStart(8);
      return `${median('thread')} ${median('all')} ${median('longest')}`;
    };
    // Compiled, and the worker started.
    if (size === SIZES[0]) for (let i = 0; i < 20; i++) await pay();
    console.log(`${`${size}`.padStart(7)} | ${await times(1)} | ${await times(AT_ONCE)}`);
  }
  console.log(`what may hold the thread takes ${calibrated().toFixed(1)} ms here`);
  await computing.close();
  await store.close();
  rmSync(folder, { recursive: true });
}

const [first, ...others] = process.argv.slice(2);
if (first === '--one') await growth(others[0]!);
else {
  for (const checkout of [first, ...others].map((path) => resolve(path ?? HERE))) {
    console.log(
      `${checkout}\n  coins | one: thread, process, longest ms | ${AT_ONCE} at once, each: thread, process, longest ms`,
    );
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--one', checkout], { stdio: 'inherit' });
  }
}
