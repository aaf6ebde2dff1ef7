import { parseTransaction } from '../../../core/blocks/transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { OwnAccount, PaymentJobs } from '../../../core/payments/add-signatures.ts';
import { type ApprovalText, transactionText } from '../../../core/policies/approval-text.ts';
import { decodeAddress } from '../../../core/relay-policy/address.ts';
import { accountXpubs } from '../../../core/wallets/account-xpubs.ts';
import { participantsOf } from '../../../core/wallets/musig-wallets.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { TransactionRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { ADDS_SIGNATURES } from '../../approvals/end-unapproved.ts';
import type { HeldRequests } from '../../approvals/held-requests.ts';
import type { Looking } from '../../policies/gate.ts';
import type { Asked } from '../../policies/spending-of.ts';
import { requireWallet } from '../../wallets/wallet-dependencies.ts';
import type { OpenOwnAccount } from '../../wallets/wallet-keys.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import { requireTransaction } from '../get-transaction.ts';
import { retried } from '../make-transaction.ts';
import { ownersOf } from '../sending/own-outputs.ts';
import type { Sender } from '../sending/sender.ts';
import type { TransactionService, TransactionView } from '../transaction-service.ts';
import { assertAllows } from '../transaction-states.ts';
import { type TipHeight, viewNow, viewOf } from '../transaction-view.ts';
import { commitSigned } from './commit-signed.ts';

export interface AddSignaturesDependencies {
  readonly store: Store;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly sender: Pick<Sender, 'send'>;
  readonly tipHeight: TipHeight;
  readonly clock: () => number;
  readonly openOwnAccount: OpenOwnAccount;
  readonly computing: Computing<PaymentJobs>;
}

interface Given {
  readonly txid: Txid;
  readonly psbt: string;
}

interface Waiting {
  readonly record: TransactionRecord;
  readonly wallet: WalletRecord;
}

/**
 * Signatures are checked and put together outside the write job, against the PSBT as it was read; in the job, which holds the record,
 * that must be the PSBT that still stands, or all is done again. So whoever sends at the same moment, here or in another process, nobody's
 * signature is lost, and one of them sends the last.
 */
export function createAddSignatures(deps: AddSignaturesDependencies): TransactionService['addSignatures'] {
  const { store, clock } = deps;

  async function waiting(accountId: AccountId, txid: Txid): Promise<Waiting> {
    const record = await requireTransaction(store.read, accountId, txid);
    return { record, wallet: await requireWallet(store.read, accountId, record.walletId) };
  }

  /** With `account` (MuSig2) the service's nonce and share are made, too; of two concurrent requests one is stored. */
  function added({ record, wallet }: Waiting, psbt: string, account: OwnAccount | null, signal?: AbortSignal) {
    const musig = isMusig(wallet);
    const ownKey = musig && account === null ? ownKeyOf(wallet) : null;
    const given = { psbts: [waitingPsbt(record), psbt] as const, musig, account, ownKey };
    return deps.computing.run('payment.addSignatures', given, {
      ...{ accountId: record.accountId, transfer: account === null ? [] : [account.key] },
      ...(signal && { signal }),
    });
  }

  /** Checked as it will be when it is approved. */
  async function textOf(of: Waiting, psbt: string): Promise<ApprovalText['signs']> {
    const { accountId, walletId, network } = of.wallet;
    const { unsigned, spent, added: fields } = await added(of, psbt, null);
    const owners = await ownersOf(store.read, accountId, parseTransaction(unsigned).outputs);
    const isOwn = (script: string) => owners.get(script)?.some((one) => one.walletId === walletId) ?? false;
    const { kind: _, ...transaction } = transactionText(unsigned, { walletId, network, spent, isOwn });
    return { kind: 'signature', ...transaction, added: fields };
  }

  const add = deps.held.operation<Given, TransactionView>({
    id: ADDS_SIGNATURES,
    access: { scope: 'transactions:write', role: 'operator' },
    lookAgain: async (tx, { accountId, subject }) =>
      lookingOf(tx, await requireTransaction(tx, accountId, subject as Txid)),
    async describe({ txid, psbt }, accountId) {
      const of = await waiting(accountId, txid);
      const { record, wallet } = of;
      return {
        ...{ asked: signatureOf(record, wallet), looking: await lookingOf(store.read, record) },
        subject: record.unsignedTxid,
        signs: () => textOf(of, psbt),
      };
    },
    async run({ txid, psbt: text }, { accountId, signal, passed, ...doing }) {
      const record = await retried(async () => {
        const of = await waiting(accountId, txid);
        const account = isMusig(of.wallet) ? await deps.openOwnAccount(of.wallet, passed) : null;
        const { psbt, nonces, complete } = await added(of, text, account, signal);
        return store.write(async (tx) => {
          await doing.judge(tx);
          const held = await tx.transactions.findForUpdate(accountId, of.record.txid);
          if (held) assertAllows('sign', held);
          if (held?.psbt !== of.record.psbt) throw new ClaimConflict([]);
          await takeNonces(tx, held, nonces);
          const now = clock();
          const after = complete
            ? await commitSigned(tx, held as TransactionRecord, complete, passed, now)
            : { ...(held as TransactionRecord), psbt, updatedAt: now };
          if (!complete) await tx.transactions.update(accountId, held.txid, { psbt, updatedAt: now });
          await doing.record(tx, { result: viewOf(after, 0), target: after.txid });
          return after;
        });
      });
      if (record.status !== 'signed') return viewOf(record, 0);
      const sent = await deps.sender.send(record, async (tx, settled) =>
        doing.amend(tx, await viewNow(deps.tipHeight, settled)),
      );
      return viewNow(deps.tipHeight, sent);
    },
  });
  return (txid, psbt, context) => add({ txid, psbt }, context);
}

/** It stands first in the descriptor (wallet-material.ts). */
function ownKeyOf({ secret, externalDescriptor, network }: WalletRecord): Uint8Array | null {
  const [own] = secret === null ? [] : accountXpubs(externalDescriptor, network);
  return own === undefined ? null : Uint8Array.from(own.bytes.subarray(45));
}

const isMusig = (wallet: WalletRecord): boolean => participantsOf(wallet.externalDescriptor) > 0;

/** It was counted when it was made, and what approved it then need not do so again. Throws `state_conflict` where it waits for no signature. */
async function lookingOf(tx: Pick<Repositories, 'approvals'>, record: TransactionRecord): Promise<Looking> {
  assertAllows('sign', record);
  const { accountId, approvalId, counts } = record;
  const approval = approvalId && (await tx.approvals.find(accountId, approvalId));
  return { approvedFor: approval?.requirements ?? [], except: counts ?? [] };
}

function signatureOf({ kind, recipients, feeSats }: TransactionRecord, wallet: WalletRecord): Asked {
  const pays = recipients.map(({ address, amountSats }) => {
    const { scriptPubKey } = decodeAddress(address, wallet.network);
    return { scriptPubKey, address, amountSats };
  });
  return {
    operation: isMusig(wallet) ? 'musig' : 'signature',
    wallet,
    // All others pay only themselves, or again.
    ...(kind === 'payment' ? { pays } : { pays: [], screens: pays.map(({ scriptPubKey }) => scriptPubKey) }),
    feeSats: feeSats ?? 0n,
  };
}

/** Reusing a nonce, in two payments or for two inputs, reveals the private key: refuse it. */
async function takeNonces(
  tx: Pick<Repositories, 'musigSessions'>,
  { accountId, unsignedTxid }: TransactionRecord,
  nonces: readonly string[],
): Promise<void> {
  for (const nonce of nonces) {
    if (await tx.musigSessions.takeNonce(accountId, { publicNonce: nonce, usedBy: unsignedTxid })) continue;
    throw new DomainError(
      'already_exists',
      `nonce ${nonce} was given before, for another signature: a nonce signs once, so make a new one for each input`,
      { field: 'psbt' },
    );
  }
}

/** The PSBT of a payment that waits for signatures, base64. Throws `state_conflict`. */
export function waitingPsbt(record: TransactionRecord): string {
  assertAllows('sign', record);
  if (record.psbt === null) throw new Error(`transaction ${record.txid} waits for signatures and has no PSBT`);
  return record.psbt;
}
