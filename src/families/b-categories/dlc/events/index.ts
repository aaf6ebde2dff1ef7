import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { createOracleEvent } from './create-oracle-event.ts';
import { listOracleEvent } from './list-oracle-event.ts';

export const eventOperations = (oracles: OracleService): AnyOperation[] => [
  createOracleEvent(oracles),
  listOracleEvent(oracles),
];
