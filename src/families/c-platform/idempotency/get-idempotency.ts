import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { IdempotencyService } from '../../../services/requests/idempotency.ts';
import { time, unnamedAnswer } from '../../answer.ts';

export const getIdempotency = (idempotency: Pick<IdempotencyService, 'state'>) =>
  operation({
    id: 'idempotency.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/idempotency/{key}',
    summary: 'What became of the request with an Idempotency-Key',
    description:
      'Known while the request runs, and for 24 hours after its effect was committed. Never the answer itself.',
    tag: 'Idempotency',
    effect: 'read',
    access: { scope: 'idempotency:read', role: 'viewer' },
    params: z.strictObject({
      key: z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 visible ASCII characters'),
    }),
    success: {
      status: 200,
      description: 'Its state; status is the HTTP status of the answer, target what it made or changed',
      answer: unnamedAnswer({
        key: z.string(),
        state: z.enum(['in_progress', 'completed']),
        status: z.int().nullable(),
        operation: z.string(),
        target: z.string().nullable(),
        created_at: time,
      }),
    },
    errors: ['not_found'],
    example: {
      params: { key: 'order-1138' },
      response: {
        key: 'order-1138',
        state: 'completed',
        status: 201,
        operation: 'transaction.create',
        target: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
        created_at: '2026-11-20T10:00:00.000Z',
      },
    },
    run: ({ params }, context) => idempotency.state(context.accountId, params.key),
  });
