/** lock, unlock, freeze and unfreeze differ in a word and a flag. */

import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { CoinView, WalletService } from '../../../services/wallets/wallet-service.ts';
import { answer } from '../../answer.ts';
import { namedRequest, txidField } from '../../fields.ts';
import { utxo, utxoExample } from './utxo-answer.ts';
import { walletExample, walletParams } from './wallet-answer.ts';

const body = namedRequest('UtxoSelection', {
  outpoints: z
    .array(z.strictObject({ txid: txidField, vout: z.int().min(0).max(0xffffffff) }))
    .min(1, 'must name at least one coin')
    .max(1000, 'must name at most 1000 coins'),
});

const utxos = answer('UtxoList', { data: z.array(utxo.schema) }, (coins: readonly CoinView[]) => ({
  data: coins.map(utxo.present),
}));

const ERRORS = {
  lock: ['policy_denied'],
  freeze: ['policy_denied'],
  unlock: ['state_conflict'],
  unfreeze: [],
} as const;

export const utxoFlag = (
  wallets: WalletService,
  verb: 'lock' | 'unlock' | 'freeze' | 'unfreeze',
  flags: { locked: boolean } | { frozen: boolean },
  summary: string,
) =>
  operation({
    id: `wallet-utxo.${verb}`,
    family: 'a',
    method: 'POST',
    path: `/api/v1/wallets/{wallet_id}/utxos/${verb}`,
    summary,
    description: 'All of the coins or, where one is not an unspent coin of the wallet, none.',
    tag: 'Wallets',
    spends: [],
    effect: 'write',
    access: { scope: 'wallets:write', role: 'operator' },
    params: walletParams,
    body,
    success: { status: 200, answer: utxos, description: 'The coins as they are now' },
    errors: ['not_found', ...ERRORS[verb]],
    example: {
      params: { wallet_id: walletExample.wallet_id },
      body: { outpoints: [{ txid: utxoExample.txid, vout: utxoExample.vout }] },
      response: { data: [{ ...utxoExample, ...flags }] },
    },
    run: ({ params, body: { outpoints } }, context) => wallets.flagUtxos(params.wallet_id, outpoints, flags, context),
  });
