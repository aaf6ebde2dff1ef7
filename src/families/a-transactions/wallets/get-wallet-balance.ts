import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { BalanceView, WalletService } from '../../../services/wallets/wallet-service.ts';
import { unnamedAnswer } from '../../answer.ts';
import { integerQuery } from '../../fields.ts';
import { walletBalance, walletExample, walletParams } from './wallet-answer.ts';

const balanceAt = unnamedAnswer(
  { wallet_id: z.string(), height: z.int(), ...walletBalance.shape },
  ({ balance }: BalanceView) => walletBalance.present(balance),
);

export const getWalletBalance = (wallets: WalletService) =>
  operation({
    id: 'wallet-balance.get',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}/balance',
    summary: "A wallet's balance, now or at a height",
    description: 'With height: as of the end of that block, from confirmed coins alone.',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    params: walletParams,
    query: z.strictObject({ height: integerQuery(0, 0xffffffff).optional() }),
    success: {
      status: 200,
      answer: balanceAt,
      description: 'The balance and the height it is of',
    },
    errors: ['not_found'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      query: { height: '110' },
      response: { wallet_id: walletExample.wallet_id, height: 110, ...walletExample.balance },
    },
    run: ({ params, query }, context) => wallets.balance(params.wallet_id, query.height ?? null, context),
  });
