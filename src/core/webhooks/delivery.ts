/** What identifies a delivery, and when one that failed is tried again. */
import { hash } from 'node:crypto';
import { base62, type Id } from '../ids.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

const PAUSES_MS = [10_000, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY_MS];
/** So much longer, at most: endpoints that failed together are not tried together. */
const JITTER = 0.1;
/** The longest that one waits. */
export const LONGEST_PAUSE_MS = DAY_MS * (1 + JITTER);
const GIVEN_UP_AFTER_MS = 5 * DAY_MS;

/** Which event it is: a database restored from a backup gives its number again, at another time. */
export type EventIdentity = `${bigint} ${number}`;
/** The `webhook-id` of an event, or a notification, at an endpoint: the same on retries, redelivery and replay. */
export const deliveryIdOf = (webhookId: string, of: EventIdentity | bigint | Id<'ntf'>): string =>
  `msg_${base62(hash('sha256', `${webhookId} ${of}`, 'buffer'), 22)}`;

/** Milliseconds until the next try after so many failures, at least one; `random` in [0, 1). */
export const retryAfterMs = (failures: number, random: number): number =>
  Math.round((PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] as number) * (1 + JITTER * random));

/** Whether an endpoint that failed so many times in a row, first at `since`, is given up. A clock that was set forward is not enough. */
export const isGivenUp = (failures: number, since: number, now: number): boolean =>
  failures >= PAUSES_MS.length && now - since >= GIVEN_UP_AFTER_MS;
