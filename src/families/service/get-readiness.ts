import { z } from 'zod';
import { NETWORKS } from '../../core/network.ts';
import { operation } from '../../hooks/operation.ts';
import type { Readiness, ReadinessService, ReadyFor } from '../../services/readiness.ts';

type Asked = Omit<Readiness, 'ready'> & { ready: boolean; asked: ReadyFor };

const READY = {
  status: 'ready',
  for: 'reads',
  parts: {
    database: { ok: true, kind: 'sqlite', writable: true, problem: null },
    chain: { ok: true, source: 'bitcoind', network: 'regtest', height: 110, syncing: false, problem: null },
    follower: { ok: true, height: 110, lag: 0, halted: null },
    master_key: { ok: true },
    limits: { store: 'local', degraded: false },
  },
  warnings: [],
};

const NOT_READY = {
  ...READY,
  status: 'not_ready',
  parts: {
    ...READY.parts,
    database: { ok: false, kind: 'sqlite', writable: false, problem: 'it does not answer' },
  },
};

export const getReadiness = (service: Pick<ReadinessService, 'check'>) =>
  operation({
    id: 'readiness.get',
    family: 'service',
    method: 'GET',
    path: '/readyz',
    summary: 'Whether requests would be served now, part by part',
    description:
      'For load balancers: 200 where requests would be served, else 503 with the same body. Reads are served while the database answers; what modifies needs a database that takes writes, the node and a follower at its tip, too: that is asked with `?for=writes`. Warnings do not stop anything, and should be seen to.',
    tag: 'Service',
    effect: 'read',
    access: 'public',
    limitClass: 'none',
    query: z.strictObject({ for: z.enum(['reads', 'writes'], { error: 'must be reads or writes' }).default('reads') }),
    success: {
      status: 200,
      description: 'What is asked for is served',
      otherwise: {
        status: 503,
        description: 'A part that it needs is not ready, or the service is stopping',
        when: (result: Asked) => !result.ready,
        example: NOT_READY,
      },
      schema: z.object({
        status: z.enum(['ready', 'not_ready', 'stopping']),
        // A name of its own: generators call an enum by its field, and `for` is a reserved word.
        for: z.enum(['reads', 'writes']).meta({ id: 'ReadinessScope' }),
        parts: z.object({
          database: z.object({
            ok: z.boolean(),
            kind: z.enum(['sqlite', 'postgres']),
            writable: z.boolean(),
            problem: z.string().nullable(),
          }),
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
          master_key: z.object({ ok: z.boolean() }),
          limits: z.object({ store: z.enum(['local', 'redis']), degraded: z.boolean() }),
        }),
        warnings: z.array(z.string()),
      }),
    },
    example: { response: READY },
    run: async ({ query }): Promise<Asked> => {
      const readiness = await service.check(query.for);
      return { ...readiness, asked: query.for, ready: readiness.ready[query.for] };
    },
    present: ({ ready, asked, stopping, database, chain, follower, masterKey, limits, warnings }) => ({
      status: stopping ? 'stopping' : ready ? 'ready' : 'not_ready',
      for: asked,
      parts: { database, chain, follower, master_key: masterKey, limits },
      warnings,
    }),
  });
