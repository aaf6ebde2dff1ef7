import type { PreparedSide } from '../sides/prepare-side.ts';

/** Ends the side's leases with the commit, whichever way it goes. */
export async function committingSide<T>(
  prepared: Pick<PreparedSide, 'committed' | 'discard'>,
  commit: () => Promise<T>,
): Promise<T> {
  try {
    const result = await commit();
    prepared.committed();
    return result;
  } catch (error) {
    prepared.discard();
    throw error;
  }
}
