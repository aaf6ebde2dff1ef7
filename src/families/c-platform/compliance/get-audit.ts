import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AuditLog } from '../../../services/audit/audit-log.ts';
import { auditRecord, auditRecordExample, logQuery, recordParams } from './audit-answer.ts';

export const getAudit = (audit: Pick<AuditLog, 'get'>) =>
  operation({
    id: 'audit.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/audit/{record_id}',
    summary: 'One record of the audit log',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    params: recordParams,
    query: z.strictObject(logQuery),
    success: { status: 200, answer: auditRecord, description: 'The record' },
    errors: ['not_found'],
    example: { params: { record_id: auditRecordExample.record_id }, response: auditRecordExample },
    run: ({ params, query }, context) => audit.get(query.log, params.record_id, context),
  });
