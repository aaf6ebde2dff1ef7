import { createAttestations } from './attestations.ts';
import { createAnnouncing } from './local/announce.ts';
import { createAttesting } from './local/attest.ts';
import type { OracleDependencies } from './oracle-dependencies.ts';
import type { OracleService } from './oracle-service.ts';
import { createOracleQueries } from './querying/query-oracle.ts';
import { createRegistry } from './registry.ts';
import { createRememberedNonces } from './remembered-nonces.ts';
import { createAnnouncements } from './store-announcement.ts';
import { createAttestationListeners } from './store-attestation.ts';

export function createOracleService(deps: OracleDependencies): OracleService {
  const { store } = deps;
  const asked = createOracleQueries(deps);
  const attestationListeners = createAttestationListeners(deps.log);
  const nonces = createRememberedNonces(deps);
  const registry = createRegistry(deps);
  const { resolve } = registry;
  const announcements = createAnnouncements({ ...deps, resolve, asked, nonces });
  const { finish, ...attesting } = createAttesting({
    ...deps,
    resolve,
    event: announcements.event,
    attestationListeners,
  });
  return {
    ...registry,
    ...createAnnouncing({ ...deps, resolve }),
    ...announcements,
    ...attesting,
    ...createAttestations({ ...deps, resolve, finish, asked, attestationListeners }),
    async listEvents({ oracle, ...filter }, page, { accountId }) {
      const of = oracle === undefined ? {} : { oracleId: (await resolve(accountId, oracle)).oracleId };
      return store.read.oracleEvents.list(accountId, { ...filter, ...of }, page);
    },
    requireFreshNonces: nonces.require,
    onAttestation: attestationListeners.onAttestation,
  };
}
