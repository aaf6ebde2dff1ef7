import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { EXPORT_FORMATS, type WalletService } from '../../../services/wallets/wallet-service.ts';
import { idField } from '../../fields.ts';
import { walletExample } from './wallet-answer.ts';

export const getWalletExport = (wallets: WalletService) =>
  operation({
    id: 'wallet-export.get',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}/exports/{format}',
    summary: "A wallet's public side for hardware wallets, cosigners and Bitcoin Core",
    description:
      'descriptor: one line with /<0;1>/* (BIP389) and checksum. bip388: a wallet policy as JSON {name, descriptor_template, keys_info}. ' +
      'bip129: the descriptor record of BIP129, unencrypted, for multisig. coldcard: the text file of Coldcard, for multisig. ' +
      'bitcoin-core: the argument of importdescriptors. No format has a private key. A wallet that a format has no word for: 422, ' +
      'saying why.',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    params: z.strictObject({
      wallet_id: idField('wal'),
      format: z.enum(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`),
    }),
    success: { status: 200, schema: z.string(), contentType: 'text/plain', description: 'The text' },
    errors: ['not_found', 'not_representable'],
    example: {
      params: { wallet_id: walletExample.wallet_id, format: 'bip388' },
      response:
        '{"name":"Treasury","descriptor_template":"wpkh(@0/**)","keys_info":["[73c5da0a/84\'/1\'/0\']tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M"]}',
    },
    run: ({ params }, context) => wallets.export(params.wallet_id, params.format, context),
    present: (text) => text,
  });
