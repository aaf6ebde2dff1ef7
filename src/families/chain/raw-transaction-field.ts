import { z } from 'zod';

/** Hex of the largest transaction that a block could hold takes less than the body may have. */
export const rawTransactionField = z
  .string()
  .min(1, 'must not be empty')
  .meta({ description: 'Serialized transaction, hex', examples: ['02000000…'] });
