import { createHash } from 'node:crypto';
import type { AccountId, OracleId } from '../../core/ids.ts';
import { type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { countAttestedBy } from './due-contracts.ts';
import { endPolling } from './polled-events.ts';

const attestationsTable = table(
  'attestations',
  ['attestationId'],
  {
    /** `att_…` */
    attestationId: text(),
    accountId: text<AccountId>(),
    oracleId: text<OracleId>(),
    eventId: text(),
    /** JSON list of the outcomes that were signed. */
    outcomes: text(),
    /** The whole TLV, hex. */
    attestation: text(),
    /** chain: taken out of a CET that a counterparty broadcast. */
    source: text<'local' | 'posted' | 'fetched' | 'chain'>(),
    createdAt: time,
  },
  {
    /** SHA-256, hex: an index takes no text of any length. */
    outcomes_digest: ({ outcomes }: { outcomes: string }): string =>
      createHash('sha256').update(outcomes).digest('hex'),
  },
);
export type AttestationRecord = RecordOf<typeof attestationsTable>;

declare module '../schema.ts' {
  interface Schema {
    attestations: RowOf<typeof attestationsTable>;
  }
}

const attestations = rowsOf(attestationsTable, 'on conflict do nothing');

export function attestationRepository(session: Session) {
  return {
    /** Leaves the same bytes, or the same outcomes of the event, as they stand; answers whether it is new. */
    insert: async (attestation: AttestationRecord) => {
      if ((await attestations.insert(session, [attestation])) === 0n) return false;
      const { accountId, oracleId, eventId } = attestation;
      await endPolling.run(session, { accountId, oracleId, eventId });
      await countAttestedBy(session, { accountId, oracleId, eventId });
      return true;
    },
    find: (accountId: AccountId, attestationId: string) => attestations.find(session, { accountId, attestationId }),
    /** Of one event, oldest first: more than one is an equivocation. */
    ofEvent: (accountId: AccountId, oracleId: OracleId, eventId: string) =>
      attestations.all(session, { accountId, oracleId, eventId }, 'order by created_at, attestation_id'),
    list: (
      accountId: AccountId,
      { oracleId, eventId, equivocated }: { oracleId?: OracleId; eventId?: string; equivocated?: boolean },
      page: PageRequest,
    ) =>
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
