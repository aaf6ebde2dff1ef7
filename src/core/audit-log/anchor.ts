/**
 * A tree head in a Bitcoin transaction: an OP_RETURN output of 47 bytes, "ASHLAR", a version byte 1, the size as 8 bytes big-endian, and
 * the root. Together with a block's header it shows that the head, and every record under it, was there when the block was made.
 */
import { meetsTarget, parseHeader } from '../blocks/header.ts';
import { MalformedDataError } from '../blocks/malformed-data-error.ts';
import { parseTransaction } from '../blocks/transaction.ts';
import { displayHash, internalHash } from '../outpoint.ts';
import { dataScript } from '../scripts/data-script.ts';
import { branchRoot } from './block-inclusion.ts';

const MAGIC = Buffer.from('ASHLAR\u0001', 'latin1');

export interface AnchoredHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** The data of the OP_RETURN output. */
export function anchorData({ size, root }: AnchoredHead): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(size));
  return Buffer.concat([MAGIC, length, root]);
}

/** What an export has of an anchor whose transaction is in a block. Hex; hashes as people write them, the branch in internal order. */
export interface AnchorProof {
  readonly txid: string;
  readonly transaction: string;
  readonly block_hash: string;
  readonly block_header: string;
  readonly index: number;
  readonly branch: readonly string[];
}

/** What is wrong with a proof that the head is in that block; null where it holds. That the block is in the chain is the node's to say. */
export function anchorProblem(head: AnchoredHead, proof: AnchorProof): string | null {
  try {
    const raw = Buffer.from(proof.transaction, 'hex');
    const transaction = parseTransaction(raw);
    if (transaction.txid !== proof.txid) return 'its transaction has another txid';
    // An inner node of a block's tree is 64 bytes: what has that length could be one that is passed off as a transaction.
    if (raw.length === 64) return 'its transaction has the length of an inner node';
    const script = dataScript(anchorData(head));
    if (!transaction.outputs.some((output) => output.scriptPubKey === script)) {
      return 'its transaction does not carry the head';
    }
    const header = parseHeader(Buffer.from(proof.block_header, 'hex'));
    if (header.hash !== proof.block_hash || proof.block_header.length !== 160) return 'its header is another block';
    if (!meetsTarget(header)) return 'its block has no proof of work';
    const branch = proof.branch.map((hash) => Buffer.from(hash, 'hex'));
    const root = displayHash(branchRoot(internalHash(transaction.txid), proof.index, branch));
    return root === header.merkleRoot ? null : 'its transaction is not in its block';
  } catch (error) {
    if (error instanceof MalformedDataError) return `it is malformed: ${error.message}`;
    throw error;
  }
}
