import { z } from 'zod';
import { transactionFromHex } from '../../../../core/blocks/transaction-hex.ts';
import { type BranchProof, type MerkleVerdict, verifyInclusion } from '../../../../core/blocks/verify-inclusion.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import { hashAnswer } from '../../../chain/chain-fields.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { branchProofFields, claimFields, merkleBlockField } from './merkle-proof-body.ts';
import { merkleProofExample } from './merkle-proof-example.ts';

const body = z.strictObject({
  merkle_block: merkleBlockField.optional(),
  txid: branchProofFields.txid.optional(),
  header: branchProofFields.header.optional(),
  position: branchProofFields.position.optional(),
  branch: branchProofFields.branch.optional(),
  transaction: branchProofFields.transaction.optional(),
  coinbase: branchProofFields.coinbase.optional(),
  ...z.strictObject(claimFields).partial().shape,
});

/** Members that no proof holds. */
const UNPROVEN = ['block_height', 'in_best_chain'];

const BRANCH_FORM = ['txid', 'header', 'position', 'branch', 'transaction', 'coinbase'] as const;

/** Of a proof by its branch. */
function needed<T>(value: T | undefined, field: string): T {
  if (value !== undefined) return value;
  throw new DomainError('invalid_value', `${field} is required, or a merkle_block alone instead`, { field });
}

function verdictOn(given: z.output<typeof body>, network: Network): MerkleVerdict {
  const { merkle_block: merkleBlock = null, block_hash: blockHash = null, transaction_count: count = null } = given;
  const byBranch = merkleBlock === null || BRANCH_FORM.some((member) => given[member] !== undefined);
  const branch = byBranch ? branchProofOf(given) : null;
  return verifyInclusion({ branch, merkleBlock, blockHash, transactionCount: count }, network);
}

function branchProofOf({ coinbase, transaction, ...given }: z.output<typeof body>): BranchProof {
  return {
    txid: needed(given.txid, 'txid'),
    header: needed(given.header, 'header'),
    position: needed(given.position, 'position'),
    branch: needed(given.branch, 'branch'),
    transaction: transaction === undefined ? null : transactionFromHex(transaction, 'transaction'),
    coinbase: coinbase === undefined ? null : coinbaseOf(coinbase),
  };
}

const coinbaseOf = ({ transaction, branch }: z.output<typeof branchProofFields.coinbase>) => ({
  transaction: transactionFromHex(transaction, 'coinbase.transaction'),
  branch,
});

export const verifyMerkleProof = (network: Network) =>
  operation({
    ...computes('Bitcoin', 'merkle-proofs'),
    id: 'merkle-proof.verify',
    path: '/api/v1/bitcoin/merkle-proofs/verify',
    summary: 'Check a proof that a transaction is in a block',
    description:
      'Either `merkle_block` alone (BIP37, gettxoutproof), or `txid`, `header`, `position` and `branch`, or both, as GET ' +
      '…/merkle-proof answers them: then both must hold and prove the same, in the block of `block_hash` with `transaction_count`. ' +
      "`checked` names what the verdict is of, `not_checked` what no proof holds. Checked: the hashes lead to the header's " +
      'merkle root; the header has the work it states, by the limit of the network; no level shows two equal hashes where a block has ' +
      'none (CVE-2012-2459) nor an inner node that can be read as a transaction of 64 bytes (CVE-2017-12842). With `transaction` that one ' +
      'must be the txid and not of 64 bytes itself, with `coinbase` the branches must be equally long. Whether the block is in the best ' +
      'chain is not asked here: GET /api/v1/bitcoin/headers/{hash} says it.',
    body,
    success: {
      status: 200,
      description: 'The verdict',
      schema: z.object({
        valid: z.boolean(),
        code: z.string().nullable().meta({ description: 'Why not; null where valid' }),
        reason: z.string().nullable(),
        block_hash: hashAnswer.meta({ description: "The header's" }),
        checked: z.array(z.string()).meta({ description: 'Members of the request that the verdict is of' }),
        not_checked: z
          .array(z.string())
          .meta({ description: 'Members that no proof holds: ask GET /api/v1/bitcoin/headers/{hash}' }),
        data: z
          .array(z.object({ txid: hashAnswer, position: z.int() }))
          .meta({ description: 'What the proof is of; nothing where it is not valid' }),
      }),
    },
    errors: ['invalid_value', 'invalid_transaction'],
    example: {
      body: {
        txid: merkleProofExample.txid,
        header: merkleProofExample.header,
        position: 0,
        branch: [],
      },
      response: {
        valid: true,
        code: null,
        reason: null,
        block_hash: merkleProofExample.block_hash,
        checked: ['txid', 'header', 'position', 'branch'],
        not_checked: [],
        data: [{ txid: merkleProofExample.txid, position: 0 }],
      },
    },
    inWorker: isLargeBody,
    run: async ({ body: given }) => ({ ...verdictOn(given, network), members: Object.keys(given) }),
    present: ({ problem, blockHash, matches, members }) => ({
      valid: problem === null,
      code: problem?.code ?? null,
      reason: problem?.reason ?? null,
      block_hash: blockHash,
      checked: members.filter((member) => !UNPROVEN.includes(member)),
      not_checked: members.filter((member) => UNPROVEN.includes(member)),
      data: problem === null ? matches : [],
    }),
  });
