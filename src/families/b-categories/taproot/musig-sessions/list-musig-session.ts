import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { MUSIG_STATES } from '../../../../services/taproot/musig/musig-sessions.ts';
import { answerWith, pageExample, paginated } from '../../../answer.ts';
import { externalIdField, nameField, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { reads } from '../../declarations.ts';
import { musigSession } from './session-answer.ts';
import { newSessionExample } from './session-example.ts';

export const listMusigSession = ({ musigSessions, network }: TaprootService) =>
  operation({
    ...reads('Taproot', 'taproot'),
    id: 'musig-session.list',
    path: '/api/v1/taproot/musig-sessions',
    summary: "The account's MuSig2 sessions",
    query: z.strictObject({
      ...pageQuery,
      state: z.enum(MUSIG_STATES).optional(),
      name: nameField.optional(),
      external_id: externalIdField.optional(),
    }),
    success: {
      status: 200,
      answer: paginated(answerWith(musigSession, { network })),
      description: 'A page of sessions, newest first',
    },
    example: {
      query: { limit: '20' },
      response: pageExample(newSessionExample),
    },
    run: ({ query: { state, name, external_id: externalId, ...page } }, context) =>
      musigSessions.list(omitUndefined({ state, name, externalId }), pageOf(page), context),
  });
