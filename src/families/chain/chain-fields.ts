/** Field types that blocks, headers and transactions of the chain share. */
import { z } from 'zod';
import { type BlockHash, blockHash } from '../../core/outpoint.ts';
import type { BlockId } from '../../services/blockchain/find-block.ts';
import { bytes } from '../answer.ts';

const HASH = /^[0-9a-fA-F]{64}$/;
const HEIGHT = /^\d{1,9}$/;

/** A path parameter that names a block. */
export const blockIdField = z
  .string()
  .meta({
    description: 'Block hash (64 hex digits), height in the best chain, or `latest`',
    examples: ['latest', '110'],
  })
  .transform((value, context): BlockId => {
    if (value === 'latest') return 'latest';
    if (HASH.test(value)) return { hash: blockHash(value) };
    if (HEIGHT.test(value)) return { height: Number(value) };
    context.issues.push({
      code: 'custom',
      message: 'must be a block hash (64 hex digits), a height, or latest',
      input: value,
    });
    return z.NEVER;
  });

export const blockHashField = z
  .string()
  .regex(HASH, 'must be a block hash: 64 hex digits')
  .meta({ description: 'Block hash, 64 hex digits' })
  .transform((value): BlockHash => blockHash(value));

export const hashAnswer = z.string().meta({ description: '64 hex digits, as people write it' });
export const hexAnswer = bytes.meta({ description: 'Hex' });
/** `bits` and versions as explorers write them. */
export const hexOf32Bits = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** Of every operation that asks the chain source. */
export const CHAIN_ERRORS = [
  'node_unavailable',
  'node_syncing',
  'unavailable',
  'no_index',
  'source_incapable',
] as const;
