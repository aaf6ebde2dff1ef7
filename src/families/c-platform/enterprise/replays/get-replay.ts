import { operation } from '../../../../hooks/operation.ts';
import type { Replays } from '../../../../services/policies/replay/replay-service.ts';
import { replay, replayExample, replayParams } from './replay-answer.ts';

export const getReplay = (replays: Replays) =>
  operation({
    id: 'replay.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/policies/replays/{replay_id}',
    summary: 'A replay with its progress and differences',
    tag: 'Replays',
    effect: 'read',
    access: { scope: 'replays:read', role: 'operator' },
    params: replayParams,
    success: { status: 200, answer: replay, description: 'The replay' },
    errors: ['not_found'],
    example: { params: { replay_id: replayExample.replay_id }, response: replayExample },
    run: ({ params }, context) => replays.get(params.replay_id, context),
  });
