import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { presentSession, sessionAnswer, sessionParams } from './session-answer.ts';
import { newSessionExample } from './session-example.ts';

export const cancelMusigSession = ({ musigSessions, network }: TaprootService) =>
  operation({
    id: 'musig-session.cancel',
    family: 'b',
    method: 'DELETE',
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}',
    summary: 'Cancel a MuSig2 session',
    description:
      'Nothing more is taken for it. The record stays, and the nonces that it was given are refused in every other session: a nonce signs once.',
    tag: 'Taproot',
    effect: 'write',
    access: { scope: 'taproot:write', role: 'operator' },
    limitClass: 'standard',
    idempotent: true,
    params: sessionParams,
    success: { status: 200, schema: sessionAnswer, description: 'The session, cancelled' },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { musig_session_id: newSessionExample.musig_session_id },
      response: { ...newSessionExample, state: 'cancelled', updated_at: '2026-11-02T09:30:00.000Z' },
    },
    run: ({ params }, context) => musigSessions.cancel(params.musig_session_id, context),
    present: (session) => presentSession(session, network),
  });
