import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { Inference } from '../../services/inference/index.ts';

export const statusAi = (inference: Pick<Inference, 'status'>, version: string) =>
  operation({
    id: 'ai.status',
    family: 'f',
    method: 'GET',
    path: '/v1/ai/status',
    summary: 'How the models do',
    tag: 'AI',
    effect: 'read',
    access: { scope: 'ai:read', role: 'viewer' },
    success: {
      status: 200,
      schema: z.object({
        status: z
          .enum(['ok', 'degraded'])
          .meta({ description: 'degraded: an upstream is not asked now, because it failed' }),
        version: z.string(),
        models_loaded: z.int(),
        total_requests: z.int().meta({ description: 'That there ever were, in all processes' }),
        average_latency_ms: z.int().meta({ description: 'Of whole answers, over the last 5 minutes' }),
        error_rate: z.number().meta({ description: 'Share of requests that failed over the last 5 minutes, 0 to 1' }),
      }),
      description: 'The status',
    },
    example: {
      response: {
        ...{ status: 'ok', version: '0.2.0', models_loaded: 1, total_requests: 12 },
        ...{ average_latency_ms: 340, error_rate: 0 },
      },
    },
    run: () => inference.status(),
    present: ({ status, modelsLoaded, totalRequests, averageLatencyMs, errorRate }) => ({
      ...{ status, version, models_loaded: modelsLoaded, total_requests: totalRequests },
      ...{ average_latency_ms: averageLatencyMs, error_rate: errorRate },
    }),
  });
