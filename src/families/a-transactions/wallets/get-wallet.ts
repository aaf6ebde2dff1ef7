import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { wallet, walletExample, walletParams } from './wallet-answer.ts';

export const getWallet = (wallets: WalletService) =>
  operation({
    id: 'wallet.get',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}',
    summary: 'One wallet',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    params: walletParams,
    success: { status: 200, answer: wallet, description: 'The wallet with its balance' },
    errors: ['not_found'],
    example: { params: { wallet_id: walletExample.wallet_id }, response: walletExample },
    run: ({ params }, context) => wallets.get(params.wallet_id, context),
  });
