import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith } from '../../../answer.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { writes } from '../../declarations.ts';
import { bytesField } from '../taproot-fields.ts';
import { musigSession, participantField, sessionParams } from './session-answer.ts';
import { completeExample, partialSignatureBody } from './session-example.ts';

export const addMusigPartialSignature = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'musig-partial-signature.add',
    spends: ['musig'],
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}/partial-signatures',
    summary: "Give a participant's partial signature",
    description: 'It is verified before it is taken. With the last one the signature is made and answered.',
    params: sessionParams,
    body: z.strictObject({ public_key: participantField, partial_signature: bytesField('a partial signature', 32) }),
    ...orHeld(answerWith(musigSession, { network }), 'The session'),
    errors: [
      'not_found',
      'state_conflict',
      'already_exists',
      'not_a_participant',
      'invalid_signature',
      'policy_refused',
    ],
    example: {
      params: { musig_session_id: completeExample.musig_session_id },
      body: partialSignatureBody,
      response: completeExample,
    },
    run: ({ params, body }, context) =>
      musigSessions.addPartialSignature(params.musig_session_id, body.public_key, hex(body.partial_signature), context),
  });
