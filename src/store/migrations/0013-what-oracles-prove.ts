import type { ColumnTypes, Migration } from './dialect.ts';

/**
 * Offers are told apart by all of their message, not by the id that whoever sends one chooses; the nonces that an oracle has announced are
 * remembered, and so is what announcements and contracts prove of them.
 */
export const whatOraclesProve: Migration = {
  version: 13,
  name: 'what oracles prove',
  statements: (types) => [...offers(types), ...proofs(types), ...nonces(types)],
};

const offers = ({ text }: ColumnTypes): string[] => [
  // The unique key goes with the column. Offers from before are known by their temporary id.
  'ALTER TABLE contracts RENAME COLUMN temporary_contract_id TO offer_id',
  `ALTER TABLE contracts ADD COLUMN temporary_contract_id ${text} NOT NULL DEFAULT ''`,
  'UPDATE contracts SET temporary_contract_id = offer_id',
];

const proofs = ({ text, integer }: ColumnTypes): string[] => [
  // The record of proofs that belongs to the announcement (core/dlc/messages/nonce-proofs.ts), hex.
  `ALTER TABLE oracle_events ADD COLUMN proof ${text}`,
  // Since when the account itself has it: announced, posted or fetched. NULL: out of offers alone.
  `ALTER TABLE oracle_events ADD COLUMN known_at ${integer}`,
  `UPDATE oracle_events SET known_at = created_at WHERE NOT EXISTS (
    SELECT 1 FROM contract_oracles AS link JOIN contracts AS contract ON contract.contract_id = link.contract_id
    WHERE link.oracle_id = oracle_events.oracle_id AND link.event_id = oracle_events.event_id AND contract.role = 'accepter')`,
  // NULL: no two of its oracles decide together.
  `ALTER TABLE contracts ADD COLUMN oracle_proof ${text} CHECK (oracle_proof IN ('proven', 'known', 'unproven'))`,
  "UPDATE contracts SET oracle_proof = 'unproven' WHERE threshold > 1",
];

const nonces = ({ text, integer, clustered }: ColumnTypes): string[] => [
  // Of whatever account: that an oracle signed an announcement is a fact for all. Hex; event_digest: SHA-256 of the event as it is signed.
  `CREATE TABLE oracle_nonces (
    public_key ${text} NOT NULL CHECK (length(public_key) = 64),
    nonce ${text} NOT NULL CHECK (length(nonce) = 64),
    event_digest ${text} NOT NULL CHECK (length(event_digest) = 64),
    reused_at ${integer},
    PRIMARY KEY (public_key, nonce)
  ) ${clustered}`,
  'CREATE INDEX oracle_nonces_reused ON oracle_nonces (public_key) WHERE reused_at IS NOT NULL',
];
