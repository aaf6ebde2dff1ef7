import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { unnamedAnswer } from '../../answer.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

export const importWalletLabel = (wallets: WalletService) =>
  operation({
    id: 'wallet-label.import',
    spends: [],
    family: 'a',
    method: 'POST',
    path: '/api/v1/wallets/{wallet_id}/labels/import',
    summary: 'Take labels in (BIP329)',
    description:
      'JSON lines. spendable: false freezes a coin. Lines of other wallets (by origin) and of types BIP329 does not define are ' +
      'counted as ignored; a malformed line refuses the whole file, naming the line. At most 20,000 labels at once.',
    tag: 'Wallets',
    effect: 'write',
    access: { scope: 'wallets:write', role: 'operator' },
    params: walletParams,
    body: z.string('must be JSON lines, sent as application/jsonl').min(1, 'must not be empty'),
    bodyContentType: 'application/jsonl',
    bodyLimit: 10 * 1024 * 1024,
    success: {
      status: 200,
      answer: unnamedAnswer({ imported: z.int(), ignored: z.int() }),
      description: 'How many lines were taken in',
    },
    errors: ['not_found', 'invalid_label_file', 'too_large'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      body: '{"type":"addr","ref":"bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk","label":"Invoice 1"}\n',
      response: { imported: 1, ignored: 0 },
    },
    run: ({ params, body }, context) => wallets.importLabels(params.wallet_id, body, context),
  });
