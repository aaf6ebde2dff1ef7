/** What waits. `oldestAt` in epoch milliseconds, null where nothing does; at most 10,000 are counted. */
export interface Backlog {
  readonly count: number;
  readonly oldestAt: number | null;
}
