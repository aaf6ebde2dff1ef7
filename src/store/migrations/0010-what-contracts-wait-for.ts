import type { ColumnTypes, Migration } from './dialect.ts';

/** What of contracts and events has something to be done is found by an index; what waits is not read. */
export const whatContractsWaitFor: Migration = {
  version: 10,
  name: 'what contracts wait for',
  statements: (types) => [...contracts(types), ...events(types)],
};

const contracts = ({ integer }: ColumnTypes): string[] => [
  // Of how many of its events an attestation is kept.
  `ALTER TABLE contracts ADD COLUMN attested ${integer} NOT NULL DEFAULT 0 CHECK (attested >= 0)`,
  `UPDATE contracts SET attested = (
    SELECT count(*) FROM contract_oracles AS link WHERE link.contract_id = contracts.contract_id
      AND EXISTS (SELECT 1 FROM attestations AS kept WHERE kept.oracle_id = link.oracle_id AND kept.event_id = link.event_id))`,
  // Written in the questions (repositories/due-contracts.ts) in the same words: only then are they taken.
  `CREATE INDEX contracts_in_hand ON contracts (created_at, contract_id)
    WHERE ((status = 'offered' and (role = 'both' or attested > 0 or (role = 'accepter' and accept_side is not null)))
      or (status = 'accepted' and (role <> 'accepter' or attested > 0))
      or (status = 'signed' and role <> 'offerer')
      or status in ('executed', 'refunded')
      or (status in ('funded', 'confirmed') and closing_txid is not null and closing_height is null)
      or (status = 'closed' and closing_kind = 'cet' and outcome is null))`,
  `CREATE INDEX contracts_expiring ON contracts (expires_at)
    WHERE (status in ('offered', 'accepted') and expires_at is not null)`,
  `CREATE INDEX contracts_refundable ON contracts (refund_locktime)
    WHERE (status in ('offered', 'accepted') or (status = 'confirmed' and closing_txid is null))`,
  `CREATE INDEX contracts_attested ON contracts (cet_locktime)
    WHERE (status = 'confirmed' and closing_txid is null and attested >= threshold)`,
];

const events = ({ integer }: ColumnTypes): string[] => [
  // Epoch milliseconds. NULL: it is attested, a local oracle's, or no contract waits for it.
  `ALTER TABLE oracle_events ADD COLUMN poll_at ${integer}`,
  `UPDATE oracle_events SET poll_at = maturity_epoch * 1000
    WHERE nonces IS NULL
      AND NOT EXISTS (SELECT 1 FROM attestations AS kept
        WHERE kept.oracle_id = oracle_events.oracle_id AND kept.event_id = oracle_events.event_id)
      AND EXISTS (SELECT 1 FROM contract_oracles AS link
        JOIN contracts AS contract ON contract.contract_id = link.contract_id
        WHERE link.oracle_id = oracle_events.oracle_id AND link.event_id = oracle_events.event_id
          AND contract.status IN ('signed', 'funded', 'confirmed'))`,
  'CREATE INDEX oracle_events_to_poll ON oracle_events (poll_at, account_id, oracle_id, event_id) WHERE poll_at IS NOT NULL',
];
