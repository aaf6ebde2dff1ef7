import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AuditLog } from '../../../services/audit/audit-log.ts';
import type { LogKeyView } from '../../../services/audit/audit-log-keys.ts';
import { answer, time, unnamedAnswer } from '../../answer.ts';
import { integerQuery } from '../../fields.ts';
import { hash, headExample, logQuery, treeHead } from './audit-answer.ts';

const checkpointKey = answer(
  'CheckpointKey',
  {
    key_id: z.string(),
    algorithm: z.literal('ed25519'),
    public_key: z.string().meta({ description: '32 bytes, base64' }),
    verifier: z.string().meta({ description: '<name>+<key id>+<key>: what C2SP signed-note tools take' }),
    created_at: time,
  },
  ({ publicKey }: LogKeyView) => ({
    algorithm: 'ed25519' as const,
    public_key: Buffer.from(publicKey).toString('base64'),
  }),
);

export const getAuditCheckpoint = (audit: Pick<AuditLog, 'checkpoint'>) =>
  operation({
    id: 'audit-checkpoint.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/audit/checkpoint',
    summary: 'A signed head of the log as it is now, and the keys that sign',
    description:
      'With from_size also the proof (RFC 6962 §2.1.2) that the log begins with what a head of that size covered: nothing was taken out.',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    query: z.strictObject({
      ...logQuery,
      from_size: integerQuery(1, Number.MAX_SAFE_INTEGER)
        .meta({ description: 'Size of a head seen before' })
        .optional(),
    }),
    success: {
      status: 200,
      description: 'The head; keys oldest first, the last one signs',
      answer: unnamedAnswer({
        head: treeHead.schema,
        keys: z.array(checkpointKey.schema),
        consistency: z.object({ from_size: z.int(), proof: z.array(hash) }).nullable(),
      }),
    },
    example: {
      response: {
        head: headExample,
        keys: [
          {
            key_id: '530d903a',
            algorithm: 'ed25519',
            public_key: '6TJ5GuubrqHkCkYWTJBHhkJtXngh3YtooA1hyucq/dQ=',
            verifier:
              'ashlar/8a5c1e0f93b2d417/acc_3mVb1k7Q2xYt9LpRw0Zc5A+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
            created_at: '2026-11-01T08:00:00.000Z',
          },
        ],
        consistency: null,
      },
    },
    run: ({ query }, context) => audit.checkpoint(query.log, query.from_size ?? null, context),
  });
