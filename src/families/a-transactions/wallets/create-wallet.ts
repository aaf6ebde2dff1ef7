import { operation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { createWalletBody, toCreateWalletRequest } from './create-wallet-body.ts';
import { createdWallet, walletExample } from './wallet-answer.ts';

export const createWallet = (wallets: WalletService) =>
  operation({
    id: 'wallet.create',
    spends: [],
    family: 'a',
    method: 'POST',
    path: '/api/v1/wallets',
    summary: 'Make or restore a wallet',
    description:
      'name, type and backup_type suffice for a wallet with a fresh key. With mnemonic or backup the wallet is restored: the chain is ' +
      "scanned from birthday, and the record's scan shows how far. The first wallet that can pay becomes the account's default. With " +
      'backup_type encrypted the answer holds a backup; without backup_passphrase it is server-bound: only a service with the same ' +
      'master key opens it, it restores only in the account that made it, and only if the account does not have the wallet (409).',
    tag: 'Wallets',
    effect: 'write',
    access: { scope: 'wallets:write', role: 'operator' },
    secretAnswer: true,
    secretBody: true,
    body: createWalletBody,
    success: {
      status: 201,
      answer: createdWallet,
      description: 'The wallet, with its backup or words where asked',
    },
    errors: [
      'policy_denied',
      'invalid_mnemonic',
      'invalid_backup',
      'invalid_descriptor',
      'wrong_network',
      'unsupported',
      'state_conflict',
      'policy_refused',
      'birthday_pruned',
      'node_unavailable',
      'node_syncing',
    ],
    example: {
      body: { name: 'Treasury', type: 'segwit', backup_type: 'none' },
      response: walletExample,
    },
    run: ({ body }, context) => wallets.create(toCreateWalletRequest(body), context),
  });
