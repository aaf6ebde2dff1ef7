import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { oracleEvent } from '../events/event-fields.ts';
import { eventExample } from '../oracles/oracle-examples.ts';
import { eventIdField, oracleField, READS_ORACLES } from '../oracles/oracle-fields.ts';

export const listAnnouncementsOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.list-announcements',
    path: '/api/v1/dlc/announcements',
    summary: 'Announcements that are known, of whichever oracle',
    description: 'Of the local oracle, posted, fetched, or taken out of an offer.',
    query: z.strictObject({
      ...pageQuery,
      oracle: oracleField.optional(),
      event_id: eventIdField.optional(),
    }),
    success: {
      status: 200,
      answer: paginated(oracleEvent),
      description: 'A page of announcements, newest first',
    },
    errors: ['not_found'],
    example: {
      query: { limit: '20' },
      response: pageExample(eventExample),
    },
    run: ({ query: { oracle, event_id: eventId, ...page } }, context) =>
      oracles.listEvents(omitUndefined({ oracle, eventId }), pageOf(page), context),
  });
