import { DomainError } from '../../core/errors.ts';
import { abbreviatedOrigin } from '../../core/wallets/label-lines.ts';
import { recordRequest } from '../requests/record-request.ts';
import { requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import { applySlices, labelFile } from './wallet-labels.ts';
import type { WalletService } from './wallet-service.ts';

/** In one job, while which no other account's write begins: some tenths of a second. */
const MAX_IMPORTED = 20_000;

const tooMany = (lines: number): DomainError =>
  new DomainError(
    'too_large',
    `the file has ${lines} labels of this wallet, and ${MAX_IMPORTED} are taken at once: divide it, line by line`,
    { field: 'body' },
  );

/** BIP329 out and in. */
export function createExchangeLabels(
  deps: Pick<WalletDependencies, 'store' | 'pool' | 'clock' | 'computing'>,
): Pick<WalletService, 'exportLabels' | 'importLabels'> {
  const { store, pool, clock } = deps;
  return {
    async exportLabels(walletId, context) {
      return labelFile(store.read, await requireWallet(store.read, context.accountId, walletId), pool);
    },

    async importLabels(walletId, text, context) {
      const { externalDescriptor } = await requireWallet(store.read, context.accountId, walletId);
      const given = { text, origin: abbreviatedOrigin(externalDescriptor) };
      const { slices, imported, ignored } = await deps.computing.run('labels.read', given, context);
      if (imported > MAX_IMPORTED) throw tooMany(imported);
      return store.write(async (tx) => {
        const wallet = await requireWallet(tx, context.accountId, walletId);
        await applySlices(tx, wallet, slices, { at: clock(), signal: context.signal });
        const result = { imported, ignored };
        await recordRequest(tx, context, { result, target: walletId });
        return result;
      });
    },
  };
}
