import type { Insertable, Selectable, Updateable } from 'kysely';
import { coinHoldOf } from '../../core/dlc/coin-hold.ts';
import type { Dialect } from '../../core/dlc/dialect.ts';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type {
  ClosingKind,
  ContractPatch,
  ContractRecord,
  ContractRole,
  ContractStatus,
} from '../interfaces/contracts.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, ifGiven, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';

export const toContract = (row: Selectable<Schema['contracts']>): ContractRecord => ({
  contractId: row.contract_id,
  accountId: row.account_id,
  externalId: row.external_id,
  status: row.status as ContractStatus,
  role: row.role as ContractRole,
  dialect: row.dialect as Dialect,
  oracleIds: JSON.parse(row.oracle_ids) as string[],
  eventIds: JSON.parse(row.event_ids) as string[],
  threshold: Number(row.threshold),
  payouts: JSON.parse(row.payouts) as ContractRecord['payouts'],
  descriptor: parsedOrNull(row.descriptor),
  collateralSats: row.collateral_sats,
  offerCollateralSats: row.offer_collateral_sats,
  feeRateSatVb: row.fee_rate_sat_vb,
  cetLocktime: Number(row.cet_locktime),
  refundLocktime: Number(row.refund_locktime),
  offerSide: parsedOrNull(row.offer_side),
  acceptSide: parsedOrNull(row.accept_side),
  offerId: row.offer_id,
  oracleProof: row.oracle_proof as ContractRecord['oracleProof'],
  temporaryContractId: row.temporary_contract_id,
  dlcContractId: row.dlc_contract_id,
  fundingTxid: row.funding_txid as Txid | null,
  fundingVout: numberOrNull(row.funding_vout),
  fundingHeight: numberOrNull(row.funding_height),
  closingTxid: row.closing_txid as Txid | null,
  closingKind: row.closing_kind as ClosingKind | null,
  closingHeight: numberOrNull(row.closing_height),
  closingBlockHash: row.closing_block_hash as BlockHash | null,
  outcome: parsedOrNull(row.outcome),
  progress: parsedOrNull(row.progress),
  expiresAt: numberOrNull(row.expires_at),
  reason: row.reason,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

/** undefined members stay undefined: a patch leaves those columns alone. */
export const contractPatch = (patch: ContractPatch) =>
  ({
    external_id: patch.externalId,
    status: patch.status,
    oracle_ids: ifGiven(patch.oracleIds, (ids) => JSON.stringify(ids)),
    event_ids: ifGiven(patch.eventIds, (ids) => JSON.stringify(ids)),
    threshold: ifGiven(patch.threshold, BigInt),
    payouts: ifGiven(patch.payouts, (payouts) => JSON.stringify(payouts)),
    descriptor: ifGiven(patch.descriptor, jsonOrNull),
    collateral_sats: patch.collateralSats,
    offer_collateral_sats: patch.offerCollateralSats,
    fee_rate_sat_vb: patch.feeRateSatVb,
    cet_locktime: ifGiven(patch.cetLocktime, BigInt),
    refund_locktime: ifGiven(patch.refundLocktime, BigInt),
    offer_side: ifGiven(patch.offerSide, jsonOrNull),
    accept_side: ifGiven(patch.acceptSide, jsonOrNull),
    dlc_contract_id: patch.dlcContractId,
    funding_txid: patch.fundingTxid,
    funding_vout: ifGiven(patch.fundingVout, bigintOrNull),
    funding_height: ifGiven(patch.fundingHeight, bigintOrNull),
    closing_txid: patch.closingTxid,
    closing_kind: patch.closingKind,
    closing_height: ifGiven(patch.closingHeight, bigintOrNull),
    closing_block_hash: patch.closingBlockHash,
    outcome: ifGiven(patch.outcome, jsonOrNull),
    progress: ifGiven(patch.progress, jsonOrNull),
    expires_at: ifGiven(patch.expiresAt, bigintOrNull),
    reason: patch.reason,
    updated_at: ifGiven(patch.updatedAt, BigInt),
  }) satisfies Updateable<Schema['contracts']>;

export const contractColumns = (record: ContractRecord): Insertable<Schema['contracts']> => ({
  ...(contractPatch(record) as Insertable<Schema['contracts']>),
  contract_id: record.contractId,
  account_id: record.accountId,
  role: record.role,
  dialect: record.dialect,
  offer_id: record.offerId,
  oracle_proof: record.oracleProof,
  temporary_contract_id: record.temporaryContractId,
  coin_hold: coinHoldOf(record.contractId),
  created_at: BigInt(record.createdAt),
});
