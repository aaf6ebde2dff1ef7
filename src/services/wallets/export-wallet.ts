import { bsmsRecord } from '../../core/wallets/exports/bsms-record.ts';
import { coldcardFile } from '../../core/wallets/exports/coldcard-file.ts';
import { coreImport } from '../../core/wallets/exports/core-import.ts';
import { combinedDescriptor } from '../../core/wallets/exports/key-expressions.ts';
import { walletPolicy } from '../../core/wallets/exports/wallet-policy.ts';
import type { WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import type { ExportFormat, WalletService } from './wallet-service.ts';

/** A block's time may be two hours ahead of its maker's clock. */
const TIME_SLACK_SECONDS = 2 * 60 * 60;

export function createExportWallet({
  store,
  pool,
}: Pick<WalletDependencies, 'store' | 'pool'>): Pick<WalletService, 'export'> {
  return {
    async export(walletId, format, context) {
      const wallet = await requireWallet(store.read, context.accountId, walletId);
      const descriptors = { external: wallet.externalDescriptor, internal: wallet.internalDescriptor };
      const model = pool.model(wallet);
      const texts: Record<ExportFormat, () => string | Promise<string>> = {
        descriptor: () => combinedDescriptor(descriptors),
        bip388: () => {
          const { name, descriptorTemplate, keys } = walletPolicy(wallet.name, descriptors);
          return JSON.stringify({ name, descriptor_template: descriptorTemplate, keys_info: keys }, null, 2);
        },
        bip129: () => bsmsRecord(descriptors, model.scriptAt(false, 0).address),
        coldcard: () => coldcardFile(wallet.name, descriptors),
        'bitcoin-core': async () =>
          coreImport(descriptors, {
            ranged: model.ranged,
            timestamp: await birthdayTime(store.read, wallet),
            nextExternal: wallet.nextExternalIndex,
            nextInternal: wallet.nextInternalIndex,
          }),
      };
      return texts[format]();
    },
  };
}

/** Of a block that is not followed here the time is not known: everything is scanned then. */
async function birthdayTime(read: Pick<Repositories, 'ledger'>, { birthdayHeight }: WalletRecord): Promise<number> {
  const block = await read.ledger.blockAt(birthdayHeight);
  return block ? Math.max(0, block.time - TIME_SLACK_SECONDS) : 0;
}
