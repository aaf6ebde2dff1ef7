import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

export const exportWalletLabel = (wallets: WalletService) =>
  operation({
    id: 'wallet-label.export',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}/labels/export',
    summary: "A wallet's labels (BIP329)",
    description:
      'JSON lines: one object with type, ref, label, and where it applies origin and spendable, on each line.',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'wallets:read', role: 'viewer' },
    params: walletParams,
    success: { status: 200, schema: z.string(), contentType: 'application/jsonl', description: 'The labels' },
    errors: ['not_found'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      response: '{"type":"addr","ref":"bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk","label":"Invoice 1"}\n',
    },
    run: ({ params }, context) => wallets.exportLabels(params.wallet_id, context),
    present: (lines) => lines,
  });
