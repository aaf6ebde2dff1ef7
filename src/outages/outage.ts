import { DomainError, StoreUnavailable } from '../core/errors.ts';

/** What a log is told of something that fails again and again: one line when it begins, one when it has ended. */
export interface Outage {
  /** It failed. Said once until it has ended. */
  began(cause: unknown): void;
  /** It worked. Said where an outage had been told of, with its length and these facts. */
  ended(facts?: object): void;
  /** Whether one was told of and has not ended. */
  goesOn(): boolean;
}

export interface OutageLog {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

/**
 * `part` names what is out of order, `host` where it is (never with credentials), `began` and `ended` are the lines. `calmMs`: what worked this long after the last failure ends it; where
 * some calls fail and others do not, the lines do not alternate at each of them.
 */
export function createOutage(deps: {
  part: string;
  host?: string | undefined;
  began: string;
  ended: string;
  log: OutageLog;
  clock: () => number;
  calmMs?: number;
}): Outage {
  const { log, clock, calmMs = 0 } = deps;
  const where = { part: deps.part, ...(deps.host !== undefined && { host: deps.host }) };
  let since: number | null = null;
  let failedAt = 0;
  return {
    began(cause) {
      failedAt = clock();
      if (since !== null) return;
      since = failedAt;
      log.warn({ ...where, ...causeOf(cause) }, deps.began);
    },
    ended(facts = {}) {
      if (since === null) return;
      const now = clock();
      if (now - failedAt < calmMs) return;
      log.info({ ...where, ...facts, seconds: Math.round((now - since) / 100) / 10 }, deps.ended);
      since = null;
    },
    goesOn: () => since !== null,
  };
}

/** What the adapters of database and chain have told of already. */
export const isLoggedOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  (error instanceof DomainError && (error.code === 'node_unavailable' || error.code === 'node_syncing'));

/** The same for work that goes round: what of it the database or the node is to blame for, these have told of. */
export function createWorkOutage(deps: Parameters<typeof createOutage>[0]): Outage {
  const outage = createOutage(deps);
  return {
    ...outage,
    began(cause) {
      if (!isLoggedOutage(cause)) outage.began(cause);
    },
  };
}

/** The facts of one thing that fails, for a line of its own: what an adapter has told of already comes without its stack. */
export const reasonOf = (error: unknown): object => ({
  reason: error instanceof Error ? error.message : String(error),
  ...(isLoggedOutage(error) ? {} : { err: error }),
});

/** A refusal of ours says what it stands for in its reason: the driver's or the system's word. */
function causeOf(cause: unknown): object {
  const reason = (cause as { details?: { reason?: string } } | null)?.details?.reason;
  return reason === undefined ? { err: cause } : { err: cause, reason };
}
