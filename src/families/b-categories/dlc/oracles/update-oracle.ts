import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { nameField } from '../../../fields.ts';
import { oracleExample } from './oracle-examples.ts';
import { CHANGES_ORACLES, namesFields, oracle, oracleParams, urlField } from './oracle-fields.ts';

export const updateOracle = (oracles: OracleService) =>
  operation({
    ...CHANGES_ORACLES,
    id: 'oracle.update',
    spends: [],
    method: 'PATCH',
    path: '/api/v1/dlc/oracles/{oracle_id}',
    summary: 'Call an oracle otherwise, or ask it elsewhere',
    description: 'What is not given stays. The key never changes: another key is another oracle.',
    params: oracleParams,
    body: z.strictObject({ ...namesFields, name: nameField.optional(), url: urlField.nullable().optional() }),
    success: { status: 200, answer: oracle, description: 'The oracle' },
    errors: ['not_found'],
    example: {
      params: { oracle_id: oracleExample.oracle_id },
      body: { name: 'Football, men' },
      response: { ...oracleExample, name: 'Football, men', updated_at: '2026-11-02T09:30:00.000Z' },
    },
    run: ({ params, body: { external_id: externalId, ...patch } }, context) =>
      oracles.update(params.oracle_id, { ...patch, externalId }, context),
  });
