/** Payments on a SQLite file, with a node that takes everything: what benches of payments share. Part of them, no bench by itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import type { Gate } from '../../src/services/policies/gate.ts';
import { createTextCipher } from '../../src/services/secrets/text-cipher.ts';
import { createTravelRules } from '../../src/services/travel-rule/travel-rules.ts';
import type { Store } from '../../src/store/store.ts';
import { heldOver } from '../builders/gate.ts';

const TIP = { height: 1_000, hash: '0'.repeat(64), time: 1_700_000_000 };

export type Paying = Awaited<ReturnType<typeof openPaying>>;

/** Of the sources of a checkout. `gateOf`: the gate over its store, which is a SQLite file unless one is given. The same names give the same wallets. */
export async function openPaying(checkout: string, name: string, gateOf: (store: Store) => Gate, given?: Store) {
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

  const randomBytes = bytesFrom(name);
  const random = randomFrom(name);
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const path = join(folder, 'db');
  const store = given ?? (await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now }));
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
  const gate = gateOf(store);
  const common = {
    store,
    chain,
    clock: Date.now,
    randomBytes,
    log: silent,
    computing,
    gate,
    held: heldOver(store, gate),
    travelRules: createTravelRules({ store, cipher: createTextCipher(randomBytes(32), randomBytes), clock: Date.now }),
  };
  const wallets = createWalletService({
    ...{ ...common, pool, box, keyProvider, network: 'regtest', allowMainnetHotWallets: false },
    onScanQueued() {},
  });
  const { transactions } = createTransactions({
    ...{ ...common, scripts: pool, spendingHalt: () => null, onTip: () => () => {} },
    openKeyRing: keys.createOpenKeyRing({ box }),
    openOwnSigner: keys.createOpenOwnSigner({ box }),
    openOwnAccount: keys.createOpenOwnAccount({ box }),
  });
  const accountId = 'acc_growth' as const;
  const context = () => requestContext({ accountId, idempotency: null });
  await store.write((tx) => tx.accounts.insert(accountRecord(accountId)));

  return {
    ...{ store, path, accountId },
    /** One with so many coins; what it answers makes a payment from it, to an address of its own unless said. */
    async wallet(size: number) {
      const { wallet } = await wallets.create({ name: `${size}`, type: 'segwit', backupType: 'none' }, context());
      const { walletId } = wallet;
      const model = pool.model(wallet);
      for (let from = 0; from < size; from += 5_000) {
        const coins = Array.from({ length: Math.min(5_000, size - from) }, (_, n) =>
          coinRecord(`${size} ${from + n}`, {
            ...{ accountId, walletId, index: from + n, height: 1 + random.below(900) },
            scriptPubKey: model.scriptAt(false, from + n).scriptPubKey,
            amountSats: BigInt(1_000 + random.below(2 ** (10 + random.below(17)))),
          }),
        );
        await store.write((tx) => tx.ledger.insertCoins(coins));
      }
      return {
        walletId,
        async pay(address = model.scriptAt(true, 900).address): Promise<void> {
          const amount = BigInt(100_000 + random.below(20_000_000));
          const made = await transactions.create(
            { recipients: [{ address, amount }], rbf: true, walletId, feeRate: 3_000n as never },
            { dryRun: false },
            context(),
          );
          if (made.status !== 'broadcast') throw new Error(made.status);
        },
      };
    },
    async close(): Promise<void> {
      await computing.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
