import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith } from '../../../answer.ts';
import { reads } from '../../declarations.ts';
import { musigSession, sessionParams } from './session-answer.ts';
import { completeExample } from './session-example.ts';

export const getMusigSession = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...reads('Taproot', 'taproot'),
    id: 'musig-session.get',
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}',
    summary: 'One MuSig2 session',
    params: sessionParams,
    success: { status: 200, answer: answerWith(musigSession, { network }), description: 'The session' },
    errors: ['not_found'],
    example: { params: { musig_session_id: completeExample.musig_session_id }, response: completeExample },
    run: ({ params }, context) => musigSessions.get(params.musig_session_id, context),
  });
