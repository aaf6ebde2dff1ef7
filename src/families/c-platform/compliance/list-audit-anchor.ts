import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AnchorProofs } from '../../../services/audit/anchor-proofs.ts';
import { logIdOf } from '../../../services/audit/audit-log.ts';
import { namedObject, pageQuery, paginationAnswer, presentPage, timeAnswer } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { hashAnswer, headExample, logQuery, presentHash } from './audit-answer.ts';

const anchorAnswer = namedObject('AuditAnchor', {
  anchor_id: z.string(),
  size: z.int(),
  root: hashAnswer,
  txid: z.string().meta({ description: 'Of the transaction that carries it now: a replacement carries the same head' }),
  status: z.string().nullable(),
  block_hash: z.string().nullable(),
  block_height: z.int().nullable(),
  proof: z
    .object({
      transaction: z.string().meta({ description: 'Hex' }),
      block_header: z.string().meta({ description: '80 bytes, hex' }),
      index: z.int().meta({ description: 'Place in the block' }),
      branch: z.array(z.string()).meta({ description: 'Merkle branch, hex in internal byte order' }),
    })
    .nullable()
    .meta({ description: 'null while it is in no block, or where the node no longer has the block' }),
  created_at: timeAnswer,
});

export const listAuditAnchor = (anchors: Pick<AnchorProofs, 'page'>) =>
  operation({
    id: 'audit-anchor.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/audit/anchors',
    summary: 'Heads of the log that are anchored in Bitcoin, with their proofs, newest first',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    query: z.strictObject({ ...pageQuery, ...logQuery }),
    success: { status: 200, schema: paginationAnswer(anchorAnswer), description: 'A page of anchors' },
    example: {
      response: {
        data: [
          {
            anchor_id: 'anc_9sVb1k7Q2xYt9LpRw0Zc5A',
            size: headExample.size,
            root: headExample.root,
            txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
            status: 'broadcast',
            block_hash: null,
            block_height: null,
            proof: null,
            created_at: '2026-11-21T10:00:01.000Z',
          },
        ],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: async ({ query: { log, ...page } }, context) => anchors.page(logIdOf(log, context), pageOf(page)),
    present: (page) =>
      presentPage(page, ({ anchorId, size, root, txid, time, transaction, proof }) => ({
        anchor_id: anchorId,
        size,
        root: presentHash(root),
        txid: transaction?.txid ?? txid,
        status: transaction?.status ?? null,
        block_hash: transaction?.blockHash ?? null,
        block_height: transaction?.blockHeight ?? null,
        proof:
          proof === null
            ? null
            : {
                transaction: proof.transaction,
                block_header: proof.block_header,
                index: proof.index,
                branch: [...proof.branch],
              },
        created_at: new Date(time).toISOString(),
      })),
  });
