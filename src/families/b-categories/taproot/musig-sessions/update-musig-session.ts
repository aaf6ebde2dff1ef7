import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith } from '../../../answer.ts';
import { writes } from '../../declarations.ts';
import { namesFields, namesOf } from '../outputs/output-answer.ts';
import { musigSession, sessionParams } from './session-answer.ts';
import { newSessionExample } from './session-example.ts';

export const updateMusigSession = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'musig-session.update',
    spends: [],
    method: 'PUT',
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}',
    summary: 'Call a MuSig2 session otherwise',
    description:
      'Replaces all that can change, in every state: what is not given becomes null. Keys, tweaks and message stand as they were given.',
    params: sessionParams,
    body: z.strictObject(namesFields),
    success: { status: 200, answer: answerWith(musigSession, { network }), description: 'The session' },
    errors: ['not_found'],
    example: {
      params: { musig_session_id: newSessionExample.musig_session_id },
      body: { name: 'Joint account', external_id: 'customer-7' },
      response: { ...newSessionExample, external_id: 'customer-7', updated_at: '2026-11-02T09:30:00.000Z' },
    },
    run: ({ params, body }, context) => musigSessions.rename(params.musig_session_id, namesOf(body), context),
  });
