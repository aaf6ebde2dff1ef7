import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { booleanQuery, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { attestationExample } from '../oracles/oracle-examples.ts';
import { eventIdField, oracleField, READS_ORACLES } from '../oracles/oracle-fields.ts';
import { oracleAttestation } from './attestation-fields.ts';

export const listAttestationsOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.list-attestations',
    path: '/api/v1/dlc/attestations',
    summary: 'Attestations that are known, of whichever oracle',
    query: z.strictObject({
      ...pageQuery,
      oracle: oracleField.optional(),
      event_id: eventIdField.optional(),
      equivocated: booleanQuery
        .optional()
        .meta({ description: 'true: those of events of which the oracle attested more than one outcome' }),
    }),
    success: {
      status: 200,
      answer: paginated(oracleAttestation),
      description: 'A page of attestations, newest first',
    },
    errors: ['not_found'],
    example: {
      query: { limit: '20' },
      response: pageExample(attestationExample),
    },
    run: ({ query: { oracle, event_id: eventId, equivocated, ...page } }, context) =>
      oracles.listAttestations(omitUndefined({ oracle, eventId, equivocated }), pageOf(page), context),
  });
