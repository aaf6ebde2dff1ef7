import type { DaoRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';

/** The time that decides for a DAO. */
export const daoTime = async (tx: Pick<Repositories, 'proposals'>, { seenAt }: DaoRecord): Promise<number> =>
  Math.max(await tx.proposals.time(), seenAt);
