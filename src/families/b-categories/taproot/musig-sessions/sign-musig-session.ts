import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith } from '../../../answer.ts';
import { writes } from '../../declarations.ts';
import { keyField } from '../taproot-fields.ts';
import { musigSession, sessionParams } from './session-answer.ts';
import { keyBody, signedByLastExample } from './session-example.ts';

export const signMusigSession = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'musig-session.sign',
    spends: ['musig'],
    path: '/api/v1/taproot/musig-sessions/{musig_session_id}/sign',
    summary: 'Sign a MuSig2 session as its last participant',
    description:
      "When every other participant's nonce is there: nonce and partial signature of this one are made at once (BIP327's deterministic signing), " +
      'so that no secret nonce is ever kept, and none used twice. The key is used for this and forgotten.',
    secretBody: true,
    params: sessionParams,
    body: z.strictObject({ key: keyField }),
    success: { status: 200, answer: answerWith(musigSession, { network }), description: 'The session' },
    errors: ['not_found', 'state_conflict', 'already_exists', 'not_a_participant', 'invalid_key', 'wrong_network'],
    example: {
      params: { musig_session_id: signedByLastExample.musig_session_id },
      body: keyBody,
      response: signedByLastExample,
    },
    run: ({ params, body }, context) => musigSessions.sign(params.musig_session_id, body.key, context),
  });
