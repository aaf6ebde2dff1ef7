import { DomainError } from '../../core/errors.ts';
import { newId, type WalletId } from '../../core/ids.ts';
import type { ScriptRecord, WalletRecord, WalletScan } from '../../store/records.ts';
import { OF_SERVICE } from '../policies/gate.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Deriver } from '../secrets/derivations.ts';
import { birthdayHeight } from './birthday-height.ts';
import { mayHaveHistory, refuseUnfitting } from './fields-by-type.ts';
import { branchesOf, restoredScripts } from './restored-scripts.ts';
import { refuseTreasuryCopy, requireOnlyCopy } from './server-bound.ts';
import { encryptBackup } from './wallet-backup.ts';
import { followedHeight, NO_BALANCE, type WalletDependencies } from './wallet-dependencies.ts';
import { canSign, openSeed } from './wallet-keys.ts';
import { applySlices } from './wallet-labels.ts';
import { type WalletMaterial, walletMaterial } from './wallet-material.ts';
import type { CreatedWallet, CreateWalletRequest, WalletBackup, WalletService } from './wallet-service.ts';

export function createWalletCreator(deps: WalletDependencies): WalletService['create'] {
  return async (request, context) => {
    refuseUnfitting(request);
    const walletId = newId('wal', deps.randomBytes);
    const material = await walletMaterial(deps, request, walletId, context);
    refuseMainnetHotWallet(deps, material);
    const wallet = await newWallet(deps, request, context, walletId, material);
    const backup =
      request.backupType === 'encrypted' ? await firstBackup(deps, request, wallet, material, context) : null;
    const reserved: ScriptRecord[] = [];
    for (const change of branchesOf(deps.pool.model(wallet)))
      reserved.push(...(await restoredScripts(deps, wallet, { change, from: 0 }, context.signal)));

    const created: CreatedWallet = await deps.store.write(async (tx) => {
      const standing = await tx.wallets.findDefault(wallet.accountId);
      const stored = { ...wallet, isDefault: canSign(wallet) && !standing?.isDefault };
      await tx.wallets.insert(stored);
      await deps.pool.withinLimit(tx, stored.accountId, async () => {
        if (reserved.length > 0) await tx.scripts.insertMissing(reserved);
        await deps.pool.topUp(tx, stored, false);
        await deps.pool.topUp(tx, stored, true);
      });
      if (material.restored?.serverBound) await requireOnlyCopy(tx, deps.pool, stored);
      if (mayHaveHistory(request)) await refuseTreasuryCopy(tx, deps.pool, stored);
      if (material.restored)
        await applySlices(tx, stored, material.restored.labelSlices, { at: deps.clock(), signal: context.signal });
      if (request.backupType !== 'none') await tx.wallets.noteBackup(stored.accountId, walletId, stored.createdAt);
      const result: CreatedWallet = {
        wallet: stored,
        balance: NO_BALANCE,
        mnemonic: request.backupType === 'mnemonic' ? material.freshMnemonic : null,
        backup,
      };
      await recordRequest(tx, context, { result, target: walletId });
      return result;
    });
    if (created.wallet.scan.state === 'queued') deps.onScanQueued();
    return created;
  };
}

function refuseMainnetHotWallet(deps: WalletDependencies, material: WalletMaterial): void {
  if (deps.network !== 'mainnet' || material.secret === null || deps.allowMainnetHotWallets) return;
  throw new DomainError(
    'policy_refused',
    'keys on this server for mainnet need an explicit opt-in (ALLOW_MAINNET_HOT_WALLETS=true); watch-only wallets work without',
    { field: 'type' },
  );
}

async function newWallet(
  deps: WalletDependencies,
  request: CreateWalletRequest,
  context: RequestContext,
  walletId: WalletId,
  material: WalletMaterial,
): Promise<WalletRecord> {
  const scanned = mayHaveHistory(request);
  const height = scanned
    ? await birthdayHeight(deps.chain, request.birthday, {
        type: request.type,
        network: deps.network,
        backedUpHeight: material.restored?.birthdayHeight,
      })
    : await presentHeight(deps);
  return {
    walletId,
    accountId: context.accountId,
    name: request.name,
    externalId: request.externalId ?? null,
    type: request.type,
    backupType: request.backupType,
    network: deps.network,
    fingerprint: material.fingerprint,
    externalDescriptor: material.externalDescriptor,
    internalDescriptor: material.internalDescriptor,
    secret: material.secret,
    isDefault: false,
    birthdayHeight: height,
    nextExternalIndex: material.restored?.nextExternalIndex ?? 0,
    nextInternalIndex: material.restored?.nextInternalIndex ?? 0,
    scan: scanned ? queuedScan(height) : IDLE,
    transactionCount: 0,
    archivedAt: null,
    createdAt: deps.clock(),
  };
}

const IDLE: WalletScan = { state: 'idle', fromHeight: null, atHeight: null, toHeight: null, error: null };
const queuedScan = (fromHeight: number): WalletScan => ({ ...IDLE, state: 'queued', fromHeight });

/** Blocks from here on will be matched against the new scripts; a node that is away does not keep a fresh wallet from being made. */
async function presentHeight(deps: WalletDependencies): Promise<number> {
  const followed = await followedHeight(deps.store.read);
  if (followed > 0) return followed;
  try {
    return (await deps.chain.info()).height;
  } catch {
    return 0;
  }
}

async function firstBackup(
  deps: WalletDependencies,
  request: CreateWalletRequest,
  wallet: WalletRecord,
  material: WalletMaterial,
  whose: Deriver,
): Promise<WalletBackup> {
  const seed = await openSeed(deps.box, wallet, OF_SERVICE);
  try {
    return await encryptBackup(
      { ...wallet, seed, labels: material.restored?.labels ?? '' },
      { ...deps, passphrase: request.backupPassphrase ?? null, provider: deps.keyProvider, whose },
    );
  } finally {
    seed?.fill(0);
  }
}
