/** Records of oracles and contracts with every required field, for tests that care about a few. */

import { createHash } from 'node:crypto';
import type { ContractId, OracleId } from '../../src/core/ids.ts';
import type { AttestationRecord } from '../../src/store/repositories/attestations.ts';
import type { ContractRecord } from '../../src/store/repositories/contract-rows.ts';
import type { OracleEventRecord } from '../../src/store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../src/store/repositories/oracles.ts';
import { txidOf } from './store-records.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const CREATED_AT = 1_700_000_000_000;

export const sealed = { keyId: 'k1', wrappedKey: 'd3JhcA', iv: 'aXY', ciphertext: 'Y2lwaGVy', tag: 'dGFn' };

export const oracleRecord = (oracleId: OracleId, patch: Partial<OracleRecord> = {}): OracleRecord => ({
  oracleId,
  accountId: 'acc_one',
  name: oracleId,
  externalId: null,
  kind: 'external',
  publicKey: digest(`oracle ${oracleId}`),
  url: 'https://oracle.example',
  secret: null,
  isDefault: false,
  equivocatedAt: null,
  nonceReusedAt: null,
  createdAt: CREATED_AT,
  updatedAt: CREATED_AT,
  ...patch,
});

export const localOracle = (oracleId: OracleId, patch: Partial<OracleRecord> = {}): OracleRecord =>
  oracleRecord(oracleId, { kind: 'local', url: null, secret: sealed, isDefault: true, ...patch });

export const oracleEventRecord = (
  oracleId: OracleId,
  eventId: string,
  patch: Partial<OracleEventRecord> = {},
): OracleEventRecord => ({
  accountId: 'acc_one',
  oracleId,
  eventId,
  announcement: 'fdd824',
  proof: null,
  knownAt: null,
  maturityEpoch: 1_700_000_000,
  descriptor: '{"kind":"enum","outcomes":["yes","no"]}',
  nonces: null,
  committedOutcome: null,
  committedAt: null,
  frozenAt: null,
  createdAt: CREATED_AT,
  ...patch,
});

export const attestationRecord = (
  oracleId: OracleId,
  eventId: string,
  outcomes: readonly string[],
  patch: Partial<AttestationRecord> = {},
): AttestationRecord => ({
  attestationId: `att_${digest(`${oracleId} ${eventId} ${outcomes.join(' ')}`).slice(0, 8)}`,
  accountId: 'acc_one',
  oracleId,
  eventId,
  outcomes: JSON.stringify(outcomes),
  attestation: 'fdd868',
  source: 'posted',
  createdAt: CREATED_AT,
  ...patch,
});

export const contractRecord = (contractId: ContractId, patch: Partial<ContractRecord> = {}): ContractRecord => ({
  contractId,
  accountId: 'acc_one',
  externalId: null,
  status: 'offered',
  role: 'both',
  dialect: 'tagged',
  oracleIds: [],
  eventIds: [],
  threshold: 1,
  payouts: [
    { outcome: 'yes', offerSats: '200000' },
    { outcome: 'no', offerSats: '0' },
  ],
  descriptor: null,
  collateralSats: 200_000n,
  offerCollateralSats: 100_000n,
  feeRateSatVb: 2n,
  cetLocktime: 0,
  refundLocktime: 10_000,
  offerSide: null,
  acceptSide: null,
  oracleProof: null,
  offerId: digest(`offer ${contractId}`),
  temporaryContractId: digest(`temporary ${contractId}`),
  dlcContractId: null,
  fundingTxid: null,
  fundingVout: null,
  fundingHeight: null,
  closingTxid: null,
  closingKind: null,
  closingHeight: null,
  closingBlockHash: null,
  outcome: null,
  progress: null,
  expiresAt: null,
  reason: null,
  counts: null,
  policy: null,
  approvalId: null,
  createdAt: CREATED_AT,
  updatedAt: CREATED_AT,
  ...patch,
});

/** Every field set to something of its own. */
export const fullContractRecord = (contractId: ContractId, patch: Partial<ContractRecord> = {}): ContractRecord => {
  const place = (index: number) => ({ change: index % 2 === 1, index, address: `bcrt1qplace${index}` });
  return contractRecord(contractId, {
    externalId: 'deal-7',
    status: 'closed',
    role: 'offerer',
    dialect: 'dlcspecs-vectors',
    threshold: 2,
    oracleProof: 'known',
    payouts: [{ outcome: 'naïve "quoted" \u0000 😀', offerSats: '2099999999999999' }],
    descriptor: { base: 2, points: [['0', '1.5']] },
    collateralSats: 2_100_000_000_000_000n,
    offerCollateralSats: 2_099_999_999_999_999n,
    feeRateSatVb: 9_007_199_254_740_993n,
    cetLocktime: 4_294_967_295,
    refundLocktime: 4_294_967_294,
    offerSide: {
      walletId: 'wal_one',
      fundingKey: { change: false, index: 3 },
      payout: place(4),
      change: place(5),
      inputs: [
        {
          txid: txidOf('input'),
          vout: 1,
          amountSats: '9007199254740993',
          scriptPubKey: '0014',
          change: false,
          index: 6,
          serialId: '18446744073709551615',
        },
      ],
    },
    acceptSide: {
      walletId: 'wal_two',
      fundingKey: { change: true, index: 9 },
      payout: place(7),
      change: place(8),
      inputs: [],
    },
    dlcContractId: digest('dlc'),
    fundingTxid: txidOf('funding'),
    fundingVout: 1,
    fundingHeight: 101,
    closingTxid: txidOf('closing'),
    closingKind: 'cooperative',
    closingHeight: 102,
    closingBlockHash: digest('block') as ContractRecord['closingBlockHash'],
    outcome: 'yes',
    progress: { stage: 'verifying', done: 17, total: 10_000 },
    expiresAt: CREATED_AT + 1,
    reason: 'because',
    policy: { action: 'approve', rules: [{ policy_id: 'pol_1', name: 'r', action: 'approve', matched: {} }] },
    approvalId: 'apr_1',
    updatedAt: CREATED_AT + 2,
    ...patch,
  });
};
