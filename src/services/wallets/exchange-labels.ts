import { formatLabelLines, parseLabelLines } from '../../core/wallets/label-lines.ts';
import { recordRequest } from '../requests/record-request.ts';
import { requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import { applyLabels, collectLabels, foreignLines } from './wallet-labels.ts';
import type { WalletService } from './wallet-service.ts';

/** BIP329 out and in. */
export function createExchangeLabels(
  deps: Pick<WalletDependencies, 'store' | 'pool' | 'clock'>,
): Pick<WalletService, 'exportLabels' | 'importLabels'> {
  const { store, pool, clock } = deps;
  return {
    async exportLabels(walletId, context) {
      const wallet = await requireWallet(store.read, context.accountId, walletId);
      return formatLabelLines(await collectLabels(store.read, wallet, pool));
    },

    async importLabels(walletId, text, context) {
      const { lines, ignored } = parseLabelLines(text);
      return store.write(async (tx) => {
        const wallet = await requireWallet(tx, context.accountId, walletId);
        const foreign = foreignLines(wallet, lines);
        const own = lines.filter((line) => !foreign.has(line));
        await applyLabels(tx, wallet, own, clock());
        const result = { imported: own.length, ignored: ignored + foreign.size };
        await recordRequest(tx, context, { result, target: walletId });
        return result;
      });
    },
  };
}
