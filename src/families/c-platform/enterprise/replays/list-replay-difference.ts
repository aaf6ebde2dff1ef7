import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { Replays } from '../../../../services/policies/replay/replay-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { pageOf } from '../../../optional-values.ts';
import { replayDifference, replayDifferenceExample, replayExample, replayParams } from './replay-answer.ts';

export const listReplayDifference = (replays: Replays) =>
  operation({
    id: 'replay-difference.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/policies/replays/{replay_id}/differences',
    summary: 'Payments that a replay decides otherwise',
    description: 'At most the first 5000; `differing` of the replay counts all. Replay a shorter time to see more.',
    tag: 'Replays',
    effect: 'read',
    access: { scope: 'replays:read', role: 'operator' },
    params: replayParams,
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(replayDifference), description: 'A page of payments, newest first' },
    errors: ['not_found'],
    example: {
      params: { replay_id: replayExample.replay_id },
      query: { limit: '20' },
      response: pageExample(replayDifferenceExample),
    },
    run: ({ params, query }, context) => replays.differences(params.replay_id, pageOf(query), context),
  });
