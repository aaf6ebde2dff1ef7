import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import type { Network } from '../../../../core/network.ts';
import type { ChainTransaction } from '../../../../services/blockchain/chain-transactions.ts';
import { namedObject } from '../../../fields.ts';
import { hashAnswer, hexAnswer } from '../chain-fields.ts';
import { presentTransactionForm, transactionForm, transactionFormExample, transactionHex } from './transaction-form.ts';

export const chainTransactionAnswer = namedObject('ChainTransaction', {
  ...transactionForm.shape,
  status: z.enum(['confirmed', 'unconfirmed', 'stale']).meta({
    description: 'stale: in the block that was named, which is not in the best chain',
  }),
  block_hash: hashAnswer.nullable(),
  block_height: z.int().nullable(),
  timestamp: z.int().nullable().meta({ description: 'Of its block, Unix seconds; null while unconfirmed' }),
  confirmations: z.int().nullable().meta({ description: '0 while in no block; null where the source does not say' }),
  transaction: hexAnswer,
});

export const presentChainTransaction = (found: ChainTransaction, network: Network) => ({
  ...presentTransactionForm(found.transaction, found.spent, network),
  status: found.status,
  block_hash: found.block?.hash ?? null,
  block_height: found.block?.height ?? null,
  timestamp: found.block?.time ?? null,
  confirmations: found.confirmations,
  transaction: hex(found.transaction.raw),
});

export const chainTransactionExample = {
  ...transactionFormExample,
  status: 'confirmed',
  block_hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  block_height: 0,
  timestamp: 1_231_006_505,
  confirmations: 925_001,
  transaction: transactionHex,
};
