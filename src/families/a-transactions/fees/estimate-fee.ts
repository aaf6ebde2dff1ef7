import { z } from 'zod';
import { formatFeeRate } from '../../../core/fee-rate.ts';
import { operation } from '../../../hooks/operation.ts';
import { DEFAULT_TARGETS } from '../../../services/fees/fee-service.ts';
import type { FeeService } from '../../../services/fees/index.ts';

const MAX_TARGET = 1008;
const MAX_TARGETS = 50;

const targetsField = z
  .string()
  .meta({ description: 'Confirmation targets in blocks, separated by commas', examples: ['1,6,144'] })
  .transform((value, context): number[] => {
    const targets = value.split(',').map((part) => (/^[1-9]\d{0,3}$/.test(part) ? Number(part) : Number.NaN));
    if (targets.length <= MAX_TARGETS && targets.every((target) => target <= MAX_TARGET)) return targets;
    context.issues.push({
      code: 'custom',
      message: `must be up to ${MAX_TARGETS} whole numbers from 1 to ${MAX_TARGET}, separated by commas, such as 1,6,144`,
      input: value,
    });
    return z.NEVER;
  });

export const estimateFee = (fees: FeeService) =>
  operation({
    id: 'fee.estimate',
    family: 'a',
    method: 'GET',
    path: '/api/v1/fees/estimates',
    summary: 'Feerates by confirmation target',
    description:
      'An object of target (blocks) to feerate in sat/vB, or "unavailable" where the node has too little data to say. Never below ' +
      'what the mempool takes now.',
    tag: 'Fees',
    effect: 'read',
    access: { scope: 'fees:read', role: 'viewer' },
    query: z.strictObject({ targets: targetsField.optional() }),
    success: {
      status: 200,
      schema: z.record(z.string(), z.string().meta({ description: 'sat/vB, or "unavailable"', examples: ['12.5'] })),
      description: 'Target to feerate',
    },
    errors: ['invalid_value', 'node_unavailable', 'node_syncing'],
    example: { query: { targets: '1,6,144' }, response: { '1': '12.5', '6': '8', '144': 'unavailable' } },
    run: ({ query }) => fees.estimates(query.targets ?? DEFAULT_TARGETS),
    present: (estimates) =>
      Object.fromEntries(
        [...estimates].map(([target, rate]) => [target, rate === 'unavailable' ? rate : formatFeeRate(rate)]),
      ),
  });
