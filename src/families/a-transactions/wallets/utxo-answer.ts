import { z } from 'zod';
import type { CoinView } from '../../../services/wallets/wallet-service.ts';
import { amount, answer } from '../../answer.ts';

/** Depth at which a coinbase output may be spent: 100 blocks after its own. */
const COINBASE_MATURITY = 101;

export const utxo = answer(
  'Utxo',
  {
    txid: z.string(),
    vout: z.int(),
    amount,
    address: z.string(),
    path: z.string().nullable(),
    script_pubkey: z.string(),
    change: z.boolean(),
    status: z.enum(['pending', 'immature', 'confirmed']),
    confirmations: z.int(),
    block_height: z.int().nullable(),
    coinbase: z.boolean(),
    locked: z.boolean().meta({ description: 'Set aside by a caller: no payment selects it' }),
    frozen: z
      .boolean()
      .meta({ description: 'Not to be spent (BIP329 spendable: false), such as a tiny unasked deposit' }),
    screened: z.boolean().meta({
      description: 'Its deposit is frozen for a screening list: it is locked until an administrator releases that',
    }),
    held: z.boolean().meta({
      description: 'A payment or contract that waits for signatures spends it: nothing else can until that is over',
    }),
    label: z.string().nullable(),
  },
  (coin: CoinView) => ({ status: statusOf(coin), block_height: coin.height, held: coin.spentBy !== null }),
);

function statusOf({ coinbase, height, confirmations }: CoinView): 'pending' | 'immature' | 'confirmed' {
  if (height === null) return 'pending';
  return coinbase && confirmations < COINBASE_MATURITY ? 'immature' : 'confirmed';
}

export const utxoExample = {
  txid: 'f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd',
  vout: 1,
  amount: '1.50000000',
  address: 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk',
  path: 'm/84h/1h/0h/0/0',
  script_pubkey: '0014d0c4a3ef09e997b6e99e397e518fe3e41a118ca1',
  change: false,
  status: 'confirmed',
  confirmations: 6,
  block_height: 105,
  coinbase: false,
  locked: false,
  frozen: false,
  screened: false,
  held: false,
  label: null,
};
