import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { oracleExample } from './oracle-examples.ts';
import { oracle, oracleParams, READS_ORACLES } from './oracle-fields.ts';

export const getOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.get',
    path: '/api/v1/dlc/oracles/{oracle_id}',
    summary: 'One oracle',
    params: oracleParams,
    success: { status: 200, answer: oracle, description: 'The oracle' },
    errors: ['not_found'],
    example: { params: { oracle_id: oracleExample.oracle_id }, response: oracleExample },
    run: ({ params }, context) => oracles.get(params.oracle_id, context),
  });
