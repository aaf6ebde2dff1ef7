/** The seals of a batch of records, and the inner nodes that they complete. */
import { FIRST_PREVIOUS_HASH, sealHash } from '../../core/merkle/hash-chain.ts';
import { leafHash, rootOf } from '../../core/merkle/tree-hash.ts';
import type { AuditNode, UnsealedAuditRecord } from '../../store/repositories/audit.ts';
import type { AuditSeal } from '../../store/repositories/audit-pages.ts';
import type { Repositories } from '../../store/store.ts';

/** Inner nodes are kept at every eighth level: 1/255 of a row per record, and no proof reads more than 255 of them per eight levels. */
export const NODE_LEVELS = 8;
const FAN = 2 ** NODE_LEVELS;

/** Seals the records in the order given, each log by itself. Throws where another sealer was there; then the job is undone. */
export async function sealBatch(
  tx: Pick<Repositories, 'audit'>,
  records: readonly UnsealedAuditRecord[],
): Promise<void> {
  for (const [logId, own] of Map.groupBy(records, (record) => record.logId)) {
    const last = await tx.audit.lastSeal(logId);
    const seals = sealsAfter(last, own);
    await tx.audit.insertSeals(seals);
    await insertCompleted(tx, logId, 0, seals[0]!.position, seals.length);
  }
}

function sealsAfter(last: AuditSeal | null, records: readonly UnsealedAuditRecord[]): AuditSeal[] {
  let previousHash: Uint8Array = last?.hash ?? FIRST_PREVIOUS_HASH;
  const start = last === null ? 0 : last.position + 1;
  return records.map(({ logId, sequence, recordId, entry }, index) => {
    const leaf = leafHash(Buffer.from(entry));
    const seal = {
      logId,
      position: start + index,
      sequence,
      recordId,
      previousHash,
      leafHash: leaf,
      hash: sealHash(previousHash, leaf),
    };
    previousHash = seal.hash;
    return seal;
  });
}

/** Of `count` new subtrees of a level from `start` on: those of the next kept level that they complete, and so on upwards. */
async function insertCompleted(
  tx: Pick<Repositories, 'audit'>,
  logId: string,
  level: number,
  start: number,
  count: number,
): Promise<void> {
  const first = Math.floor(start / FAN);
  const end = Math.floor((start + count) / FAN);
  if (end === first) return;
  const nodes: AuditNode[] = [];
  for (let position = first; position < end; position++) {
    const children = await tx.audit.nodes(logId, level, position * FAN, FAN);
    if (children.length !== FAN) throw new Error(`the audit log ${logId} lacks nodes of level ${level}`);
    nodes.push({ logId, level: level + NODE_LEVELS, position, hash: rootOf(children) });
  }
  await tx.audit.insertNodes(nodes);
  await insertCompleted(tx, logId, level + NODE_LEVELS, first, nodes.length);
}
