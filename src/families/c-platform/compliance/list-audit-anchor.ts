import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AnchorProofs, AnchorView } from '../../../services/audit/anchor-proofs.ts';
import { logIdOf } from '../../../services/audit/audit-log.ts';
import { answer, pageExample, paginated, time } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { hash, headExample, logQuery } from './audit-answer.ts';

const anchor = answer(
  'AuditAnchor',
  {
    anchor_id: z.string(),
    size: z.int(),
    root: hash,
    txid: z
      .string()
      .meta({ description: 'Of the transaction that carries it now: a replacement carries the same head' }),
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
    created_at: time,
  },
  ({ time: at, txid, transaction, proof }: AnchorView) => ({
    txid: transaction?.txid ?? txid,
    status: transaction?.status ?? null,
    block_hash: transaction?.blockHash ?? null,
    block_height: transaction?.blockHeight ?? null,
    proof: proof && {
      transaction: proof.transaction,
      block_header: proof.block_header,
      index: proof.index,
      branch: [...proof.branch],
    },
    created_at: time.encode(at),
  }),
);

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
    success: { status: 200, answer: paginated(anchor), description: 'A page of anchors' },
    example: {
      response: pageExample({
        anchor_id: 'anc_9sVb1k7Q2xYt9LpRw0Zc5A',
        size: headExample.size,
        root: headExample.root,
        txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
        status: 'broadcast',
        block_hash: null,
        block_height: null,
        proof: null,
        created_at: '2026-11-21T10:00:01.000Z',
      }),
    },
    run: async ({ query: { log, ...page } }, context) => anchors.page(logIdOf(log, context), pageOf(page)),
  });
