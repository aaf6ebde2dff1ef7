/**
 * Asks oracles for what open contracts wait for: at an event's maturity, then ever less often. Belongs to the process that follows the
 * chain, so that no two ask at once. When each is asked next stands in the database; nobody waits for others' servers: rounds begin
 * whether or not the questions of the last have ended, accounts and hosts have a few at a time each, and who does not answer is asked
 * less often.
 */
import type { Logger } from 'pino';
import type { AccountId } from '../../core/ids.ts';
import { createWorkOutage } from '../../outages/outage.ts';
import { createHostBackoff } from '../../scheduling/host-backoff.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import type { Worker } from '../../scheduling/worker.ts';
import type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';
import type { Store } from '../../store/store.ts';
import type { OracleService } from './oracle-service.ts';
import { MAX_INTERVAL_MS, MIN_INTERVAL_MS } from './polling/next-question.ts';

const ROUND_MS = 5_000;
/** What accounts may have at once is more (src/engines/fetching): requests ask, too. */
const AT_ONCE = { all: 32, ofAccount: 2, ofHost: 4 };
const A_ROUND = { ofEach: 100, all: 1_000 };
const SWEEP_MS = 3_600_000;

interface Question extends Job {
  readonly accountId: AccountId;
  readonly event: OracleEventRecord;
  readonly host: string;
}

export function createAttestationPoller(deps: {
  store: Store;
  oracles: Pick<OracleService, 'askForAttestation'>;
  clock: () => number;
  log: Logger;
  roundMs?: number;
}): Worker {
  const { store, oracles, clock, log, roundMs = ROUND_MS } = deps;
  const backoff = createHostBackoff({ firstMs: MIN_INTERVAL_MS, longestMs: MAX_INTERVAL_MS });
  const asking = createWorkOutage({
    ...{ part: 'oracles', log, clock, calmMs: MAX_INTERVAL_MS },
    began: 'what oracles answer could not be kept',
    ended: 'what oracles answer is kept again',
  });
  let sweepAt = 0;

  async function ask({ event, accountId, host }: Question, signal: AbortSignal): Promise<'done' | 'later'> {
    const askedAt = clock();
    // The host may have failed another question while this one waited.
    if (backoff.until(accountId, host) > askedAt) return 'later';
    const { failure } = await oracles.askForAttestation(accountId, event.oracleId, event.eventId, signal);
    if (failure === 'too_many' || failure === 'aborted') return 'later';
    backoff.note(accountId, host, { failed: failure !== null, askedAt, endedAt: clock() });
    return 'done';
  }

  /** What is to be asked now. What is not, though its time has come, is put off: it would keep others out of the next rounds. */
  async function questions(): Promise<Question[]> {
    const now = clock();
    const due: Question[] = [];
    const putOff: { event: OracleEventRecord; until: number | null }[] = [];
    for (const { oracle, event, awaited } of await store.read.oracles.toPoll(now, A_ROUND)) {
      const { accountId } = event;
      const host = hostOf(oracle.url);
      const until = host === null ? now + MAX_INTERVAL_MS : backoff.until(accountId, host);
      if (!awaited) putOff.push({ event, until: null });
      else if (host === null || until > now) putOff.push({ event, until });
      else due.push({ key: `${event.oracleId} ${event.eventId}`, accountId, host, event });
    }
    if (putOff.length > 0) {
      await store.write(async (tx) => {
        for (const { event, until } of putOff) {
          await tx.oracleEvents.pollLater(event.accountId, event.oracleId, event.eventId, until);
        }
      });
    }
    return due;
  }

  return createJobQueue({
    ...{ name: 'oracles', log, clock, failing: asking },
    failed: 'what oracles are to be asked could not be read',
    recovered: 'what oracles are to be asked is read again',
    intervalMs: roundMs,
    atOnce: AT_ONCE,
    async due() {
      if (clock() >= sweepAt) {
        await store.write((tx) => tx.oracleEvents.pollAwaited());
        sweepAt = clock() + SWEEP_MS;
      }
      backoff.forgetBefore(clock() - MAX_INTERVAL_MS);
      return questions();
    },
    perform: ask,
  });
}

const hostOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).host : null);
