import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { wallet, walletExample, walletParams } from './wallet-answer.ts';

export const rescanWallet = (wallets: WalletService) =>
  operation({
    id: 'wallet.rescan',
    spends: [],
    family: 'a',
    method: 'POST',
    path: '/api/v1/wallets/{wallet_id}/rescan',
    summary: 'Scan the chain again',
    description: "From from_height, or else the wallet's birthday. Done when the record's scan.state is idle again.",
    tag: 'Wallets',
    effect: 'write',
    access: { scope: 'wallets:write', role: 'operator' },
    params: walletParams,
    body: z.strictObject({ from_height: z.int().min(0).optional() }).nullish(),
    success: { status: 202, answer: wallet, description: 'The wallet, its scan queued' },
    errors: ['not_found', 'state_conflict', 'birthday_pruned', 'node_unavailable', 'node_syncing'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      body: { from_height: 0 },
      response: {
        ...walletExample,
        scan: { state: 'queued', from_height: 0, at_height: null, to_height: null, error: null },
      },
    },
    run: ({ params, body }, context) => wallets.rescan(params.wallet_id, body?.from_height ?? null, context),
  });
