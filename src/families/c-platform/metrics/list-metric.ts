import { z } from 'zod';
import { GROUPS, METRIC_NAMES, METRICS, UNITS } from '../../../core/metrics/metric-table.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Metrics } from '../../../services/metrics/metrics.ts';
import { unnamedAnswer } from '../../answer.ts';
import { metricName } from './metric-fields.ts';

const names = unnamedAnswer({
  data: z.array(
    z.object({
      name: metricName,
      unit: z.enum(UNITS),
      meaning: z.string(),
      group_by: z.array(z.enum(GROUPS)),
      labels: z.array(z.string()).optional().meta({ description: "Of a metric of the account's own" }),
    }),
  ),
});

const BUILT_IN = METRIC_NAMES.map((name) => {
  const { unit, meaning, groups } = METRICS[name];
  return { name, unit, meaning, groupBy: groups };
});

export const listMetric = ({ list }: Metrics['custom']) =>
  operation({
    family: 'c',
    id: 'metric.list',
    method: 'GET',
    path: '/api/v1/metrics/names',
    summary: "The metrics there are, the account's own last",
    tag: 'Metrics',
    effect: 'read',
    access: { scope: 'metrics:read', role: 'viewer' },
    success: { status: 200, answer: names, description: 'Unit and meaning of each, and what it can be grouped by' },
    example: {
      response: {
        data: [{ name: 'contracts', unit: 'count', meaning: METRICS.contracts.meaning, group_by: ['status'] }],
      },
    },
    run: async (_, { accountId }) => ({ data: [...BUILT_IN, ...(await list(accountId))] }),
  });
