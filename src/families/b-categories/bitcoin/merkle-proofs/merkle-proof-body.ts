import { z } from 'zod';
import { HEADER_SIZE, parseHeader } from '../../../../core/blocks/header.ts';
import { MAX_BRANCH } from '../../../../core/blocks/merkle-branch.ts';
import { HEX } from '../../../../core/bytes.ts';
import { internalHash } from '../../../../core/outpoint.ts';
import { rawTransactionField } from '../../../chain/raw-transaction-field.ts';
import { txidField } from '../../../fields.ts';

const hashField = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be a hash: 64 hex digits')
  .transform((value) => internalHash(value));

const branchField = z
  .array(hashField)
  .max(MAX_BRANCH, `must have at most ${MAX_BRANCH} hashes`)
  .meta({ description: 'The sibling on each level, from the leaves up' });

/** What GET answers beside the proof. */
export const claimFields = {
  block_hash: hashField.meta({ description: "The header's hash" }),
  transaction_count: z
    .int()
    .min(1, 'must be at least 1')
    .max(2 ** MAX_BRANCH, `must be at most ${2 ** MAX_BRANCH}`)
    .meta({ description: 'Of the block: fixes the height of the tree' }),
  block_height: z.int().min(0, 'must be at least 0').meta({ description: 'Not checked: no proof holds it' }),
  in_best_chain: z.boolean().meta({ description: 'Not checked: no proof holds it' }),
};

/** Of all transactions of a full block. */
const MAX_HEX = 2 * 1024 * 1024;

export const merkleBlockField = z
  .string()
  .min(1, 'must not be empty')
  .regex(HEX, 'must be a merkle block in hex')
  .max(MAX_HEX, 'must be shorter')
  .transform((value) => Buffer.from(value, 'hex'))
  .meta({ description: "BIP37 merkleblock, as gettxoutproof's answer" });

export const branchProofFields = {
  txid: txidField,
  header: z
    .string()
    .regex(new RegExp(`^[0-9a-fA-F]{${HEADER_SIZE * 2}}$`), 'must be a header: 80 bytes, 160 hex digits')
    .transform((value) => parseHeader(Buffer.from(value, 'hex')))
    .meta({ description: 'Block header, hex' }),
  position: z
    .int()
    .min(0, 'must be at least 0')
    .max(2 ** MAX_BRANCH - 1, `must be at most ${2 ** MAX_BRANCH - 1}`)
    .meta({ description: 'In the block, 0 for the coinbase' }),
  branch: branchField,
  transaction: rawTransactionField.meta({ description: 'The transaction itself: one of 64 bytes is refused' }),
  coinbase: z
    .strictObject({ transaction: rawTransactionField, branch: branchField })
    .meta({ description: "The block's first transaction and its branch: both branches must be equally long" }),
};
