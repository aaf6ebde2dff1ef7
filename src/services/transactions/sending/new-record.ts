/** The record of a transaction that is committed, and what it changes in each wallet of the account. */

import { recordedVerdict } from '../../../core/policies/recorded-verdict.ts';
import type { CoinRecord, ScriptRecord, TransactionRecord, WalletEffect, WalletId } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { type Entry, OF_SERVICE, type OfService, type Passed } from '../../policies/gate.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import type { BuiltTransaction } from '../drafting/built-transaction.ts';
import { ownersOf } from './own-outputs.ts';

export function recordOf(
  built: BuiltTransaction,
  { policy, counts, asked }: Entry,
  owners: Map<string, ScriptRecord[]>,
  now: number,
): Omit<TransactionRecord, 'ordinal'> {
  const leavesUs = built.outputs.some((output) => output.recipient !== null && !owners.has(output.scriptPubKey));
  return {
    accountId: built.wallet.accountId,
    txid: built.txid,
    unsignedTxid: built.unsignedTxid,
    walletId: built.wallet.walletId,
    kind: built.kind,
    status: built.raw === null ? awaits(built) : 'signed',
    direction: leavesUs ? 'outgoing' : 'internal',
    raw: built.raw,
    psbt: built.psbt,
    recipients: [...built.recipients],
    amountSats: built.recipients.reduce((sum, recipient) => sum + recipient.amountSats, 0n),
    feeSats: built.feeSats,
    vsize: built.vsize,
    version: built.version,
    locktime: built.locktime,
    inputCount: built.inputs.length,
    ancestorFeeSats: built.ancestorFeeSats,
    rbf: built.rbf,
    blockHeight: null,
    blockHash: null,
    replaces: built.replaces,
    replacedBy: null,
    label: built.label,
    externalId: built.externalId,
    reason: null,
    policy,
    counts,
    asked,
    approvalId: built.approvalId,
    createdAt: now,
    updatedAt: now,
  };
}

const awaits = ({ approvalId }: BuiltTransaction) =>
  approvalId === null ? ('awaiting_signature' as const) : ('awaiting_approval' as const);

/** The record that a commit would make, for a dry run. */
export async function previewTransaction(
  read: Repositories,
  built: BuiltTransaction,
  passed: Passed | OfService,
  now: number,
): Promise<TransactionRecord> {
  const verdict = passed === OF_SERVICE ? null : passed.verdict;
  const entry = { policy: verdict && recordedVerdict(verdict), counts: null, asked: null };
  return { ...recordOf(built, entry, await ownersOf(read, built.wallet.accountId, built.outputs), now), ordinal: 0 };
}

export function effectsOf(
  built: BuiltTransaction,
  spent: readonly CoinRecord[],
  owners: Map<string, ScriptRecord[]>,
): WalletEffect[] {
  const { walletId } = built.wallet;
  const effects = new Map<string, WalletEffect>([[walletId, { walletId, receivedSats: 0n, sentSats: 0n }]]);
  const add = (wallet: WalletId, received: bigint, sent: bigint) => {
    const effect = effects.get(wallet) ?? { walletId: wallet, receivedSats: 0n, sentSats: 0n };
    effects.set(wallet, {
      walletId: wallet,
      receivedSats: effect.receivedSats + received,
      sentSats: effect.sentSats + sent,
    });
  };
  for (const coin of spent) {
    // Locked or frozen since the coins were read.
    const withdrawn = coin.locked || (coin.frozen && !built.namesCoins);
    if (withdrawn && built.replaces === null && coin.walletId === walletId) throw new ClaimConflict([coin]);
    add(coin.walletId, 0n, coin.amountSats);
  }
  for (const output of built.outputs) {
    for (const script of owners.get(output.scriptPubKey) ?? []) add(script.walletId, output.amountSats, 0n);
  }
  return [...effects.values()];
}
