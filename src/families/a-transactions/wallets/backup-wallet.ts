import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WalletBackup, WalletService } from '../../../services/wallets/wallet-service.ts';
import { unnamedAnswer } from '../../answer.ts';
import { orHeld } from '../../approvals/or-held.ts';
import { passphraseField } from './create-wallet-body.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

const made = unnamedAnswer({ backup: z.string(), server_bound: z.boolean() }, ({ jwe }: WalletBackup) => ({
  backup: jwe,
}));

export const backupWallet = (wallets: WalletService) =>
  operation({
    id: 'wallet.backup',
    spends: ['backup'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/wallets/{wallet_id}/backup',
    summary: 'A backup as of now',
    description:
      'One JWE with seed, descriptors, birthday, indexes and labels. Without backup_passphrase it is server-bound: only a service with the same ' +
      'master key opens it, and it restores only in this account, and not beside the wallet.',
    tag: 'Wallets',
    effect: 'write',
    access: { scope: 'wallets:write', role: 'admin' },
    secretAnswer: true,
    secretBody: true,
    params: walletParams,
    body: z.strictObject({ backup_passphrase: passphraseField.optional() }).nullish(),
    ...orHeld(made, 'The backup, a compact JWE'),
    errors: ['not_found', 'policy_refused'],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      body: { backup_passphrase: 'correct horse battery staple' },
      response: { backup: 'eyJhbGciOiJQQkVTMi1IUzUxMitBMjU2S1ciLC4uLn0.kQ.mA.Xw.0g', server_bound: false },
    },
    run: ({ params, body }, context) => wallets.backup(params.wallet_id, body?.backup_passphrase ?? null, context),
  });
