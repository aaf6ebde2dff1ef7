import { Readable } from 'node:stream';
import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AuditLog } from '../../../services/audit/audit-log.ts';
import { headExample, logQuery } from './audit-answer.ts';

export const exportAudit = (audit: Pick<AuditLog, 'export'>) =>
  operation({
    id: 'audit.export',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/audit/export',
    summary: 'The whole log as a file that can be verified without the service',
    description:
      'NDJSON: a line with the signed head of now and the keys of the log, anchored heads, then every record with its seal, and the public ' +
      'keys that signed the requests. `ashlar audit verify FILE` checks it.',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    query: z.strictObject(logQuery),
    success: {
      status: 200,
      schema: z.string(),
      contentType: 'application/x-ndjson',
      streamed: true,
      description: 'The log, streamed',
    },
    example: {
      response: `${JSON.stringify({ type: 'log', format: 'ashlar-audit-1', log: headExample.log_id, size: headExample.size, root: headExample.root, note: headExample.note, verifiers: [] })}\n`,
    },
    run: ({ query }, context) => audit.export(query.log, context),
    present: (pieces) => Readable.from(pieces, { objectMode: false, encoding: 'utf8' }),
  });
