/** What an anchored head has to show: where its transaction is by now, and that it is in its block. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { type AnchorProof, anchorData } from '../../core/audit-log/anchor.ts';
import { merkleBranch } from '../../core/audit-log/block-inclusion.ts';
import { parseBlockTransactions } from '../../core/blocks/block.ts';
import { HEADER_SIZE } from '../../core/blocks/header.ts';
import { parseTransaction } from '../../core/blocks/transaction.ts';
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import { createLru } from '../../core/lru.ts';
import { type BlockHash, internalHash, type Txid } from '../../core/outpoint.ts';
import { dataScript } from '../../core/scripts/data-script.ts';
import type { Page, PageRequest, TransactionRecord } from '../../store/records.ts';
import type { AuditAnchor } from '../../store/repositories/audit-anchor-pages.ts';
import type { Store } from '../../store/store.ts';

const CACHED_PROOFS = 100;
const PAGE = 100;

export interface AnchorView extends AuditAnchor {
  /** Of the transaction that stands for it now: a replacement carries the same head. null where it is gone from the records. */
  readonly transaction: Pick<TransactionRecord, 'txid' | 'status' | 'blockHash' | 'blockHeight'> | null;
  /** null while it is in no block, and where the node no longer has the block. */
  readonly proof: AnchorProof | null;
}

export function createAnchorProofs(deps: {
  store: Pick<Store, 'read'>;
  /** null: without a node (the command line) no proof can be made. */
  chain: Pick<ChainSource, 'block'> | null;
}) {
  const { store, chain } = deps;
  /** By block and txid: what is in a block does not change. */
  const proofs = createLru<string, AnchorProof>(CACHED_PROOFS);

  /** The transaction that carries the head now: the last of its replacements that does. A cancellation does not. */
  async function standing({ accountId, txid, size, root }: AuditAnchor): Promise<TransactionRecord | null> {
    const script = dataScript(anchorData({ size, root }));
    let record = await store.read.transactions.find(accountId, txid as Txid);
    const seen = new Set<string>();
    while (record?.replacedBy && record.status === 'replaced' && !seen.has(record.txid)) {
      seen.add(record.txid);
      const next = await store.read.transactions.find(accountId, record.replacedBy);
      if (next === null || !pays(next, script)) break;
      record = next;
    }
    return record;
  }

  async function proofOf({ txid, raw }: TransactionRecord, blockHash: BlockHash): Promise<AnchorProof | null> {
    const key = `${blockHash} ${txid}`;
    const known = proofs.get(key);
    if (known !== undefined || chain === null || raw === null) return known ?? null;
    const bytes = await blockBytes(chain, blockHash);
    if (bytes === null) return null;
    const txids = parseBlockTransactions(bytes).map((transaction) => transaction.txid);
    const index = txids.indexOf(txid);
    if (index < 0) return null;
    return proofs.set(key, {
      txid,
      transaction: hex(raw),
      block_hash: blockHash,
      block_header: hex(bytes.subarray(0, HEADER_SIZE)),
      index,
      branch: merkleBranch(txids.map(internalHash), index).map((hash) => hash.toString('hex')),
    });
  }

  async function view(anchor: AuditAnchor): Promise<AnchorView> {
    const record = await standing(anchor);
    if (record === null) return { ...anchor, transaction: null, proof: null };
    const proof = record.blockHash === null ? null : await proofOf(record, record.blockHash);
    return { ...anchor, transaction: record, proof };
  }

  async function page(logId: string, request: PageRequest): Promise<Page<AnchorView>> {
    const found = await store.read.audit.listAnchors(logId, request);
    const data: AnchorView[] = [];
    // One block after another: each may have megabytes.
    for (const anchor of found.data) data.push(await view(anchor));
    return { ...found, data };
  }

  return {
    page,
    standing,
    /** By size. */
    async all(logId: string) {
      const anchors: AnchorView[] = [];
      for (let more = true; more; ) {
        const found = await page(logId, { limit: PAGE, offset: anchors.length });
        anchors.push(...found.data);
        more = found.hasMore;
      }
      return anchors.sort((a, b) => a.size - b.size);
    },
  };
}

export type AnchorProofs = ReturnType<typeof createAnchorProofs>;

const pays = ({ raw }: TransactionRecord, script: string): boolean =>
  raw !== null && parseTransaction(raw).outputs.some((output) => output.scriptPubKey === script);

/** null where the node does not have it (pruned) or is away: the proof can be had later. */
async function blockBytes(chain: Pick<ChainSource, 'block'>, hash: BlockHash): Promise<Uint8Array | null> {
  try {
    return (await chain.block(hash))?.bytes ?? null;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
