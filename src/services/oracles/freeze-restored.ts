import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';

/**
 * At the start, before anything is attested: a database that was restored, copied or put back to an earlier time may lack attestations
 * that were given, and a second one for another outcome would give the oracle's key away. Events of local oracles that it knows of as not
 * attested are attested no more; new ones are. Answers how many.
 */
export async function freezeRestored(deps: {
  store: Pick<Store, 'bindIdentity'>;
  clock: () => number;
  log: Pick<Logger, 'warn'>;
}): Promise<number> {
  let frozen = 0;
  await deps.store.bindIdentity(async (tx) => {
    frozen = await tx.oracleEvents.freezeUnattested(deps.clock());
  });
  if (frozen > 0) {
    deps.log.warn(
      { events: frozen },
      'the database was restored, copied or moved: events of local oracles that it knows of as not attested are attested no more',
    );
  }
  return frozen;
}
