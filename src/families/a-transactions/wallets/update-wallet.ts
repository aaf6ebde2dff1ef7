import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { externalIdField, nameField } from '../../fields.ts';
import { wallet, walletExample, walletParams } from './wallet-answer.ts';

const body = z
  .strictObject({
    name: nameField.optional(),
    external_id: externalIdField.nullable().optional(),
    archived: z.boolean().optional(),
    is_default: z.boolean().optional(),
  })
  .refine(
    (patch) => Object.keys(patch).length > 0,
    'must have at least one of name, external_id, archived, is_default',
  );

export const updateWallet = (wallets: WalletService) =>
  operation({
    id: 'wallet.update',
    spends: [],
    family: 'a',
    method: 'PATCH',
    path: '/api/v1/wallets/{wallet_id}',
    summary: 'Rename, archive or make default',
    description: 'An archived wallet is out of lists and is no default; its deposits are still followed.',
    tag: 'Wallets',
    effect: 'write',
    access: { scope: 'wallets:write', role: 'operator' },
    params: walletParams,
    body,
    success: { status: 200, answer: wallet, description: 'The wallet as it is now' },
    errors: ['not_found', 'state_conflict', 'policy_denied'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      body: { name: 'Treasury 2026' },
      response: { ...walletExample, name: 'Treasury 2026' },
    },
    run: ({ params, body: patch }, context) =>
      wallets.update(
        params.wallet_id,
        { name: patch.name, externalId: patch.external_id, archived: patch.archived, isDefault: patch.is_default },
        context,
      ),
  });
