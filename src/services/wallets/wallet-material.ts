/** From a creation request to what the wallet is made of: descriptors, encrypted keys, and what is to be found again on the chain. */
import { DomainError } from '../../core/errors.ts';
import { parseDescriptor } from '../../core/wallets/descriptors.ts';
import { parseKeyExpression, type SingleKeyType } from '../../core/wallets/extended-key.ts';
import type { KeyedWalletType } from '../../core/wallets/hd-key.ts';
import type { LabelsResult } from '../../core/wallets/label-jobs.ts';
import { entropyBytes, mnemonicFromEntropy, parseMnemonic, seedFromMnemonic } from '../../core/wallets/mnemonic.ts';
import {
  cosignerKeys,
  type MultisigScript,
  multisigDescriptors,
  singleKeyDescriptors,
} from '../../core/wallets/wallet-descriptors.ts';
import { walletModel } from '../../core/wallets/wallet-model.ts';
import type { EncryptedSecret, WalletId } from '../../store/records.ts';
import type { Deriver } from '../secrets/derivations.ts';
import { isMultisigScript } from './fields-by-type.ts';
import { requireOwnBackup } from './server-bound.ts';
import { type BackupContents, type OpenedBackup, openBackup } from './wallet-backup.ts';
import type { WalletDependencies } from './wallet-dependencies.ts';
import { encryptWalletKeys } from './wallet-keys.ts';
import type { CreateWalletRequest } from './wallet-service.ts';

export interface WalletMaterial {
  readonly externalDescriptor: string;
  readonly internalDescriptor: string | null;
  readonly fingerprint: string | null;
  readonly secret: EncryptedSecret | null;
  /** Fresh words, to be answered once where the backup type says so. */
  readonly freshMnemonic: string | null;
  /** What a restored backup held. */
  readonly restored:
    | (Pick<OpenedBackup, 'birthdayHeight' | 'nextExternalIndex' | 'nextInternalIndex' | 'labels' | 'serverBound'> & {
        /** The labels as readLabels answers them. */
        readonly labelSlices: readonly string[];
      })
    | null;
}

type MaterialDependencies = Pick<
  WalletDependencies,
  'store' | 'box' | 'computing' | 'keyProvider' | 'network' | 'randomBytes'
>;

/** `walletId` is bound to the encrypted keys. Throws the refusals of WalletService.create that concern keys. */
export async function walletMaterial(
  deps: MaterialDependencies,
  request: CreateWalletRequest,
  walletId: WalletId,
  whose: Deriver,
): Promise<WalletMaterial> {
  if (request.backup !== undefined) return fromBackup(deps, request, walletId, request.backup, whose);
  if (request.type === 'watch-only') return watchOnly(deps, request);
  if (request.type === 'multisig' && request.ownKey === false) return multisig(deps, request, null);
  const { mnemonic, fresh } = wordsOf(deps, request);
  const seed = seedFromMnemonic(mnemonic, request.mnemonicPassphrase);
  try {
    const keys = await encryptWalletKeys(deps.box, { walletId, type: keyedType(request), network: deps.network }, seed);
    const freshMnemonic = fresh ? mnemonic : null;
    if (request.type === 'multisig')
      return { ...multisig(deps, request, keys.account), secret: keys.secret, freshMnemonic };
    const pair = singleKeyDescriptors(request.type, keys.account);
    return {
      externalDescriptor: pair.external,
      internalDescriptor: pair.internal,
      fingerprint: keys.masterFingerprint,
      secret: keys.secret,
      freshMnemonic,
      restored: null,
    };
  } finally {
    seed.fill(0);
  }
}

function wordsOf(deps: MaterialDependencies, request: CreateWalletRequest): { mnemonic: string; fresh: boolean } {
  if (request.mnemonic !== undefined)
    return { mnemonic: atField('mnemonic', () => parseMnemonic(request.mnemonic!)), fresh: false };
  const entropy = deps.randomBytes(entropyBytes(request.words ?? 24));
  try {
    return { mnemonic: mnemonicFromEntropy(entropy), fresh: true };
  } finally {
    entropy.fill(0);
  }
}

function multisig(deps: MaterialDependencies, request: CreateWalletRequest, own: string | null): WalletMaterial {
  const cosigners = cosignerKeys(request.cosigners ?? [], deps.network, own);
  const keys = own === null ? cosigners : [own, ...cosigners];
  const script = multisigScript(request);
  const pair = multisigDescriptors(request.required ?? (script === 'musig' ? keys.length : 0), keys, script);
  return { ...NOTHING, externalDescriptor: pair.external, internalDescriptor: pair.internal };
}

/** As refuseUnfitting lets through. */
const multisigScript = ({ scriptType }: CreateWalletRequest): MultisigScript =>
  scriptType !== undefined && isMultisigScript(scriptType) ? scriptType : 'segwit';

const keyedType = (request: CreateWalletRequest): KeyedWalletType => {
  if (request.type === 'multisig' && multisigScript(request) !== 'segwit') return 'taproot-multisig';
  return request.type as KeyedWalletType;
};

function watchOnly(deps: MaterialDependencies, request: CreateWalletRequest): WalletMaterial {
  if (request.descriptor !== undefined) {
    const parsed = atField('descriptor', () => parseDescriptor(request.descriptor!, deps.network));
    return {
      ...NOTHING,
      externalDescriptor: parsed.external,
      internalDescriptor: parsed.internal,
      fingerprint: parsed.fingerprint,
    };
  }
  const key = atField('xpub', () => parseKeyExpression(request.xpub ?? '', deps.network));
  if (key.purpose === 'multisig') {
    throw new DomainError(
      'invalid_descriptor',
      'the key is marked (SLIP132) for multisig: give it as one of cosigners',
      {
        field: 'xpub',
      },
    );
  }
  if (key.purpose !== null && request.scriptType !== undefined && key.purpose !== request.scriptType) {
    throw new DomainError(
      'invalid_value',
      `the key's prefix (SLIP132) says ${key.purpose}: leave script_type out, or give the key as xpub or tpub`,
      { field: 'script_type' },
    );
  }
  const asked = request.scriptType === 'musig' ? null : request.scriptType;
  const scriptType: SingleKeyType | null = asked ?? key.purpose;
  if (scriptType === null) {
    throw new DomainError('invalid_value', 'xpub and tpub need script_type: segwit, taproot, nested-segwit or legacy', {
      field: 'script_type',
    });
  }
  const pair = singleKeyDescriptors(scriptType, `${key.origin}${key.text}`);
  return {
    ...NOTHING,
    externalDescriptor: pair.external,
    internalDescriptor: pair.internal,
    fingerprint: key.origin === '' ? null : key.origin.slice(1, 9),
  };
}

async function fromBackup(
  deps: MaterialDependencies,
  request: CreateWalletRequest,
  walletId: WalletId,
  jwe: string,
  whose: Deriver,
): Promise<WalletMaterial> {
  const contents = await openBackup(jwe, {
    ...{ passphrase: request.backupPassphrase ?? null, provider: deps.keyProvider, whose },
  });
  try {
    // First: the refusals below tell what is in the backup.
    if (contents.serverBound) await requireOwnBackup(deps.store.read, contents, whose.accountId, request);
    if (contents.type !== request.type) {
      throw new DomainError('invalid_backup', `the backup is of a wallet of type ${contents.type}`, { field: 'type' });
    }
    if (contents.network !== deps.network) {
      throw new DomainError(
        'wrong_network',
        `the backup is of a ${contents.network} wallet, and this service runs on ${deps.network}`,
        { field: 'backup' },
      );
    }
    const { slices } = await readable(deps, contents, whose);
    const keys = contents.seed && (await restoredKeys(deps, contents, contents.seed, walletId));
    return {
      externalDescriptor: contents.externalDescriptor,
      internalDescriptor: contents.internalDescriptor,
      fingerprint: keys?.fingerprint ?? fingerprintOf(contents.externalDescriptor),
      secret: keys?.secret ?? null,
      freshMnemonic: null,
      restored: { ...contents, labelSlices: slices },
    };
  } finally {
    contents.seed?.fill(0);
  }
}

/** What a passphrase encrypts is whatever its maker put in: it is read before anything is made of it. */
async function readable(
  { computing }: MaterialDependencies,
  { externalDescriptor, internalDescriptor, network, labels }: BackupContents,
  whose: Deriver,
): Promise<LabelsResult> {
  try {
    walletModel({ external: externalDescriptor, internal: internalDescriptor }, network);
    return await computing.run('labels.read', { text: labels, origin: null }, whose);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('invalid_backup', `the backup opens, but not all in it is right: ${error.message}`, {
      field: 'backup',
    });
  }
}

/** The seed's account must be the one the descriptors name: else the wallet would watch what it cannot sign. */
async function restoredKeys(
  deps: MaterialDependencies,
  contents: BackupContents,
  seed: Uint8Array,
  walletId: WalletId,
): Promise<{ secret: EncryptedSecret; fingerprint: string | null }> {
  if (contents.type === 'watch-only') {
    throw new DomainError('invalid_backup', 'the backup is of a watch-only wallet, yet holds a seed', {
      field: 'backup',
    });
  }
  const ofTaproot = contents.type === 'multisig' && contents.externalDescriptor.startsWith('tr(');
  const type: KeyedWalletType = ofTaproot ? 'taproot-multisig' : contents.type;
  const keys = await encryptWalletKeys(deps.box, { walletId, type, network: deps.network }, seed);
  const matches =
    contents.type === 'multisig'
      ? contents.externalDescriptor.includes(keys.account)
      : contents.externalDescriptor === singleKeyDescriptors(contents.type, keys.account).external;
  if (!matches) {
    throw new DomainError('invalid_backup', "the backup's seed and descriptors do not belong together", {
      field: 'backup',
    });
  }
  return { secret: keys.secret, fingerprint: contents.type === 'multisig' ? null : keys.masterFingerprint };
}

const fingerprintOf = (descriptor: string): string | null => {
  const found = new Set([...descriptor.matchAll(/\[([0-9a-f]{8})/g)].map((match) => match[1]!));
  const [only] = found;
  return found.size === 1 && only ? only : null;
};

const NOTHING = { fingerprint: null, secret: null, freshMnemonic: null, restored: null } as const;

/** Runs `parse`, saying of its refusals which field they are about. */
function atField<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof DomainError ? error.at(field) : error;
  }
}
