import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { utxo, utxoExample } from './utxo-answer.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

export const listWalletUtxo = (wallets: WalletService) =>
  operation({
    id: 'wallet-utxo.list',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}/utxos',
    summary: "A wallet's unspent coins",
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    params: walletParams,
    query: z.strictObject({
      ...pageQuery,
      locked: booleanQuery.optional(),
      frozen: booleanQuery.optional(),
      confirmed: booleanQuery.optional(),
      address: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters').optional(),
    }),
    success: { status: 200, answer: paginated(utxo), description: 'A page of coins' },
    errors: ['not_found'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      query: { confirmed: 'true' },
      response: pageExample(utxoExample),
    },
    run: ({ params, query: { locked, frozen, confirmed, address, ...page } }, context) =>
      wallets.listUtxos(params.wallet_id, omitUndefined({ locked, frozen, confirmed, address }), pageOf(page), context),
  });
