import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { announcementOperations } from '../announcements/index.ts';
import { attestationOperations } from '../attestations/index.ts';
import { eventOperations } from '../events/index.ts';
import { createOracle } from './create-oracle.ts';
import { deleteOracle } from './delete-oracle.ts';
import { getOracle } from './get-oracle.ts';
import { listOracle } from './list-oracle.ts';
import { updateOracle } from './update-oracle.ts';

/** Oracles with what they say. */
export const oracleOperations = (oracles: OracleService): AnyOperation[] => [
  createOracle(oracles),
  listOracle(oracles),
  getOracle(oracles),
  updateOracle(oracles),
  deleteOracle(oracles),
  ...eventOperations(oracles),
  ...announcementOperations(oracles),
  ...attestationOperations(oracles),
];
