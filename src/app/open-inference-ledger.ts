/** What calls of models use is kept, and swept. */
import { createInferenceLedger, type InferenceLedger } from '../services/inference/ledger.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

/** How long an answer takes at most. */
const LASTS_MS = 600_000;

export async function openInferenceLedger(
  { clock, log, randomBytes, background }: AppContext,
  store: Store,
  provider: KeyProvider,
): Promise<InferenceLedger> {
  const digestKey = await openServiceKey({ store, provider, randomBytes }, 'inference digests');
  const ledger = createInferenceLedger({ store, clock, log, digestKey, lastsMs: LASTS_MS });
  background.sweep(ledger.sweep);
  return ledger;
}
