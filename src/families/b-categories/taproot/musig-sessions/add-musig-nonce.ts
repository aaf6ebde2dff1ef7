import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith } from '../../../answer.ts';
import { writes } from '../../declarations.ts';
import { bytesField } from '../taproot-fields.ts';
import { musigSession, participantField, sessionParams } from './session-answer.ts';
import { newSessionExample, nonceBody, withNonceExample } from './session-example.ts';

export const addMusigNonce = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'musig-nonce.add',
    spends: [],
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}/nonces',
    summary: "Give a participant's public nonce",
    description:
      'It stands, and no session of the account takes it again. With the last one the nonces are aggregated, and signatures awaited.',
    params: sessionParams,
    body: z.strictObject({ public_key: participantField, public_nonce: bytesField('a public nonce', 66) }),
    success: { status: 200, answer: answerWith(musigSession, { network }), description: 'The session' },
    errors: ['not_found', 'state_conflict', 'already_exists', 'not_a_participant'],
    example: {
      params: { musig_session_id: newSessionExample.musig_session_id },
      body: nonceBody,
      response: withNonceExample,
    },
    run: ({ params, body }, context) =>
      musigSessions.addNonce(params.musig_session_id, body.public_key, hex(body.public_nonce), context),
  });
