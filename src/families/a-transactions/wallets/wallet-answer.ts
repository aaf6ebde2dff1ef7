/** What a wallet looks like on the wire. */
import { z } from 'zod';
import { NETWORKS } from '../../../core/network.ts';
import {
  BACKUP_TYPES,
  type CreatedWallet,
  WALLET_TYPES,
  type WalletView,
} from '../../../services/wallets/wallet-service.ts';
import { amount, answer, time, unnamedAnswer } from '../../answer.ts';
import { idField, namedObject } from '../../fields.ts';

export const walletParams = z.strictObject({ wallet_id: idField('wal') });

export const walletBalance = answer('WalletBalance', {
  confirmed: amount.meta({
    description: 'Coins in blocks, mature, unspent by us; locked and frozen ones included',
  }),
  pending: amount.meta({ description: 'Unconfirmed change and deposits' }),
  immature: amount.meta({ description: 'Coinbase outputs with fewer than 100 confirmations' }),
  locked: amount.meta({
    description: 'Of all unspent coins, those locked, frozen, or claimed by payments that wait for signatures',
  }),
});

const walletShape = {
  wallet_id: z.string(),
  name: z.string(),
  type: z.enum(WALLET_TYPES),
  backup_type: z.enum(BACKUP_TYPES),
  network: z.enum(NETWORKS),
  fingerprint: z.string().nullable().meta({ description: 'Master key fingerprint; null where several keys or none' }),
  descriptors: namedObject('WalletDescriptors', {
    external: z.string().meta({ description: 'Public, with origin and checksum (BIP380)' }),
    internal: z.string().nullable(),
  }),
  balance: walletBalance.schema,
  external_id: z.string().nullable(),
  is_default: z.boolean().meta({ description: 'Payments that name no wallet are made from it' }),
  birthday: z.int().meta({ description: 'Height below which the wallet has no transactions' }),
  scan: namedObject('WalletScan', {
    state: z.enum(['idle', 'queued', 'scanning', 'failed']),
    from_height: z.int().nullable(),
    at_height: z.int().nullable(),
    to_height: z.int().nullable(),
    error: z.string().nullable(),
  }),
  archived_at: time.nullable(),
  created_at: time,
};

const { balance: _, ...storedShape } = walletShape;
const storedWallet = unnamedAnswer(storedShape, (wallet: WalletView['wallet']) => ({
  descriptors: { external: wallet.externalDescriptor, internal: wallet.internalDescriptor },
  birthday: wallet.birthdayHeight,
}));

export const wallet = answer('Wallet', walletShape, ({ wallet: stored, balance }: WalletView) => ({
  ...storedWallet.present(stored),
  balance: walletBalance.present(balance),
}));

export const createdWallet = answer(
  'CreatedWallet',
  {
    ...walletShape,
    mnemonic: z.string().optional().meta({ description: 'BIP39 words, answered this once (backup_type mnemonic)' }),
    backup: z.string().optional().meta({ description: 'Compact JWE (backup_type encrypted)' }),
    server_bound: z.boolean().optional().meta({
      description:
        'With backup: true if only a service with the same master key opens it (no backup_passphrase was given)',
    }),
  },
  ({ mnemonic, backup, ...view }: CreatedWallet) => ({
    ...wallet.present(view),
    mnemonic: mnemonic ?? undefined,
    backup: backup?.jwe,
    server_bound: backup?.serverBound,
  }),
);

export const walletExample = {
  wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'Treasury',
  type: 'segwit',
  backup_type: 'none',
  network: 'regtest',
  fingerprint: '73c5da0a',
  descriptors: {
    external:
      'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/0/*)#evh9fu0w',
    internal:
      'wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/1/*)#gcjy5flk',
  },
  balance: { confirmed: '1.50000000', pending: '0.00000000', immature: '0.00000000', locked: '0.00000000' },
  external_id: null,
  is_default: true,
  birthday: 110,
  scan: { state: 'idle', from_height: null, at_height: null, to_height: null, error: null },
  archived_at: null,
  created_at: '2026-11-20T10:00:00.000Z',
};
