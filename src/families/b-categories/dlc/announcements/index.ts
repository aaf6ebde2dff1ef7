import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { createAnnouncement } from './create-announcement.ts';
import { getAnnouncement } from './get-announcement.ts';
import { listAnnouncement } from './list-announcement.ts';

export const announcementOperations = (oracles: OracleService): AnyOperation[] => [
  createAnnouncement(oracles),
  listAnnouncement(oracles),
  getAnnouncement(oracles),
];
