import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { externalIdField, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { oracleExample } from './oracle-examples.ts';
import { oracle, READS_ORACLES } from './oracle-fields.ts';

export const listOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.list',
    path: '/api/v1/dlc/oracles',
    summary: "The account's oracles",
    query: z.strictObject({
      ...pageQuery,
      type: z.enum(['local', 'external'], 'must be local or external').optional(),
      external_id: externalIdField.optional(),
    }),
    success: { status: 200, answer: paginated(oracle), description: 'A page of oracles, newest first' },
    example: {
      query: { limit: '20' },
      response: pageExample(oracleExample),
    },
    run: ({ query: { type: kind, external_id: externalId, ...page } }, context) =>
      oracles.list(omitUndefined({ kind, externalId }), pageOf(page), context),
  });
