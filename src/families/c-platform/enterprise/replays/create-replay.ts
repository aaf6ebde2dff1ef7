import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import { MAX_POLICIES } from '../../../../services/policies/manage-policies.ts';
import type { Replays } from '../../../../services/policies/replay/replay-service.ts';
import { namedRequest } from '../../../fields.ts';
import { actionOf, conditionsOf, policyBody } from '../policies/policy-fields.ts';
import { replay, replayExample } from './replay-answer.ts';

const timeField = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-01T00:00:00Z' })
  .transform((text) => Date.parse(text));

export const createReplay = (replays: Replays) =>
  operation({
    id: 'replay.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/policies/replay',
    summary: 'Replay rules over past payments',
    description:
      "Evaluates rules over the account's past payments: counts before and after, and each payment that they would have decided otherwise, " +
      'with the figures that made them match. Nothing is put in force. A long history is replayed in the background, and the answer is 202. A ' +
      'replay is kept for 7 days; an account has at most 20, 5 of them running.',
    tag: 'Replays',
    effect: 'write',
    changesRules: false,
    access: { scope: 'replays:write', role: 'operator' },
    body: namedRequest('ReplayRequest', {
      policies: z
        .array(policyBody)
        .max(MAX_POLICIES, `must have at most ${MAX_POLICIES} rules`)
        .optional()
        .meta({ description: 'The complete set of rules. Left out: those in force' }),
      default_action: z
        .enum(['allow', 'deny'])
        .optional()
        .meta({ description: 'If no rule matches. Left out: that of the config' }),
      from: timeField.meta({ description: 'Payments created at this time or later' }),
      to: timeField.optional().meta({ description: 'Payments created before this time. Left out: now' }),
    }),
    success: {
      status: 200,
      answer: replay,
      description: 'The replay with its differences',
      waiting: {
        status: 202,
        description: 'The replay is running: get it by its id',
        when: ({ status }) => status === 'running',
        example: {
          ...{ ...replayExample, status: 'running', progress: 0, payments: 0, differing: 0, differences: [] },
          before: { allowed: 0, approvals: 0, denied: 0 },
          after: { allowed: 0, approvals: 0, denied: 0 },
          ...{ closed_at: null, expires_at: null },
        },
      },
    },
    errors: ['not_found', 'state_conflict', 'policy_refused'],
    example: {
      body: {
        policies: [
          {
            name: 'Ceiling',
            when: { amount_over: '0.5' },
            then: { action: 'deny', message: 'more than half a bitcoin goes through the board' },
          },
        ],
        from: '2026-11-01T00:00:00Z',
      },
      response: replayExample,
    },
    run: ({ body: { policies, default_action: defaultAction, from: fromAt, to: toAt } }, context) =>
      replays.create(
        {
          ...{ defaultAction, fromAt, toAt },
          policies: policies?.map(({ name, enabled, when, then }) => ({
            ...{ name, enabled, when: conditionsOf(when), then: actionOf(then) },
          })),
        },
        context,
      ),
  });
