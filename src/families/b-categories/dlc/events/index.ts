import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { announceOracle } from './announce-oracle.ts';
import { listEventsOracle } from './list-events-oracle.ts';

export const eventOperations = (oracles: OracleService): AnyOperation[] => [
  announceOracle(oracles),
  listEventsOracle(oracles),
];
