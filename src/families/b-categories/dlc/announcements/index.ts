import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { addAnnouncementOracle } from './add-announcement-oracle.ts';
import { getAnnouncementOracle } from './get-announcement-oracle.ts';
import { listAnnouncementsOracle } from './list-announcements-oracle.ts';

export const announcementOperations = (oracles: OracleService): AnyOperation[] => [
  addAnnouncementOracle(oracles),
  listAnnouncementsOracle(oracles),
  getAnnouncementOracle(oracles),
];
