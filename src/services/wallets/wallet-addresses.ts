import type { ScriptRecord, WalletRecord } from '../../store/records.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { ScriptPool } from './database-script-pool.ts';
import { requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import type { AddressView, WalletService } from './wallet-service.ts';

export function createWalletAddresses(
  deps: Pick<WalletDependencies, 'store' | 'pool'>,
): Pick<WalletService, 'reserveAddress' | 'listAddresses'> {
  const { store, pool } = deps;
  return {
    reserveAddress: (walletId, { change, label }, context) =>
      store.write(async (tx) => {
        const wallet = await requireWallet(tx, context.accountId, walletId);
        const script = await pool.reserve(tx, wallet, change, label);
        const result = viewAddress(pool, wallet, script);
        await recordRequest(tx, context, { result, target: script.address });
        return result;
      }),

    async listAddresses(walletId, { lookAhead, ...filter }, page, context) {
      const wallet = await requireWallet(store.read, context.accountId, walletId);
      const found = await store.read.scripts.list(
        context.accountId,
        walletId,
        { ...filter, reservedOnly: !lookAhead },
        page,
      );
      return { ...found, data: found.data.map((script) => viewAddress(pool, wallet, script)) };
    },
  };
}

const viewAddress = (pool: Pick<ScriptPool, 'model'>, wallet: WalletRecord, script: ScriptRecord): AddressView => ({
  script,
  path: pool.model(wallet).pathAt(script.change, script.index),
});
