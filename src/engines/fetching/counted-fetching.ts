import { FetchFailed, type Fetching, type FetchResult } from './fetching.ts';

/** Fetching, counted since the process began by how it ended. */
export function countedFetching(fetching: Fetching): Fetching & { counts(): ReadonlyMap<FetchResult, number> } {
  const counts = new Map<FetchResult, number>();
  const count = (result: FetchResult): void => {
    counts.set(result, (counts.get(result) ?? 0) + 1);
  };
  return {
    problem: fetching.problem,
    async get(...question) {
      try {
        const fetched = await fetching.get(...question);
        count(fetched === null ? 'not_found' : 'answered');
        return fetched;
      } catch (error) {
        if (error instanceof FetchFailed) count(error.failure);
        throw error;
      }
    },
    counts: () => counts,
  };
}
