import { DomainError } from '../../../core/errors.ts';

/** Retries twice after `unavailable`: the worker thread may have ended because of another job. */
export async function retryUnavailable<Made>(attempt: () => Promise<Made>): Promise<Made> {
  for (let left = 2; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    }
  }
}
