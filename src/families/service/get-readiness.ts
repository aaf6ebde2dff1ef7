import { z } from 'zod';
import { NETWORKS } from '../../core/network.ts';
import { operation } from '../../hooks/operation.ts';
import type { Readiness, ReadinessService } from '../../services/readiness.ts';

export const getReadiness = (readiness: Pick<ReadinessService, 'check'>) =>
  operation({
    id: 'readiness.get',
    family: 'service',
    method: 'GET',
    path: '/readyz',
    summary: 'Whether requests would be served now, part by part',
    description:
      'For load balancers: 200 where requests would be served, else 503 with the same body. Warnings do not stop anything, and should be seen to.',
    tag: 'Service',
    effect: 'read',
    access: 'public',
    limitClass: 'none',
    idempotent: false,
    success: {
      status: 200,
      description: 'Every part is ready',
      otherwise: {
        status: 503,
        description: 'A part is not ready, or the service is stopping',
        when: (result: Readiness) => !result.ready,
      },
      schema: z.object({
        status: z.enum(['ready', 'not_ready', 'stopping']),
        parts: z.object({
          database: z.object({ ok: z.boolean(), kind: z.enum(['sqlite', 'postgres']) }),
          chain: z.object({
            ok: z.boolean(),
            source: z.enum(['bitcoind', 'esplora', 'simulated']),
            network: z.enum(NETWORKS),
            height: z.int().nullable(),
            syncing: z.boolean().nullable(),
            problem: z.string().nullable(),
          }),
          follower: z.object({
            ok: z.boolean(),
            height: z.int().nullable(),
            lag: z.int().nullable(),
            halted: z.string().nullable(),
          }),
          limits: z.object({ store: z.enum(['local', 'redis']), degraded: z.boolean() }),
        }),
        warnings: z.array(z.string()),
      }),
    },
    errors: [],
    example: {
      response: {
        status: 'ready',
        parts: {
          database: { ok: true, kind: 'sqlite' },
          chain: { ok: true, source: 'bitcoind', network: 'regtest', height: 110, syncing: false, problem: null },
          follower: { ok: true, height: 110, lag: 0, halted: null },
          limits: { store: 'local', degraded: false },
        },
        warnings: [],
      },
    },
    run: () => readiness.check(),
    present: ({ ready, stopping, database, chain, follower, limits, warnings }) => ({
      status: stopping ? 'stopping' : ready ? 'ready' : 'not_ready',
      parts: { database, chain, follower, limits },
      warnings,
    }),
  });
