import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { writes } from '../../declarations.ts';
import { sessionParams } from './session-answer.ts';
import { newSessionExample } from './session-example.ts';

export const cancelMusigSession = ({ musigSessions }: TaprootService) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'musig-session.cancel',
    spends: [],
    method: 'DELETE',
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}',
    summary: 'Cancel a MuSig2 session',
    description:
      'Nothing more is taken for it. The record stays, as one that is cancelled, and the nonces that it was given are refused in every other session: a nonce signs once.',
    params: sessionParams,
    success: { status: 204, schema: z.undefined(), description: 'Cancelled, now or before' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { musig_session_id: newSessionExample.musig_session_id } },
    run: ({ params }, context) => musigSessions.cancel(params.musig_session_id, context),
    present: () => undefined,
  });
