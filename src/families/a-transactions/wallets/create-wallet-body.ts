import { z } from 'zod';
import {
  BACKUP_TYPES,
  type CreateWalletRequest,
  type MultisigScript,
  type SingleKeyType,
  WALLET_TYPES,
} from '../../../services/wallets/wallet-service.ts';
import { externalIdField, nameField } from '../../fields.ts';

const SCRIPT_TYPES = ['segwit', 'taproot', 'nested-segwit', 'legacy', 'musig'] as const satisfies readonly (
  | SingleKeyType
  | MultisigScript
)[];

export const passphraseField = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(1024, 'must have at most 1024 characters');

const keyExpression = z
  .string()
  .min(1, 'must not be empty')
  .max(400, 'must have at most 400 characters')
  .meta({ examples: ['[d34db33f/48h/1h/0h/2h]tpub…'] });

export const createWalletBody = z.strictObject({
  name: nameField,
  type: z.enum(WALLET_TYPES),
  backup_type: z.enum(BACKUP_TYPES),
  external_id: externalIdField.optional(),
  mnemonic: z
    .string()
    .max(500, 'must have at most 500 characters')
    .optional()
    .meta({ description: 'Restores from BIP39 words (English)' }),
  mnemonic_passphrase: z.string().max(1024, 'must have at most 1024 characters').optional(),
  words: z
    .union([z.literal(12), z.literal(24)], 'must be 12 or 24')
    .optional()
    .meta({ description: 'Length of a new mnemonic. Default: 24' }),
  backup: z.string().max(900_000).optional().meta({ description: 'Restores from a backup (compact JWE)' }),
  backup_passphrase: passphraseField.optional().meta({
    description:
      'Opens `backup`, and encrypts the backup that backup_type encrypted returns. Without it that backup is server-bound',
  }),
  birthday: z
    .union([z.int().min(0), z.iso.date(), z.iso.datetime({ offset: true })], 'must be a height or an ISO 8601 date')
    .optional()
    .meta({ description: 'Height or ISO 8601 date before which a restored wallet has no transactions' }),
  required: z.int().min(1).max(20).optional().meta({
    description:
      'Multisig: how many signatures a spend needs. For script_type musig all are needed, and it may be left out',
  }),
  cosigners: z
    .array(keyExpression)
    .min(1)
    .max(20)
    .optional()
    .meta({ description: "Multisig: the others' keys, without steps after the key" }),
  own_key: z.boolean().optional().meta({ description: 'Multisig: false leaves a key of the service out' }),
  descriptor: z
    .string()
    .max(10_000)
    .optional()
    .meta({ description: 'Watch-only: public descriptor, multipath /<0;1>/* for receiving and change' }),
  xpub: keyExpression
    .optional()
    .meta({ description: 'Watch-only: account key, with or without origin; SLIP132 accepted' }),
  script_type: z
    .enum(SCRIPT_TYPES)
    .optional()
    .meta({
      description:
        'Watch-only: what xpub is for. Multisig: segwit (wsh, sortedmulti; the default), taproot (tr, sortedmulti_a), ' +
        'or musig (tr of the aggregate key: all sign together in two rounds, MuSig2)',
    }),
});

export const toCreateWalletRequest = (body: z.output<typeof createWalletBody>): CreateWalletRequest => ({
  name: body.name,
  type: body.type,
  backupType: body.backup_type,
  externalId: body.external_id,
  mnemonic: body.mnemonic,
  mnemonicPassphrase: body.mnemonic_passphrase,
  words: body.words,
  backup: body.backup,
  backupPassphrase: body.backup_passphrase,
  birthday: body.birthday,
  required: body.required,
  cosigners: body.cosigners,
  ownKey: body.own_key,
  descriptor: body.descriptor,
  xpub: body.xpub,
  scriptType: body.script_type,
});
