/** Two processes on one PostgreSQL: an index goes to one of them. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import type { KeyProvider } from '../../../src/services/secrets/key-provider.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { createSecretBox } from '../../../src/services/secrets/secret-box.ts';
import { createWalletService } from '../../../src/services/wallets/create-wallet-service.ts';
import { createScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import { encryptBackup } from '../../../src/services/wallets/wallet-backup.ts';
import type { WalletService } from '../../../src/services/wallets/wallet-service.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { gateOver, heldOver } from '../../builders/gate.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';

const CONTEXT = requestContext();

describe('the script pool of two processes', () => {
  let postgres: TemporaryPostgres;
  let stores: Store[];
  let services: WalletService[];
  let wallet: WalletRecord;
  let keyProvider: KeyProvider;

  beforeAll(async () => {
    postgres = await withPostgres();
    const url = await postgres.newTables();
    const open = () => openPostgresStore({ url, log: silent, clock: Date.now });
    stores = [await open(), await open()];
    await stores[0]!.write((tx) => tx.accounts.insert(accountRecord('acc_one', { name: 'one' })));
    keyProvider = createLocalKeyProvider({ masterKey: new Uint8Array(32).fill(1), randomBytes });
    const unreachable = () => Promise.reject(new DomainError('node_unavailable', 'no node here'));
    services = stores.map((store) =>
      createWalletService({
        store,
        held: heldOver(store, gateOver(store)),
        chain: {
          info: async () => ({ height: 0, prunedBelow: 0 }) as never,
          blockHashAt: unreachable,
          header: unreachable,
        },
        pool: createScriptPool({ store, clock: Date.now }),
        box: createSecretBox({ provider: keyProvider, randomBytes }),
        keyProvider,
        computing: computeHere({ network: 'regtest', randomBytes }),
        network: 'regtest',
        allowMainnetHotWallets: false,
        clock: Date.now,
        randomBytes,
        onScanQueued: () => {},
      }),
    );
    wallet = (await services[0]!.create({ name: 'Both', type: 'segwit', backupType: 'none' }, CONTEXT)).wallet;
  });
  afterAll(async () => {
    for (const store of stores ?? []) await store.close();
    await postgres?.stop();
  });

  it('reserves every address once', async () => {
    const reserve = (service: WalletService) =>
      service.reserveAddress(wallet.walletId, { change: false, label: null }, CONTEXT);
    const taken = await Promise.all(Array.from({ length: 30 }, (_, i) => reserve(services[i % 2]!)));
    expect(taken.map(({ script }) => script.index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, i) => i),
    );
    expect(await stores[0]!.read.scripts.highestIndex('acc_one', wallet.walletId, false)).toBe(49);
  });

  it('restores a server-bound backup once, also if both are asked at the same time', async () => {
    const externalDescriptor = wallet.externalDescriptor.replace('/0/*', '/7/*').replace(/#.*/, '');
    const contents = { ...wallet, externalDescriptor, internalDescriptor: null, seed: null, labels: '' };
    const protection = { passphrase: null, provider: keyProvider, randomBytes, whose: CONTEXT };
    const { jwe } = await encryptBackup({ ...contents, type: 'watch-only' }, protection);
    const request = { name: 'Back', type: 'watch-only', backupType: 'none', backup: jwe, birthday: 0 } as const;
    const both = await Promise.allSettled(services.map((service) => service.create(request, CONTEXT)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('commits every change script for one payment', async () => {
    const pools = stores.map((store) => createScriptPool({ store, clock: Date.now }));
    const pay = async (which: number): Promise<number> => {
      for (;;) {
        const lease = await pools[which]!.leaseChange(wallet);
        try {
          await stores[which]!.write((tx) => pools[which]!.commitChange(tx, wallet, lease));
          return lease.index;
        } catch (error) {
          pools[which]!.returnChange(wallet, lease);
          if (!(error instanceof DomainError) || error.code !== 'state_conflict') throw error;
        }
      }
    };
    const indexes = await Promise.all(Array.from({ length: 20 }, (_, i) => pay(i % 2)));
    expect(new Set(indexes).size).toBe(20);
  });
});
