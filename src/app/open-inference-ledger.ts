/** What calls of models use is kept and swept, and how they go is counted. */
import type { CounterStore } from '../counters/counter-store.ts';
import { type Activity, createActivity } from '../services/inference/activity.ts';
import { createInferenceLedger, type InferenceLedger } from '../services/inference/ledger.ts';
import { ledgerSeries } from '../services/inference/ledger-series.ts';
import { createTokenLimits } from '../services/limits/token-limits.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

export async function openInferenceLedger(
  { clock, log, randomBytes, background, config, metrics }: AppContext,
  store: Store,
  provider: KeyProvider,
  counters: CounterStore,
): Promise<{ inferenceLedger: InferenceLedger; activity: Activity }> {
  const digestKey = await openServiceKey({ store, provider, randomBytes }, 'inference digests');
  const inferenceLedger = createInferenceLedger({
    store,
    tokenLimits: createTokenLimits({ counters, clock }),
    clock,
    log,
    digestKey,
    lastsMs: config.aiStreamMaxMs,
  });
  background.sweep(inferenceLedger.sweep);
  metrics.add(ledgerSeries(inferenceLedger.counts));
  const activity = createActivity({ store, clock, log });
  background.add(activity.worker);
  return { inferenceLedger, activity };
}
