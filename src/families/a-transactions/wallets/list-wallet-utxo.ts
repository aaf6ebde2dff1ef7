import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { booleanQuery, pageQuery, paginationAnswer, presentPage } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { presentUtxo, utxoAnswer, utxoExample } from './utxo-answer.ts';
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
    success: { status: 200, schema: paginationAnswer(utxoAnswer), description: 'A page of coins' },
    errors: ['not_found'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      query: { confirmed: 'true' },
      response: {
        data: [utxoExample],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ params, query: { locked, frozen, confirmed, address, ...page } }, context) =>
      wallets.listUtxos(params.wallet_id, omitUndefined({ locked, frozen, confirmed, address }), pageOf(page), context),
    present: (page) => presentPage(page, presentUtxo),
  });
