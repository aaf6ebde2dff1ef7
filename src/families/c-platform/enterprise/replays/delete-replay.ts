import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { Replays } from '../../../../services/policies/replay/replay-service.ts';
import { replayExample, replayParams } from './replay-answer.ts';

export const deleteReplay = (replays: Replays) =>
  operation({
    id: 'replay.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/enterprise/policies/replays/{replay_id}',
    summary: 'Delete a replay',
    description: 'A running replay stops.',
    tag: 'Replays',
    effect: 'write',
    changesRules: false,
    access: { scope: 'replays:write', role: 'operator' },
    params: replayParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found'],
    example: { params: { replay_id: replayExample.replay_id } },
    run: ({ params }, context) => replays.delete(params.replay_id, context),
    present: () => undefined,
  });
