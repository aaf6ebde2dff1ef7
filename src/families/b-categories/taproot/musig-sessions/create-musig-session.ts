import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { answerWith } from '../../../answer.ts';
import { writes } from '../../declarations.ts';
import { aggregationFields, aggregationOf } from '../musig-keys/aggregation-fields.ts';
import { namesFields, namesOf } from '../outputs/output-answer.ts';
import { messageField } from '../taproot-fields.ts';
import { musigSession } from './session-answer.ts';
import { newSessionBody, newSessionExample } from './session-example.ts';

export const createMusigSession = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'musig-session.create',
    spends: [],
    path: '/api/v1/taproot/musig-sessions',
    summary: 'Begin to sign one message together (MuSig2)',
    description:
      'The service coordinates (BIP327): it takes a public nonce of each participant, then a partial signature of each, which it verifies, and ' +
      'answers the signature when all are there. Keys, tweaks and message stand from here on.',
    body: z.strictObject({ ...aggregationFields, message: messageField, ...namesFields }),
    success: { status: 201, answer: answerWith(musigSession, { network }), description: 'The session' },
    errors: ['invalid_key'],
    example: { body: newSessionBody, response: newSessionExample },
    run: ({ body }, context) =>
      musigSessions.create({ ...aggregationOf(body), message: body.message, ...namesOf(body) }, context),
  });
