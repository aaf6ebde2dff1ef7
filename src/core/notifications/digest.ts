/** When digests are sent. */
import { endOfHours } from '../policies/hours.ts';

export const DIGESTS = ['at_once', 'hourly', 'daily'] as const;
export type Digest = (typeof DIGESTS)[number];

const HOUR_MS = 3_600_000;

/** The next full hour, or 08:00 in the time zone. */
export function nextDigestAt({ digest, timezone }: { digest: Digest; timezone: string }, at: number): number {
  const hour = (Math.floor(at / HOUR_MS) + 1) * HOUR_MS;
  // All hours of a day end at its beginning.
  return digest === 'hourly' ? hour : endOfHours({ timezone, from: '08:01', to: '08:00' }, at + 60_000);
}
