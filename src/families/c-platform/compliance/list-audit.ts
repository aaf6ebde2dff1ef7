import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AuditLog } from '../../../services/audit/audit-log.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { auditRecord, auditRecordExample, logQuery } from './audit-answer.ts';

const timeQuery = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-21T10:00:00Z' })
  .transform((text) => Date.parse(text));
const nameQuery = z.string().min(1).max(128);

export const listAudit = (audit: Pick<AuditLog, 'list'>) =>
  operation({
    id: 'audit.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/audit',
    summary: 'The audit log: every modifying request and every refused one, newest first',
    description:
      'An account sees its own log. A record is sealed within a second, and its seal is null until then. `entry` is the text that is hashed: ' +
      'what was asked, by whom, from where, signed how, and how it ended.',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    query: z.strictObject({
      ...pageQuery,
      ...logQuery,
      from: timeQuery.meta({ description: 'Not before' }).optional(),
      to: timeQuery.meta({ description: 'Before' }).optional(),
      operation: nameQuery.meta({ description: 'Operation id, such as wallet.create' }).optional(),
      credential: nameQuery.meta({ description: 'Id of a credential or person' }).optional(),
      outcome: nameQuery.meta({ description: 'done, or the details.code of a refusal, such as forbidden' }).optional(),
      target: nameQuery.meta({ description: 'Id of what was made or changed' }).optional(),
    }),
    success: { status: 200, answer: paginated(auditRecord), description: 'A page of records' },
    example: {
      query: { operation: 'wallet.create', limit: '20' },
      response: pageExample(auditRecordExample),
    },
    run: ({ query: { log, from, to, operation: id, credential, outcome, target, ...page } }, context) =>
      audit.list(log, { from, to, operation: id, credentialId: credential, outcome, target }, pageOf(page), context),
  });
