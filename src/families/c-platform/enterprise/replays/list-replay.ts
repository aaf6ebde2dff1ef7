import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { Replays } from '../../../../services/policies/replay/replay-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { pageOf } from '../../../optional-values.ts';
import { listedReplay, listedReplayExample } from './replay-answer.ts';

export const listReplay = (replays: Replays) =>
  operation({
    id: 'replay.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/policies/replays',
    summary: "The account's replays",
    tag: 'Replays',
    effect: 'read',
    access: { scope: 'replays:read', role: 'operator' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(listedReplay), description: 'A page of replays, newest first' },
    example: { query: { limit: '20' }, response: pageExample(listedReplayExample) },
    run: ({ query }, context) => replays.page(pageOf(query), context),
  });
