import { z } from 'zod';
import { amountOrZeroField } from '../fields.ts';

/** Hex of the largest transaction that a block could hold takes less than the body may have. */
export const rawTransactionField = z
  .string()
  .min(1, 'must not be empty')
  .meta({ description: 'Serialized transaction, hex', examples: ['02000000…'] });

export const maxBurnField = amountOrZeroField
  .meta({ description: 'The most that one output may make unspendable, BTC. Default: 0' })
  .optional();
