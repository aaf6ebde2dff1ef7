import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { booleanQuery, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { eventExample } from '../oracles/oracle-examples.ts';
import { eventIdField, oracleField, READS_ORACLES } from '../oracles/oracle-fields.ts';
import { oracleEvent } from './event-fields.ts';

export const listEventsOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.list-events',
    path: '/api/v1/dlc/events',
    summary: 'Events that are known, of whichever oracle',
    description: 'Event ids are free text: with `oracle` and `event_id` the one event is found.',
    query: z.strictObject({
      ...pageQuery,
      oracle: oracleField.optional(),
      event_id: eventIdField.optional(),
      attested: booleanQuery.optional().meta({ description: 'Whether an attestation of it is known' }),
    }),
    success: { status: 200, answer: paginated(oracleEvent), description: 'A page of events, newest first' },
    errors: ['not_found'],
    example: {
      query: { limit: '20' },
      response: pageExample(eventExample),
    },
    run: ({ query: { oracle, event_id: eventId, attested, ...page } }, context) =>
      oracles.listEvents(omitUndefined({ oracle, eventId, attested }), pageOf(page), context),
  });
