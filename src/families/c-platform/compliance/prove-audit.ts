import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AuditLog, AuditProof } from '../../../services/audit/audit-log.ts';
import { unnamedAnswer } from '../../answer.ts';
import { booleanQuery } from '../../fields.ts';
import { auditRecordExample, hash, headExample, logQuery, recordParams, treeHead } from './audit-answer.ts';

const proof = unnamedAnswer(
  {
    record_id: z.string(),
    entry: z.string(),
    position: z.int(),
    leaf_hash: hash,
    proof: z.array(hash),
    head: treeHead.schema,
  },
  ({ record }: AuditProof) => ({ record_id: record.recordId, entry: record.entry }),
);

export const proveAudit = (audit: Pick<AuditLog, 'prove'>) =>
  operation({
    id: 'audit.prove',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/audit/{record_id}/proof',
    summary: 'Proof that a record is in the log under a signed head',
    description:
      'The audit path of RFC 6962 §2.1.1, nearest hash first. The head is the oldest one that covers the record under the present key, ' +
      'or with fresh=true one of now. A record that is not sealed yet: 409 with Retry-After.',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    params: recordParams,
    query: z.strictObject({ ...logQuery, fresh: booleanQuery.default(false) }),
    success: {
      status: 200,
      description: 'What verifies against the head',
      answer: proof,
    },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { record_id: auditRecordExample.record_id },
      response: {
        record_id: auditRecordExample.record_id,
        entry: auditRecordExample.entry,
        position: 0,
        leaf_hash: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        proof: [
          '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
          '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
          '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
        ],
        head: headExample,
      },
    },
    run: ({ params, query }, context) => audit.prove(query.log, params.record_id, { fresh: query.fresh }, context),
  });
