import { DomainError } from '../../../core/errors.ts';

/** A worker may have ended for a reason that was another job's. */
export async function again<Made>(attempt: () => Promise<Made>): Promise<Made> {
  for (let left = 2; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    }
  }
}
