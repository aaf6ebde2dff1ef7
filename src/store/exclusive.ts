import type { Logger } from 'pino';
import { createKeyedMutex } from '../scheduling/keyed-mutex.ts';
import type { ExclusiveWork, Store } from './store.ts';

/**
 * `hold` runs work while no other process has the name; here it is asked once at a time, and noted while it has it. `log`, where there are
 * other processes that take it over.
 */
export function createExclusive(
  hold: Store['exclusively'],
  log?: Pick<Logger, 'info' | 'warn'>,
): Pick<Store, 'exclusively' | 'leads'> {
  const locked = createKeyedMutex<ExclusiveWork>();
  const leading = new Set<ExclusiveWork>();
  const told = new Set<ExclusiveWork>();
  return {
    leads: () => leading,
    exclusively(name, signal, work) {
      const lead: typeof work = async (held) => {
        leading.add(name);
        // Once: work that fails gives up the lock and takes it again for every retry.
        if (!told.has(name)) log?.info({ work: name }, 'this process leads this work');
        told.add(name);
        try {
          return await work(held);
        } finally {
          leading.delete(name);
          if (held.aborted && !signal.aborted) {
            told.delete(name);
            log?.warn({ work: name, reason: `${held.reason}` }, 'this process no longer leads this work');
          }
        }
      };
      return locked(name, () => hold(name, signal, lead), signal);
    },
  };
}
