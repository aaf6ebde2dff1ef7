import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { oracleEvent } from '../events/event-fields.ts';
import { eventExample } from '../oracles/oracle-examples.ts';
import { eventIdField, oracleField, READS_ORACLES } from '../oracles/oracle-fields.ts';

export const getAnnouncementOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.get-announcement',
    path: '/api/v1/dlc/announcements/{oracle_id}/{event_id}',
    summary: 'One announcement',
    description:
      'By the oracle and its name of the event, percent-encoded. Names that fit into no path (very long ones, `..`) are found by the list.',
    params: z.strictObject({ oracle_id: oracleField, event_id: eventIdField }),
    success: { status: 200, answer: oracleEvent, description: 'The event with its announcement' },
    errors: ['not_found'],
    example: {
      params: { oracle_id: eventExample.oracle_id, event_id: eventExample.event_id },
      response: eventExample,
    },
    run: ({ params }, context) => oracles.event({ oracle: params.oracle_id, eventId: params.event_id }, context),
  });
