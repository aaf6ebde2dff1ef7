import { createKeyedMutex } from '../scheduling/keyed-mutex.ts';
import type { ExclusiveWork, Store } from './store.ts';

/** `hold` runs work while no other process has the name; here it is asked once at a time, and noted while it has it. */
export function createExclusive(hold: Store['exclusively']): Pick<Store, 'exclusively' | 'leads'> {
  const locked = createKeyedMutex<ExclusiveWork>();
  const leading = new Set<ExclusiveWork>();
  return {
    leads: () => leading,
    exclusively(name, signal, work) {
      const lead: typeof work = async (held) => {
        leading.add(name);
        try {
          return await work(held);
        } finally {
          leading.delete(name);
        }
      };
      return locked(name, () => hold(name, signal, lead), signal);
    },
  };
}
