import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, labelField, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { addressExample, walletAddress } from './address-answer.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

export const listWalletAddress = (wallets: WalletService) =>
  operation({
    id: 'wallet-address.list',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}/addresses',
    summary: "A wallet's addresses",
    description:
      'Those that were reserved. look_ahead=true adds the ones derived beyond, within the gap limit: not for giving out.',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    params: walletParams,
    query: z.strictObject({
      ...pageQuery,
      change: booleanQuery.optional(),
      used: booleanQuery.optional(),
      label: labelField.optional(),
      look_ahead: booleanQuery.default(false),
    }),
    success: { status: 200, answer: paginated(walletAddress), description: 'A page of addresses' },
    errors: ['not_found'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      query: { used: 'false' },
      response: pageExample(addressExample),
    },
    run: ({ params, query: { change, used, label, look_ahead: lookAhead, ...page } }, context) =>
      wallets.listAddresses(
        params.wallet_id,
        { ...omitUndefined({ change, used, label }), lookAhead },
        pageOf(page),
        context,
      ),
  });
