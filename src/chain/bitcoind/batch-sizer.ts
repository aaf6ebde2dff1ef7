/** How many items to ask for in one batch, so that an answer stays near `targetBytes` whatever the items weigh. */
export function createBatchSizer(targetBytes: number, max: number, start = 8) {
  let size = start;
  return {
    next: () => size,
    observed(items: number, bytes: number) {
      const fitting = Math.floor(targetBytes / Math.max(1, bytes / Math.max(1, items)));
      // Growing slowly: the next items may be far larger than these.
      size = Math.max(1, Math.min(max, fitting, size * 4));
    },
  };
}
