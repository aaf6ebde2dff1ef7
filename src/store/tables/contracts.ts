import { createHash } from 'node:crypto';
import type { Generated } from 'kysely';
import { coinHoldOf } from '../../core/dlc/coin-hold.ts';
import type { OracleProof } from '../../core/dlc/contract/oracle-proof.ts';
import type { Dialect } from '../../core/dlc/dialect.ts';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type {
  ClosingKind,
  ContractRecord,
  ContractRole,
  ContractSide,
  ContractStatus,
} from '../interfaces/contracts.ts';
import type { AttestationRecord, OracleEventRecord, OracleKind, OracleRecord } from '../interfaces/oracles.ts';
import type { EncryptedSecret } from '../records.ts';
import { flag, integer, json, orNull, type RowOf, sats, selected, table, text, time } from './columns.ts';

export const oracles = table<OracleRecord>()('oracles', ['oracleId'], {
  oracleId: text(),
  accountId: text(),
  name: text(),
  externalId: orNull(text()),
  kind: text<OracleKind>(),
  publicKey: text(),
  url: orNull(text()),
  secret: orNull(json<EncryptedSecret>()),
  isDefault: flag,
  equivocatedAt: orNull(time),
  nonceReusedAt: selected(
    '(select min(reused_at) from oracle_nonces where oracle_nonces.public_key = oracles.public_key and reused_at is not null)',
    orNull(time),
  ),
  createdAt: time,
  updatedAt: time,
});

export const oracleEvents = table<OracleEventRecord>()('oracle_events', ['oracleId', 'eventId'], {
  oracleId: text(),
  eventId: text(),
  accountId: text(),
  announcement: text(),
  maturityEpoch: integer,
  descriptor: text(),
  nonces: orNull(json<EncryptedSecret>()),
  committedOutcome: orNull(text()),
  committedAt: orNull(time),
  frozenAt: orNull(time),
  proof: orNull(text()),
  knownAt: orNull(time),
  createdAt: time,
});

export const attestations = table<AttestationRecord>()(
  'attestations',
  ['attestationId'],
  {
    attestationId: text(),
    accountId: text(),
    oracleId: text(),
    eventId: text(),
    outcomes: text(),
    attestation: text(),
    source: text<AttestationRecord['source']>(),
    createdAt: time,
  },
  {
    /** SHA-256, hex: an index takes no text of any length. */
    outcomes_digest: ({ outcomes }: AttestationRecord): string => createHash('sha256').update(outcomes).digest('hex'),
  },
);

export const contracts = table<ContractRecord>()(
  'contracts',
  ['contractId'],
  {
    contractId: text(),
    accountId: text(),
    externalId: orNull(text()),
    status: text<ContractStatus>(),
    role: text<ContractRole>(),
    dialect: text<Dialect>(),
    oracleIds: json<readonly string[]>(),
    eventIds: json<readonly string[]>(),
    threshold: integer,
    payouts: json<ContractRecord['payouts']>(),
    descriptor: orNull(json<unknown>()),
    collateralSats: sats,
    offerCollateralSats: sats,
    feeRateSatVb: sats,
    cetLocktime: integer,
    refundLocktime: integer,
    offerSide: orNull(json<ContractSide>()),
    acceptSide: orNull(json<ContractSide>()),
    /** Of offers made before there was one: their temporary id. */
    offerId: text(),
    oracleProof: orNull(text<OracleProof>()),
    temporaryContractId: text(),
    dlcContractId: orNull(text()),
    fundingTxid: orNull(text<Txid>()),
    fundingVout: orNull(integer),
    fundingHeight: orNull(integer),
    closingTxid: orNull(text<Txid>()),
    closingKind: orNull(text<ClosingKind>()),
    closingHeight: orNull(integer),
    closingBlockHash: orNull(text<BlockHash>()),
    /** JSON: counterparties choose its characters, and PostgreSQL's text has no zero among them. */
    outcome: orNull(json<string>()),
    progress: orNull(json<NonNullable<ContractRecord['progress']>>()),
    expiresAt: orNull(time),
    reason: orNull(text()),
    createdAt: time,
    updatedAt: time,
  },
  {
    /** What coins are claimed by until the funding transaction is known. */
    coin_hold: ({ contractId }: ContractRecord): Txid => coinHoldOf(contractId),
  },
);

/** Oracles and what they announced and attested; Discreet Log Contracts. Bytes are hex, but for the contracts' messages. */
export interface ContractTables {
  oracles: RowOf<typeof oracles>;
  oracle_events: RowOf<typeof oracleEvents> & {
    /** When the oracle's URL was asked last. */
    polled_at: Generated<bigint | null>;
    /** When it is asked next; null: it is attested, a local oracle's, or no contract waits for it. */
    poll_at: Generated<bigint | null>;
  };
  oracle_nonces: { public_key: string; nonce: string; event_digest: string; reused_at: bigint | null };
  attestations: RowOf<typeof attestations>;
  contracts: RowOf<typeof contracts> & {
    /** Of how many of its events an attestation is kept. */
    attested: Generated<bigint>;
  };
  contract_oracles: {
    contract_id: string;
    position: bigint;
    account_id: string;
    oracle_id: string;
    event_id: string | null;
  };
  contract_messages: { contract_id: string; type: string; account_id: string; message: Uint8Array };
  contract_fundings: {
    funding_id: Generated<bigint>;
    contract_id: string;
    account_id: string;
    txid: string;
    vout: bigint;
  };
}
