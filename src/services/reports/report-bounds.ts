/** Queued or running, of an account and a kind. */
export const MOST_OPEN = 5;
/** Records of an account; the oldest that have ended go for new ones. */
export const MOST_KEPT = 100;
/** Bytes of an account's contents, as they are stored. */
export const MOST_BYTES = 2 * 2 ** 30;
/** How long a content is kept, and the record of it. */
export const KEPT_MS = 7 * 86_400_000;
export const RECORD_KEPT_MS = 90 * 86_400_000;
/** Deleted per job: two megabytes. */
export const MOST_PIECES_AT_ONCE = 8;
