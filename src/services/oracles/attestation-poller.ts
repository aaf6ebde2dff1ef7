/**
 * Asks oracles for what open contracts wait for: at an event's maturity, then ever less often. Belongs to the process that follows the
 * chain, so that no two ask at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OracleEventRecord } from '../../store/interfaces/oracles.ts';
import type { Store } from '../../store/store.ts';
import type { OracleService } from './oracle-service.ts';

export interface AttestationPoller {
  /** Until the signal. */
  run(signal: AbortSignal): Promise<void>;
}

const ROUND_MS = 5_000;
const AT_ONCE = 4;
const MOST_A_ROUND = 200;
const SOONEST_MS = 10_000;
const LATEST_MS = 600_000;

export function createAttestationPoller(deps: {
  store: Store;
  oracles: Pick<OracleService, 'fetchAttestation'>;
  clock: () => number;
  log: Logger;
  roundMs?: number;
}): AttestationPoller {
  const { store, oracles, clock, log, roundMs = ROUND_MS } = deps;

  async function round(lastAsked: Map<string, number>, signal: AbortSignal): Promise<void> {
    const now = clock();
    const waiting = await store.read.oracles.toPoll(now, MOST_A_ROUND);
    const due = waiting
      .map(({ event }) => event)
      .filter((event) => now >= nextAfter(event, lastAsked.get(keyOf(event))));
    for (const event of due) lastAsked.set(keyOf(event), now);
    await Promise.all(Array.from({ length: AT_ONCE }, work));

    async function work(): Promise<void> {
      for (let event = due.shift(); event !== undefined && !signal.aborted; event = due.shift()) {
        try {
          await oracles.fetchAttestation(event.accountId, event.oracleId, event.eventId, signal);
        } catch (error) {
          log.warn({ err: error, oracle_id: event.oracleId }, 'an oracle could not be asked');
        }
      }
    }
  }

  return {
    async run(signal) {
      let lastAsked = new Map<string, number>();
      while (!signal.aborted) {
        try {
          await round(lastAsked, signal);
        } catch (error) {
          log.warn({ err: error }, 'oracles could not be asked');
        }
        const forgotten = clock() - LATEST_MS;
        lastAsked = new Map([...lastAsked].filter(([, at]) => at > forgotten));
        await sleep(roundMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** A tenth of the time that has gone by since maturity, so that the number of questions grows with its logarithm. */
function nextAfter({ maturityEpoch }: OracleEventRecord, askedAt: number | undefined): number {
  if (askedAt === undefined) return 0;
  const pause = (askedAt - maturityEpoch * 1000) / 10;
  return askedAt + Math.min(LATEST_MS, Math.max(SOONEST_MS, pause));
}

const keyOf = ({ oracleId, eventId }: OracleEventRecord): string => `${oracleId} ${eventId}`;
