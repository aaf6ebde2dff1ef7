import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { WALLET_TYPES, type WalletService } from '../../../services/wallets/wallet-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, externalIdField, nameField, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { wallet, walletExample } from './wallet-answer.ts';

export const listWallet = (wallets: WalletService) =>
  operation({
    id: 'wallet.list',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets',
    summary: "The account's wallets",
    description: 'Archived wallets are left out unless archived=true asks for them.',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    query: z.strictObject({
      ...pageQuery,
      type: z.enum(WALLET_TYPES).optional(),
      name: nameField.optional(),
      external_id: externalIdField.optional(),
      archived: booleanQuery.default(false),
    }),
    success: { status: 200, answer: paginated(wallet), description: 'A page of wallets, newest first' },
    example: {
      query: { limit: '20', offset: '0' },
      response: pageExample(walletExample),
    },
    run: ({ query: { type, name, external_id: externalId, archived, ...page } }, context) =>
      wallets.list({ ...omitUndefined({ type, name, externalId }), archived }, pageOf(page), context),
  });
