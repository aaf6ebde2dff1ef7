/** The wallet service on a real SQLite store and the simulated chain, with ledger, follower and scanner as the app wires them. */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createFollower } from '../../../src/chain/follower/index.ts';
import { createSimulatedChain, type SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { DomainError } from '../../../src/core/errors.ts';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import type { Network } from '../../../src/core/network.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createLedger } from '../../../src/services/ledger/ledger.ts';
import type { RequestContext } from '../../../src/services/requests/request-context.ts';
import type { KeyProvider } from '../../../src/services/secrets/key-provider.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { createSecretBox, type SecretBox } from '../../../src/services/secrets/secret-box.ts';
import { createWalletService, type WalletDependencies } from '../../../src/services/wallets/create-wallet-service.ts';
import type { ScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import { createScriptPool } from '../../../src/services/wallets/database-script-pool.ts';
import { createWalletScanner } from '../../../src/services/wallets/scan/wallet-scanner.ts';
import { createOpenKeyRing, type OpenKeyRing } from '../../../src/services/wallets/wallet-keys.ts';
import type { WalletBackup, WalletService } from '../../../src/services/wallets/wallet-service.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { gateOver, heldOver } from '../../builders/gate.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';

export const ABANDON = `${'abandon '.repeat(11)}about`;

export interface WalletSetup extends AsyncDisposable {
  readonly store: Store;
  readonly chain: SimulatedChain;
  readonly pool: ScriptPool;
  readonly box: SecretBox;
  readonly provider: KeyProvider;
  /** No rule wants anything approved. */
  readonly wallets: Omit<WalletService, 'backup'> & {
    backup(...given: Parameters<WalletService['backup']>): Promise<WalletBackup>;
  };
  readonly openKeyRing: OpenKeyRing;
  readonly directory: string;
  /** A service as this one, but for what is given. */
  another(changes: Partial<WalletDependencies>): WalletService;
  context(accountId?: AccountId): RequestContext;
  /** Starts the follower and the scanner. */
  follow(): Promise<void>;
  /** Wakes the scanner. */
  lookForScans(): void;
  /** Until the follower has the chain's tip. */
  synced(): Promise<void>;
  /** Until no scan of the wallet is queued or running. */
  scanned(walletId: WalletId): Promise<WalletRecord>;
}

export async function openWalletSetup(
  options: {
    network?: Network;
    masterKey?: Uint8Array;
    log?: Logger;
    maxWatchedScripts?: number;
    sliceMs?: number;
    accounts?: readonly AccountId[];
  } = {},
): Promise<WalletSetup> {
  const sqlite = await openTemporarySqlite();
  const { store } = sqlite;
  const { log = silent, maxWatchedScripts = 1_000_000, sliceMs = 0 } = options;
  const network = options.network ?? 'regtest';
  const clock = Date.now;
  const chain = await createSimulatedChain({ clock, randomBytes, log: silent });
  for (const accountId of options.accounts ?? ['acc_one', 'acc_two']) {
    await store.write((tx) => tx.accounts.insert(accountRecord(accountId)));
  }
  const provider = createLocalKeyProvider({ masterKey: options.masterKey ?? randomBytes(32), randomBytes });
  const box = createSecretBox({ provider, randomBytes });
  const pool = createScriptPool({ store, clock, maxWatchedScripts });
  const ledger = createLedger({ store, scriptPool: pool, network, clock });
  const follower = createFollower({ chain, store, sink: ledger, clock, randomBytes, log: silent, pollMs: 50 });
  const scanner = createWalletScanner({ store, chain, ledger, pool, network, clock, randomBytes, log, sliceMs });
  const stopping = new AbortController();
  let scanning: Promise<void> | null = null;
  const deps: WalletDependencies = {
    store,
    held: heldOver(store, gateOver(store)),
    chain,
    pool,
    box,
    keyProvider: provider,
    computing: computeHere({ network, randomBytes }),
    network,
    allowMainnetHotWallets: false,
    clock,
    randomBytes,
    onScanQueued: () => scanner.wake(),
  };

  async function until<T>(look: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const seen = await look();
      if (seen !== null) return seen;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  return {
    store,
    chain,
    pool,
    box,
    provider,
    wallets: createWalletService(deps) as WalletSetup['wallets'],
    openKeyRing: createOpenKeyRing({ box }),
    directory: sqlite.directory,
    another: (changes) => createWalletService({ ...deps, ...changes }),
    context: (accountId: AccountId = 'acc_one') => requestContext({ accountId }),
    async follow() {
      follower.start();
      scanning = scanner.run(stopping.signal);
    },
    lookForScans: () => scanner.wake(),
    async synced() {
      await until(async () => {
        const { bestBlockHash } = await chain.info();
        return (await store.read.ledger.tip())?.hash === bestBlockHash ? true : null;
      });
    },
    scanned: (walletId) =>
      until(async () => {
        const wallet = await store.read.ledger.wallet(walletId);
        return wallet && ['idle', 'failed'].includes(wallet.scan.state) ? wallet : null;
      }),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await scanning;
      await follower.stop();
      await chain.close();
      await sqlite.close();
    },
  };
}

export const refusalOf = async (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; field: string | undefined }> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code, message: error.message, field: error.details.field };
    throw error;
  }
  throw new Error('nothing was refused');
};
