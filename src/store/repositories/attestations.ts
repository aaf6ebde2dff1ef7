import type { AttestationRepository } from '../interfaces/oracles.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { attestations as table } from '../tables/contracts.ts';
import { countAttestedBy } from './due-contracts.ts';
import { endPolling } from './polled-events.ts';

const attestations = rowsOf(table, 'on conflict do nothing');

export function attestationRepository(session: Session): AttestationRepository {
  return {
    insert: async (attestation) => {
      if ((await attestations.insert(session, [attestation])) === 0n) return false;
      const { accountId, oracleId, eventId } = attestation;
      await endPolling.run(session, { accountId, oracleId, eventId });
      await countAttestedBy(session, { accountId, oracleId, eventId });
      return true;
    },
    find: (accountId, attestationId) => attestations.find(session, { accountId, attestationId }),
    ofEvent: (accountId, oracleId, eventId) =>
      attestations.all(session, { accountId, oracleId, eventId }, 'order by created_at, attestation_id'),
    list: (accountId, { oracleId, eventId, equivocated }, page) =>
      attestations.page(
        session,
        {
          name: 'attestations',
          where: { accountId, oracleId, eventId },
          and: (eb) => {
            if (equivocated === undefined) return [];
            const another = eb.exists(
              eb
                .selectFrom('attestations as other')
                .select('other.attestation_id')
                .whereRef('other.oracle_id', '=', 'attestations.oracle_id')
                .whereRef('other.event_id', '=', 'attestations.event_id')
                .whereRef('other.attestation_id', '!=', 'attestations.attestation_id'),
            );
            return [equivocated ? another : eb.not(another)];
          },
        },
        page,
      ),
  };
}
