import { z } from 'zod';
import { GROUPS, METRIC_NAMES, METRICS, UNITS } from '../../../core/metrics/metric-table.ts';
import { operation } from '../../../hooks/operation.ts';
import { unnamedAnswer } from '../../answer.ts';

const names = unnamedAnswer({
  data: z.array(
    z.object({
      name: z.enum(METRIC_NAMES),
      unit: z.enum(UNITS),
      meaning: z.string(),
      group_by: z.array(z.enum(GROUPS)),
    }),
  ),
});

export const listMetric = () =>
  operation({
    family: 'c',
    id: 'metric.list',
    method: 'GET',
    path: '/api/v1/metrics/names',
    summary: 'The metrics there are',
    tag: 'Metrics',
    effect: 'read',
    access: { scope: 'metrics:read', role: 'viewer' },
    success: { status: 200, answer: names, description: 'Unit and meaning of each, and what it can be grouped by' },
    example: {
      response: {
        data: [{ name: 'contracts', unit: 'count', meaning: METRICS.contracts.meaning, group_by: ['status'] }],
      },
    },
    run: async () => ({
      data: METRIC_NAMES.map((name) => {
        const { unit, meaning, groups } = METRICS[name];
        return { name, unit, meaning, groupBy: groups };
      }),
    }),
  });
