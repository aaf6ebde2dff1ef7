/** Whether a proof of inclusion holds, in either form. */
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { type BlockHash, displayHash, internalHash, type Txid } from '../outpoint.ts';
import type { BlockHeader } from './header.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { type MerkleProblem, rootOfBranch } from './merkle-branch.ts';
import { type ParsedMerkleBlock, parseMerkleBlock } from './partial-merkle-tree.ts';
import { workProblem } from './proof-of-work.ts';
import type { ParsedTransaction } from './transaction.ts';

type InclusionProblem =
  | MerkleProblem
  | 'wrong-root'
  | 'no-work'
  | 'no-match'
  | 'wrong-transaction'
  | 'sixty-four-bytes'
  | 'position-beyond-branch'
  | 'wrong-coinbase'
  | 'unequal-branches'
  | 'other-block'
  | 'other-count'
  | 'forms-differ';

export interface MerkleVerdict {
  readonly problem: { readonly code: InclusionProblem; readonly reason: string } | null;
  readonly blockHash: BlockHash;
  readonly matches: readonly { readonly txid: Txid; readonly position: number }[];
}

export interface BranchProof {
  readonly txid: Txid;
  readonly header: BlockHeader;
  readonly position: number;
  /** Internal order. */
  readonly branch: readonly Uint8Array[];
  readonly transaction: ParsedTransaction | null;
  readonly coinbase: { readonly transaction: ParsedTransaction; readonly branch: readonly Uint8Array[] } | null;
}

const REASONS: Readonly<Record<InclusionProblem, string>> = {
  'equal-siblings':
    'two equal hashes stand side by side, as in a block whose transactions were doubled (CVE-2012-2459)',
  'node-is-transaction': 'an inner node can be read as a transaction of 64 bytes (CVE-2017-12842)',
  'wrong-root': "the hashes do not lead to the header's merkle root",
  'no-work': 'the header does not have the work that the network asks for',
  'no-match': 'the proof names no transaction',
  'wrong-transaction': 'the transaction has another txid',
  'sixty-four-bytes': 'a transaction of 64 bytes without witness cannot be told from an inner node (CVE-2017-12842)',
  'position-beyond-branch': 'a tree of this height has no such position',
  'wrong-coinbase': "the coinbase's branch does not lead to the header's merkle root, or it is no coinbase",
  'unequal-branches': 'the branches of transaction and coinbase are not equally long (CVE-2017-12842)',
  'other-block': 'the header is not the one of block_hash',
  'other-count': 'a block with transaction_count transactions has another tree',
  'forms-differ': 'merkle_block proves another transaction, place or block than the branch does',
};

export function verifyBranchProof(proof: BranchProof, network: Network): MerkleVerdict {
  const { txid, header, position } = proof;
  const code = branchProblem(proof) ?? (workProblem(header, network) === null ? null : 'no-work');
  return verdict(code, header.hash, [{ txid, position }]);
}

function branchProblem({
  txid,
  header,
  position,
  branch,
  transaction,
  coinbase,
}: BranchProof): InclusionProblem | null {
  if (position >= 2 ** branch.length) return 'position-beyond-branch';
  if (transaction !== null) {
    if (transaction.txid !== txid) return 'wrong-transaction';
    if (isSixtyFour(transaction)) return 'sixty-four-bytes';
  }
  const root = internalHash(header.merkleRoot);
  const found = rootOfBranch(internalHash(txid), position, branch);
  if (!found.root.equals(root)) return 'wrong-root';
  if (found.problem !== null || coinbase === null) return found.problem;
  const first = rootOfBranch(internalHash(coinbase.transaction.txid), 0, coinbase.branch);
  if (!coinbase.transaction.coinbase || isSixtyFour(coinbase.transaction) || !first.root.equals(root))
    return 'wrong-coinbase';
  return coinbase.branch.length === branch.length ? first.problem : 'unequal-branches';
}

/** What may be said beside a proof, and must then agree with it. */
export interface ProofClaims {
  /** Internal order. */
  readonly blockHash: Uint8Array | null;
  readonly transactionCount: number | null;
}

/** A proof in one form or in both, which must then prove the same. Throws `invalid_value` at merkle_block where it cannot be read. */
export function verifyInclusion(
  proof: { readonly branch: BranchProof | null; readonly merkleBlock: Uint8Array | null } & ProofClaims,
  network: Network,
): MerkleVerdict {
  const { branch, merkleBlock, blockHash, transactionCount } = proof;
  const partial = merkleBlock && readMerkleBlock(merkleBlock);
  const verdicts = [
    ...(branch === null ? [] : [verifyBranchProof(branch, network)]),
    ...(partial === null ? [] : [verdictOnMerkleBlock(partial, network)]),
  ];
  const first = verdicts[0];
  if (first === undefined) throw new Error('a proof has one form at least');
  const wrong = verdicts.find(({ problem }) => problem !== null);
  if (wrong) return wrong;
  const refuse = (code: InclusionProblem): MerkleVerdict => verdict(code, first.blockHash, first.matches);
  const proves = (one: MerkleVerdict): string => JSON.stringify([one.blockHash, one.matches]);
  if (verdicts.some((one) => proves(one) !== proves(first))) return refuse('forms-differ');
  if (blockHash !== null && !internalHash(first.blockHash).equals(blockHash)) return refuse('other-block');
  if (transactionCount !== null) {
    const height = Math.ceil(Math.log2(transactionCount));
    const beyond = first.matches.some(({ position }) => position >= transactionCount);
    const counted = partial?.transactionCount ?? transactionCount;
    if (beyond || counted !== transactionCount || (branch?.branch.length ?? height) !== height)
      return refuse('other-count');
  }
  return first;
}

/** Without witness, as the merkle tree hashes it: weight = 3 × stripped size + size. */
const isSixtyFour = ({ weight, raw }: ParsedTransaction): boolean => (weight - raw.length) / 3 === 64;

/** Throws `invalid_value` at merkle_block where it cannot be read. */
export const verifyMerkleBlock = (bytes: Uint8Array, network: Network): MerkleVerdict =>
  verdictOnMerkleBlock(readMerkleBlock(bytes), network);

function verdictOnMerkleBlock(proof: ParsedMerkleBlock, network: Network): MerkleVerdict {
  const matches = proof.matches.map(({ hash, position }) => ({ txid: displayHash(hash) as Txid, position }));
  return verdict(merkleBlockProblem(proof, network), proof.header.hash, matches);
}

function readMerkleBlock(bytes: Uint8Array): ParsedMerkleBlock {
  try {
    return parseMerkleBlock(bytes);
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    throw new DomainError('invalid_value', `this is no merkle block: ${error.message}`, { field: 'merkle_block' });
  }
}

function merkleBlockProblem(proof: ParsedMerkleBlock, network: Network): InclusionProblem | null {
  if (!proof.root.equals(internalHash(proof.header.merkleRoot))) return 'wrong-root';
  if (proof.problem !== null) return proof.problem;
  if (workProblem(proof.header, network) !== null) return 'no-work';
  return proof.matches.length === 0 ? 'no-match' : null;
}

const verdict = (
  code: InclusionProblem | null,
  blockHash: BlockHash,
  matches: MerkleVerdict['matches'],
): MerkleVerdict => ({ problem: code && { code, reason: REASONS[code] }, blockHash, matches });
