/** Which fields of a creation request go with which type, and with each other. Field names are the wire's. */
import { DomainError } from '../../core/errors.ts';
import { MULTISIG_SCRIPTS, type MultisigScript } from '../../core/wallets/wallet-descriptors.ts';
import type { WalletType } from '../../store/records.ts';
import type { CreateWalletRequest } from './wallet-service.ts';

type Field = Exclude<keyof CreateWalletRequest, 'name' | 'type' | 'backupType' | 'externalId'>;

const WIRE_NAMES: Record<Field, string> = {
  mnemonic: 'mnemonic',
  mnemonicPassphrase: 'mnemonic_passphrase',
  words: 'words',
  backup: 'backup',
  backupPassphrase: 'backup_passphrase',
  birthday: 'birthday',
  required: 'required',
  cosigners: 'cosigners',
  ownKey: 'own_key',
  descriptor: 'descriptor',
  xpub: 'xpub',
  scriptType: 'script_type',
};

const SEED: readonly Field[] = ['mnemonic', 'mnemonicPassphrase', 'words'];
const ANY: readonly Field[] = ['backup', 'backupPassphrase', 'birthday'];
const FITTING: Record<WalletType, readonly Field[]> = {
  segwit: [...SEED, ...ANY],
  taproot: [...SEED, ...ANY],
  'nested-segwit': [...SEED, ...ANY],
  legacy: [...SEED, ...ANY],
  multisig: [...SEED, ...ANY, 'required', 'cosigners', 'ownKey', 'scriptType'],
  'watch-only': [...ANY, 'descriptor', 'xpub', 'scriptType'],
};

/** Throws `invalid_value` naming the first field that does not fit. */
export function refuseUnfitting(request: CreateWalletRequest): void {
  const given = (Object.keys(WIRE_NAMES) as Field[]).filter((field) => request[field] !== undefined);
  const has = (field: Field) => given.includes(field);
  const refuse = (field: Field | 'backup_type', message: string): never => {
    throw new DomainError('invalid_value', message, {
      field: field === 'backup_type' ? field : WIRE_NAMES[field],
    });
  };

  for (const field of given) {
    if (!FITTING[request.type].includes(field)) {
      refuse(field, `${WIRE_NAMES[field]} does not go with a wallet of type ${request.type}`);
    }
  }
  if (has('backup')) {
    const other = given.find((field) => !ANY.includes(field));
    if (other) refuse(other, `a backup holds everything: leave ${WIRE_NAMES[other]} out`);
    if (request.backupType === 'mnemonic') {
      refuse('backup_type', 'a backup holds the seed, not its words: take backup_type encrypted or none');
    }
  } else {
    if (request.type === 'watch-only') refuseUnfittingWatchOnly(request, refuse);
    if (request.type === 'multisig') refuseUnfittingMultisig(request, has, refuse);
    if (has('birthday') && !mayHaveHistory(request)) {
      refuse(
        'birthday',
        'a wallet with a fresh key has no history: birthday goes with mnemonic, backup, descriptor or xpub',
      );
    }
  }
  if (has('mnemonic') && has('words'))
    refuse('words', 'words is the length of a fresh mnemonic: leave it out with mnemonic');
  if (has('backupPassphrase') && !has('backup') && request.backupType !== 'encrypted') {
    refuse('backupPassphrase', 'backup_passphrase goes with backup_type encrypted or with a backup to restore');
  }
}

/** Whether the wallet's keys existed before: then the chain is scanned for it. */
export const mayHaveHistory = (request: CreateWalletRequest): boolean =>
  request.mnemonic !== undefined ||
  request.backup !== undefined ||
  request.type === 'watch-only' ||
  request.ownKey === false;

export const isMultisigScript = (script: string): script is MultisigScript =>
  (MULTISIG_SCRIPTS as readonly string[]).includes(script);

type Refuse = (field: Field | 'backup_type', message: string) => never;

function refuseUnfittingWatchOnly(request: CreateWalletRequest, refuse: Refuse): void {
  if ((request.descriptor === undefined) === (request.xpub === undefined)) {
    refuse('descriptor', 'a watch-only wallet takes a descriptor, or an xpub with script_type: one of the two');
  }
  if (request.scriptType === 'musig') refuse('scriptType', 'one xpub is segwit, taproot, nested-segwit or legacy');
  if (request.scriptType !== undefined && request.xpub === undefined) {
    refuse('scriptType', 'script_type goes with xpub; a descriptor says its scripts itself');
  }
  if (request.backupType === 'mnemonic') {
    refuse('backup_type', 'a watch-only wallet has no words: take backup_type encrypted or none');
  }
}

function refuseUnfittingMultisig(request: CreateWalletRequest, has: (field: Field) => boolean, refuse: Refuse): void {
  if (!has('required') && request.scriptType !== 'musig')
    refuse('required', 'a multisig wallet needs required: how many signatures a spend needs');
  if (request.scriptType !== undefined && !isMultisigScript(request.scriptType))
    refuse('scriptType', `a multisig wallet has script_type ${MULTISIG_SCRIPTS.join(', ')}; the default is segwit`);
  if (!request.cosigners?.length) refuse('cosigners', 'a multisig wallet needs cosigners: their key expressions');
  if (request.ownKey !== false) return;
  const seeded = SEED.find(has);
  if (seeded) refuse(seeded, `${WIRE_NAMES[seeded]} makes the service's own key, which own_key: false leaves out`);
  if (request.backupType === 'mnemonic') {
    refuse('backup_type', 'without an own key there are no words: take backup_type encrypted or none');
  }
}
