import { z } from 'zod';
import { hex } from '../../core/bytes.ts';
import type { Network } from '../../core/network.ts';
import type { ChainTransaction } from '../../services/blockchain/chain-transactions.ts';
import { answer } from '../answer.ts';
import { hashAnswer, hexAnswer } from './chain-fields.ts';
import { decodedTransaction, transactionFormExample, transactionHex } from './transaction-form.ts';

export const chainTransaction = answer(
  'ChainTransaction',
  {
    ...decodedTransaction.shape,
    status: z.enum(['confirmed', 'unconfirmed', 'stale']).meta({
      description: 'stale: in the block that was named, which is not in the best chain',
    }),
    block_hash: hashAnswer.nullable(),
    block_height: z.int().nullable(),
    timestamp: z.int().nullable().meta({ description: 'Of its block, Unix seconds; null while unconfirmed' }),
    confirmations: z.int().nullable().meta({ description: '0 while in no block; null where the source does not say' }),
    transaction: hexAnswer,
  },
  ({ transaction, spent, block, network }: ChainTransaction & { network: Network }) => ({
    ...decodedTransaction.present({ ...transaction, spent, network }),
    block_hash: block?.hash ?? null,
    block_height: block?.height ?? null,
    timestamp: block?.time ?? null,
    transaction: hex(transaction.raw),
  }),
);

export const chainTransactionExample = {
  ...transactionFormExample,
  status: 'confirmed',
  block_hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  block_height: 0,
  timestamp: 1_231_006_505,
  confirmations: 925_001,
  transaction: transactionHex,
};
