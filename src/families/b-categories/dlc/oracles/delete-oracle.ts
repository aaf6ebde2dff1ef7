import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { oracleExample } from './oracle-examples.ts';
import { CHANGES_ORACLES, oracleParams } from './oracle-fields.ts';

export const deleteOracle = (oracles: OracleService) =>
  operation({
    ...CHANGES_ORACLES,
    id: 'oracle.delete',
    spends: [],
    method: 'DELETE',
    path: '/api/v1/dlc/oracles/{oracle_id}',
    summary: 'Forget an oracle',
    description: 'Refused where events or contracts refer to it. With a local one its key is gone.',
    params: oracleParams,
    success: { status: 204, schema: z.undefined(), description: 'Gone' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { oracle_id: oracleExample.oracle_id } },
    run: ({ params }, context) => oracles.delete(params.oracle_id, context),
    present: () => undefined,
  });
