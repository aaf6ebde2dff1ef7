import type { ApprovalRecord } from '../../src/store/repositories/approvals.ts';
/** Records with every required field, for tests that care about a few. */

import { createHash } from 'node:crypto';
import type { AccountId, ApprovalId, WalletId } from '../../src/core/ids.ts';
import type { BlockHash, Outpoint, Txid } from '../../src/core/outpoint.ts';
import type {
  AccountRecord,
  ApiKeyRecord,
  BlockRecord,
  CoinRecord,
  IdempotencyRecord,
  ScriptRecord,
  TransactionRecord,
  WalletRecord,
} from '../../src/store/records.ts';
import type { ConnectionRecord } from '../../src/store/repositories/connections.ts';
import type { WebhookRecord } from '../../src/store/repositories/webhooks.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
/** A txid that the name stands for. */
export const txidOf = (name: string | number): Txid => digest(`tx ${name}`) as Txid;
export const blockHashOf = (name: string | number): BlockHash => digest(`block ${name}`) as BlockHash;
export const outpointOf = (name: string | number, vout = 0): Outpoint => ({ txid: txidOf(name), vout });
/** A P2WPKH script, hex. */
export const scriptOf = (name: string | number): string => `0014${digest(`script ${name}`).slice(0, 40)}`;

export const accountRecord = (accountId: AccountId = 'acc_one', patch: Partial<AccountRecord> = {}): AccountRecord => ({
  accountId,
  name: accountId,
  platform: false,
  tier: 'standard',
  createdAt: 1_700_000_000_000,
  frozenAt: null,
  frozenReason: null,
  ...patch,
});

export const apiKeyRecord = (patch: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  keyId: 'key_one',
  accountId: 'acc_one',
  name: 'backend',
  prefix: 'AbCd1234',
  secretHash: digest('secret'),
  role: 'operator',
  scopes: ['wallets:read'],
  tier: 'standard',
  limits: null,
  allowedIps: null,
  requireSignature: true,
  mayGrant: false,
  createdBy: null,
  countsAs: null,
  rotatedTo: null,
  overlapEndsAt: null,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: 1_700_000_000_000,
  ...patch,
});

export const walletRecord = (walletId: WalletId = 'wal_one', patch: Partial<WalletRecord> = {}): WalletRecord => ({
  walletId,
  accountId: 'acc_one',
  name: walletId,
  externalId: null,
  type: 'segwit',
  backupType: 'mnemonic',
  network: 'regtest',
  fingerprint: '73c5da0a',
  externalDescriptor: `wpkh(${walletId}/0/*)`,
  internalDescriptor: `wpkh(${walletId}/1/*)`,
  secret: null,
  isDefault: false,
  birthdayHeight: 0,
  nextExternalIndex: 0,
  nextInternalIndex: 0,
  scan: { state: 'idle', fromHeight: null, atHeight: null, toHeight: null, error: null },
  transactionCount: 0,
  archivedAt: null,
  createdAt: 1_700_000_000_000,
  ...patch,
});

export const scriptRecord = (index: number, patch: Partial<ScriptRecord> = {}): ScriptRecord => {
  const walletId = patch.walletId ?? 'wal_one';
  const name = `${walletId} ${patch.change ?? false} ${index}`;
  return {
    walletId,
    accountId: 'acc_one',
    scriptPubKey: scriptOf(name),
    change: false,
    index,
    address: `bcrt1q${digest(name).slice(0, 38)}`,
    label: null,
    reservedAt: null,
    usedAt: null,
    ...patch,
  };
};

export const coinRecord = (name: string | number, patch: Partial<CoinRecord> = {}): CoinRecord => ({
  walletId: 'wal_one',
  accountId: 'acc_one',
  txid: txidOf(name),
  vout: 0,
  amountSats: 100_000n,
  scriptPubKey: scriptOf('wal_one false 0'),
  change: false,
  index: 0,
  coinbase: false,
  live: true,
  own: false,
  txVersion: 2,
  height: 100,
  spentBy: null,
  spentHeight: null,
  locked: false,
  frozen: false,
  label: null,
  createdAt: 1_700_000_000_000,
  ...patch,
});

export const transactionRecord = (
  name: string | number,
  patch: Partial<TransactionRecord> = {},
): Omit<TransactionRecord, 'ordinal'> => ({
  accountId: 'acc_one',
  txid: txidOf(name),
  unsignedTxid: txidOf(name),
  walletId: 'wal_one',
  kind: 'payment',
  status: 'broadcast',
  direction: 'outgoing',
  raw: null,
  psbt: null,
  recipients: [{ address: 'bcrt1qrecipient', amountSats: 50_000n }],
  amountSats: 50_000n,
  feeSats: 141n,
  vsize: 141,
  version: 2,
  locktime: 100,
  inputCount: 1,
  ancestorFeeSats: 0n,
  rbf: true,
  blockHeight: null,
  blockHash: null,
  replaces: null,
  replacedBy: null,
  label: null,
  externalId: null,
  reason: null,
  policy: null,
  counts: null,
  asked: null,
  approvalId: null,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ...patch,
});

export const blockRecord = (height: number, branch = 'main'): BlockRecord => ({
  height,
  hash: blockHashOf(`${branch} ${height}`),
  prevHash: blockHashOf(`${branch} ${height - 1}`),
  time: 1_700_000_000 + height * 600,
  medianTime: 1_700_000_000 + height * 600 - 3_000,
});

export const idempotencyRecord = (key: string, patch: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  accountId: 'acc_one',
  key,
  fingerprint: digest(key),
  operation: 'transaction.create',
  target: null,
  status: 201,
  body: '{}',
  createdAt: 1_000,
  expiresAt: 2_000,
  ...patch,
});

export const connectionRecord = (connectionId: string, patch: Partial<ConnectionRecord> = {}): ConnectionRecord => ({
  ...{ connectionId, accountId: 'acc_one', name: 'collector', type: 'siem', enabled: true, logId: 'acc_one' },
  settings: {
    transport: 'https',
    format: 'lines',
    url: 'https://collector.example.com/',
    log: 'account',
    batchSize: 2,
    ca: null,
    secrets: [],
  },
  ...{ secret: null, makerKind: 'api_key', makerId: 'key_one', stoppedReason: null, position: 0, segmentEnd: null },
  ...{
    failures: 0,
    lastError: null,
    lastErrorAt: null,
    lastDeliveredAt: null,
    lockedUntil: null,
    nextAt: 0,
    revision: 1,
  },
  ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 },
  ...patch,
});

export const webhookRecord = (webhookId: string, patch: Partial<WebhookRecord> = {}): WebhookRecord => ({
  ...{ webhookId, accountId: 'acc_one', url: 'https://hooks.example.com/', description: null, events: ['security.*'] },
  ...{ wallets: null, ordered: true, enabled: true, readsBlocks: false, makerKind: 'api_key', makerId: 'key_one' },
  ...{ makerRole: 'admin', makerScopes: ['*'], disabledReason: null, secrets: '', deliveredSeq: 0n, failures: 0 },
  ...{ failingSince: null, lastError: null, lastErrorAt: null, lastDeliveredAt: null, nextAt: null },
  ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 },
  ...patch,
});

export const approvalRecord = (approvalId: ApprovalId, patch: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  approvalId,
  accountId: 'acc_one',
  operation: 'payment',
  subject: txidOf(approvalId),
  walletId: 'wal_one',
  initiator: { kind: 'person', id: 'usr_eve', countsAs: 'usr_eve' },
  asked: { role: 'operator', feeSats: '353', pays: [{ scriptPubKey: '51', sats: '150000' }] },
  text: '{}',
  digest: 'ab'.repeat(32),
  requirements: [{ policyId: 'pol_one', required: 1, from: { roles: ['operator'] }, expiresInHours: 24 }],
  status: 'pending',
  reason: null,
  expiresAt: 1_700_000_100_000,
  createdAt: 1_700_000_000_000,
  closedAt: null,
  doneAt: null,
  requestOf: null,
  request: null,
  result: null,
  resultUntil: null,
  ...patch,
});
