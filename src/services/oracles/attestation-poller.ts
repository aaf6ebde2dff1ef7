/**
 * Asks oracles for what open contracts wait for: at an event's maturity, then ever less often. Belongs to the process that follows the
 * chain, so that no two ask at once. When each is asked next stands in the database; nobody waits for others' servers: rounds begin
 * whether or not the questions of the last have ended, accounts and hosts have a few at a time each, and who does not answer is asked
 * less often.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createWorkOutage } from '../../outages/outage.ts';
import type { OracleEventRecord } from '../../store/interfaces/oracles.ts';
import type { Store } from '../../store/store.ts';
import { createTurns } from '../../turns/turns.ts';
import type { OracleService } from './oracle-service.ts';
import { createHostPatience } from './polling/host-patience.ts';
import { LATEST_MS } from './polling/next-question.ts';

export interface AttestationPoller {
  /** Until the signal. */
  run(signal: AbortSignal): Promise<void>;
}

const ROUND_MS = 5_000;
/** What accounts may have at once is more (src/engines/fetching): requests ask, too. */
const AT_ONCE = { all: 32, ofAccount: 2, ofHost: 4 };
const A_ROUND = { ofEach: 100, all: 1_000 };
const SWEEP_MS = 3_600_000;

interface Question {
  readonly key: string;
  readonly accountId: string;
  readonly host: string;
  ask(): Promise<void>;
}

export function createAttestationPoller(deps: {
  store: Store;
  oracles: Pick<OracleService, 'askForAttestation'>;
  clock: () => number;
  log: Logger;
  roundMs?: number;
}): AttestationPoller {
  const { store, oracles, clock, log, roundMs = ROUND_MS } = deps;
  const patience = createHostPatience();
  const failing = createWorkOutage({
    ...{ part: 'oracles', log, clock },
    began: 'what oracles are to be asked could not be read',
    ended: 'what oracles are to be asked is read again',
  });
  const asking = createWorkOutage({
    ...{ part: 'oracles', log, clock, calmMs: LATEST_MS },
    began: 'what oracles answer could not be kept',
    ended: 'what oracles answer is kept again',
  });
  let round = 0;
  /** In which round each question ended: what was read before that does not know of it. */
  const ended = new Map<string, number>();

  async function ask(event: OracleEventRecord, host: string, ofRound: number, signal: AbortSignal): Promise<void> {
    const { accountId, oracleId, eventId } = event;
    const askedAt = clock();
    if (signal.aborted || (ended.get(keyOf(event)) ?? 0) >= ofRound) return;
    // The host may have failed another question while this one waited.
    if (patience.until(accountId, host) > askedAt) return;
    try {
      const { failure } = await oracles.askForAttestation(accountId, oracleId, eventId, signal);
      if (failure === 'too_many' || failure === 'aborted') return;
      patience.note(accountId, host, { failed: failure !== null, askedAt, endedAt: clock() });
      asking.ended();
    } catch (error) {
      asking.began(error);
    } finally {
      ended.set(keyOf(event), round);
    }
  }

  /** What is to be asked now. What is not, though its time has come, is put off: it would keep others out of the next rounds. */
  async function questionsOf(signal: AbortSignal): Promise<Question[]> {
    const now = clock();
    const ofRound = ++round;
    for (const [key, endedIn] of ended) if (endedIn < ofRound - 1) ended.delete(key);
    const questions: Question[] = [];
    const putOff: { event: OracleEventRecord; until: number | null }[] = [];
    for (const { oracle, event, awaited } of await store.read.oracles.toPoll(now, A_ROUND)) {
      const { accountId } = event;
      const host = hostOf(oracle.url);
      const until = host === null ? now + LATEST_MS : patience.until(accountId, host);
      if (!awaited) putOff.push({ event, until: null });
      else if (host === null || until > now) putOff.push({ event, until });
      else questions.push({ key: keyOf(event), accountId, host, ask: () => ask(event, host, ofRound, signal) });
    }
    if (putOff.length > 0) {
      await store.write(async (tx) => {
        for (const { event, until } of putOff) {
          await tx.oracleEvents.pollLater(event.accountId, event.oracleId, event.eventId, until);
        }
      });
    }
    return questions;
  }

  return {
    async run(signal) {
      const turns = createTurns(AT_ONCE);
      let sweepAt = 0;
      while (!signal.aborted) {
        try {
          if (clock() >= sweepAt) {
            await store.write((tx) => tx.oracleEvents.pollAwaited());
            sweepAt = clock() + SWEEP_MS;
          }
          const questions = await questionsOf(signal);
          turns.dismiss('the next round begins');
          for (const { key, accountId, host, ask } of questions) turns.offer(key, { accountId, host }, ask);
          failing.ended();
        } catch (error) {
          failing.began(error);
        }
        patience.forgetBefore(clock() - LATEST_MS);
        await sleep(roundMs, undefined, { signal }).catch(() => undefined);
      }
      turns.dismiss('the service is closing');
      await turns.ended();
    },
  };
}

const keyOf = ({ oracleId, eventId }: OracleEventRecord): string => `${oracleId} ${eventId}`;
const hostOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).host : null);
