import { z } from 'zod';
import { formatBtc } from '../../core/amount.ts';
import { hex } from '../../core/bytes.ts';
import type { BlockView } from '../../services/blockchain/chain-blocks.ts';
import { amount, answer } from '../answer.ts';
import { hashAnswer, hexAnswer } from './chain-fields.ts';
import { blockHeader, headerExample } from './header-answer.ts';

const ofHeaderAndCoinbase = ({ header, transactionCount, coinbase, coinbaseHeight }: BlockView) => ({
  ...blockHeader.present(header),
  transaction_count: transactionCount,
  coinbase: {
    txid: coinbase.txid,
    height: coinbaseHeight,
    script_sig: hex(coinbase.scriptSig),
    amount: formatBtc(coinbase.amountSats),
  },
});

/** Of the view's coinbase, because the service makes that anew whenever anything of the view but the confirmations may differ. */
const made = new WeakMap<BlockView['coinbase'], ReturnType<typeof ofHeaderAndCoinbase>>();

export const block = answer(
  'Block',
  {
    ...blockHeader.shape,
    transaction_count: z.int(),
    next_hash: hashAnswer.nullable().meta({ description: 'null at the tip and outside the best chain' }),
    size: z.int().meta({ description: 'Bytes' }),
    stripped_size: z.int().meta({ description: 'Bytes without witnesses' }),
    weight: z.int(),
    coinbase: z.object({
      txid: hashAnswer,
      height: z.int().nullable().meta({ description: 'As the coinbase itself says (BIP34)' }),
      script_sig: hexAnswer,
      amount: amount.meta({ description: 'What the miner took: subsidy and fees' }),
    }),
  },
  (view: BlockView) => {
    const known = made.get(view.coinbase);
    if (known !== undefined) return { ...known, confirmations: view.header.confirmations };
    const fresh = ofHeaderAndCoinbase(view);
    made.set(view.coinbase, fresh);
    return fresh;
  },
);

export const blockExample = {
  ...headerExample,
  transaction_count: 1,
  next_hash: '00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048',
  size: 285,
  stripped_size: 285,
  weight: 1_140,
  coinbase: {
    txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    height: null,
    script_sig:
      '04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f' +
      '6e64206261696c6f757420666f722062616e6b73',
    amount: '50.00000000',
  },
};
