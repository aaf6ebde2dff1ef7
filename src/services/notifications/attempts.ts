/**
 * Attempts in progress. A queue waits for its own; where recipients have servers of their own, it continues after a second beside those that
 * take longer, so that one that hangs holds up nobody else.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '../../core/ids.ts';
import type { NotificationDelivery } from '../../store/repositories/notification-deliveries.ts';

const PATIENCE_MS = 1_000;
/** Of an account with so many under way each queue waits for its own. */
const MOST_OF_ACCOUNT = 32;
/** And of all accounts: each is a socket. */
const MOST = 384;

export const keyOf = ({ notificationId, recipient }: NotificationDelivery): string => `${notificationId} ${recipient}`;

interface UnderWay {
  readonly row: NotificationDelivery;
  readonly ended: Promise<void>;
}

export function createAttempts() {
  const underWay = new Map<string, UnderWay>();
  const of = (accountId: AccountId): UnderWay[] =>
    [...underWay.values()].filter(({ row }) => row.accountId === accountId);

  return {
    countOf: (accountId: AccountId): number => of(accountId).length,

    /** Of one account's, which are not under way: those that may begin, and those for whom another is under way. */
    sorted(rows: readonly NotificationDelivery[], accountId: AccountId) {
      const busy = new Set(of(accountId).map(({ row }) => `${row.channel} ${row.recipient}`));
      const isBusy = ({ channel, recipient }: NotificationDelivery): boolean => busy.has(`${channel} ${recipient}`);
      const others = rows.filter((row) => !underWay.has(keyOf(row)));
      return { free: others.filter((row) => !isBusy(row)), behind: others.filter(isBusy) };
    },

    /**
     * Resolves with whether all that ended within the time is done with, and throws what one of them threw. What throws later is begun again
     * in another turn.
     */
    async run(
      rows: readonly NotificationDelivery[],
      work: (row: NotificationDelivery) => Promise<boolean>,
      haveOwnServers: boolean,
    ): Promise<boolean> {
      const failures: unknown[] = [];
      let isDone = true;
      const all = rows.map((row) => {
        const ended = work(row)
          .then((done) => {
            if (!done) isDone = false;
          })
          .catch((error) => void failures.push(error))
          .finally(() => underWay.delete(keyOf(row)));
        underWay.set(keyOf(row), { row, ended });
        return ended;
      });
      const accountId = rows[0]?.accountId;
      const isFew = accountId !== undefined && of(accountId).length <= MOST_OF_ACCOUNT && underWay.size <= MOST;
      const mayGoOn = haveOwnServers && isFew;
      await (mayGoOn ? within(PATIENCE_MS, Promise.all(all)) : Promise.all(all));
      if (failures.length > 0) throw failures[0];
      return isDone;
    },

    async ended(): Promise<void> {
      await Promise.all([...underWay.values()].map(({ ended }) => ended));
    },
  };
}

/** Resolves with the work, or when the time is over. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const patience = sleep(ms, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([work, patience]);
  over.abort();
}
