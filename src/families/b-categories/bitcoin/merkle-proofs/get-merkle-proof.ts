import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { displayHash } from '../../../../core/outpoint.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainTransactions } from '../../../../services/blockchain/chain-transactions.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { blockHashField, CHAIN_ERRORS, hashAnswer, hexAnswer } from '../../../chain/chain-fields.ts';
import { txidField } from '../../../fields.ts';
import { reads } from '../../declarations.ts';
import { merkleProofExample } from './merkle-proof-example.ts';

const branchAnswer = z.array(hashAnswer).meta({ description: 'The sibling on each level, from the leaves up' });

const merkleProof = unnamedAnswer(
  {
    txid: hashAnswer,
    block_hash: hashAnswer,
    block_height: z.int(),
    in_best_chain: z.boolean(),
    header: hexAnswer,
    transaction_count: z.int(),
    position: z.int().meta({ description: 'In the block, 0 for the coinbase' }),
    branch: branchAnswer,
    merkle_block: hexAnswer,
    coinbase: z.object({ transaction: hexAnswer, branch: branchAnswer }),
  },
  ({ block, branch, coinbase }: Awaited<ReturnType<ChainTransactions['prove']>>) => ({
    block_hash: block.hash,
    block_height: block.height,
    in_best_chain: block.inBestChain,
    branch: branch.map(displayHash),
    coinbase: { transaction: hex(coinbase.raw), branch: coinbase.branch.map(displayHash) },
  }),
);

export const getMerkleProof = (transactions: ChainTransactions) =>
  operation({
    ...reads('Bitcoin', 'merkle-proofs'),
    id: 'merkle-proof.get',
    path: '/api/v1/bitcoin/transactions/{txid}/merkle-proof',
    summary: 'Proof that a transaction is in a block',
    description:
      'Twice the same proof: as the branch from the transaction to the merkle root of `header`, and as `merkle_block`, the form of ' +
      "BIP37 and of Bitcoin Core's gettxoutproof. `coinbase` proves the block's first transaction: both branches of one block are " +
      'equally long, which shows that no inner node of the tree passes for a transaction. With `block_hash` a node needs no index.',
    params: z.strictObject({ txid: txidField }),
    query: z.strictObject({ block_hash: blockHashField.optional() }),
    success: {
      status: 200,
      description: 'The proof',
      answer: merkleProof,
    },
    errors: ['invalid_value', 'not_found', 'state_conflict', ...CHAIN_ERRORS],
    example: { params: { txid: merkleProofExample.txid }, response: merkleProofExample },
    run: ({ params, query }) => transactions.prove(params.txid, query.block_hash ?? null),
  });
