export const MIN_INTERVAL_MS = 10_000;
export const MAX_INTERVAL_MS = 600_000;

/**
 * When an oracle is asked again for an event (epoch milliseconds): after a tenth of the time that has gone by since maturity (Unix
 * seconds), so that the number of questions grows with its logarithm.
 */
export function nextQuestion(maturityEpoch: number, askedAt: number): number {
  const pause = Math.floor((askedAt - maturityEpoch * 1000) / 10);
  return askedAt + Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, pause));
}
