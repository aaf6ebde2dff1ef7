import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { labelField } from '../../fields.ts';
import { addressExample, walletAddress } from './address-answer.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

export const reserveWalletAddress = (wallets: WalletService) =>
  operation({
    id: 'wallet-address.reserve',
    spends: [],
    family: 'a',
    method: 'POST',
    path: '/api/v1/wallets/{wallet_id}/addresses',
    summary: 'Reserve the next address',
    description: 'Each call gives an address that no other call gets; it is watched for good.',
    tag: 'Wallets',
    effect: 'write',
    access: { scope: 'wallets:write', role: 'operator' },
    params: walletParams,
    body: z.strictObject({ change: z.boolean().optional(), label: labelField.optional() }).nullish(),
    success: { status: 201, answer: walletAddress, description: 'The address' },
    errors: ['not_found', 'unsupported', 'state_conflict', 'policy_refused'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      body: { label: 'Invoice 1' },
      response: addressExample,
    },
    run: ({ params, body }, context) =>
      wallets.reserveAddress(params.wallet_id, { change: body?.change ?? false, label: body?.label || null }, context),
  });
