import { DomainError } from '../../../core/errors.ts';
import type { PaymentJobs } from '../../../core/payments/add-signatures.ts';
import { decodeAddress } from '../../../core/relay-policy/address.ts';
import { participantsOf } from '../../../core/wallets/musig-wallets.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { TransactionRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { askerOf, type Gate, type Passed, refuseUnapproved } from '../../policies/gate.ts';
import type { Asked } from '../../policies/spending-of.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { requireWallet } from '../../wallets/wallet-dependencies.ts';
import type { OpenOwnAccount } from '../../wallets/wallet-keys.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import { requireTransaction } from '../get-transaction.ts';
import { retried } from '../make-transaction.ts';
import type { Sender } from '../sending/sender.ts';
import type { TransactionService } from '../transaction-service.ts';
import { assertAllows } from '../transaction-states.ts';
import { type TipHeight, viewNow, viewOf } from '../transaction-view.ts';
import { commitSigned } from './commit-signed.ts';

export interface AddSignaturesDependencies {
  readonly store: Store;
  readonly gate: Gate;
  readonly sender: Pick<Sender, 'send'>;
  readonly tipHeight: TipHeight;
  readonly clock: () => number;
  readonly openOwnAccount: OpenOwnAccount;
  readonly computing: Computing<PaymentJobs>;
}

/**
 * Signatures are checked and put together outside the write job, against the PSBT as it was read; in the job, which holds the record,
 * that must be the PSBT that still stands, or all is done again. So whoever sends at the same moment, here or in another process, nobody's
 * signature is lost, and one of them sends the last.
 */
export function createAddSignatures(deps: AddSignaturesDependencies): TransactionService['addSignatures'] {
  const { store, clock } = deps;

  /** It was counted when it was made, and what approved it then need not do so again. */
  async function judge(read: TransactionRecord, wallet: WalletRecord, context: RequestContext): Promise<Passed> {
    const approvedBy = (read.policy?.rules ?? []).flatMap((rule) => (rule.action === 'approve' ? rule.policy_id : []));
    const looking = { approvedBy, except: read.counts ?? [] };
    const passed = await deps.gate.decide(askerOf(context), signatureOf(read, wallet), looking);
    refuseUnapproved(passed);
    return passed;
  }

  /** A MuSig2 wallet's own share is made with it: two requests at once each make another, of which one is kept and shown. */
  async function added(read: TransactionRecord, text: string, context: RequestContext) {
    const { accountId, signal } = context;
    const wallet = await requireWallet(store.read, read.accountId, read.walletId);
    const passed = await judge(read, wallet, context);
    const musig = participantsOf(wallet.externalDescriptor) > 0;
    const account = musig ? await deps.openOwnAccount(wallet, passed) : null;
    const given = { psbts: [waitingPsbt(read), text] as const, musig, account };
    const made = await deps.computing.run('payment.addSignatures', given, {
      ...{ accountId, signal },
      transfer: account === null ? [] : [account.key],
    });
    return { ...made, passed };
  }

  return async (txid, text, context) => {
    const { accountId } = context;
    const record = await retried(async () => {
      const read = await requireTransaction(store.read, accountId, txid);
      const { psbt, nonces, complete, passed } = await added(read, text, context);
      return store.write(async (tx) => {
        const held = await tx.transactions.findForUpdate(accountId, read.txid);
        if (held) assertAllows('sign', held);
        if (held?.psbt !== read.psbt) throw new ClaimConflict([]);
        await takeNonces(tx, held, nonces);
        const now = clock();
        const after = complete
          ? await commitSigned(tx, held as TransactionRecord, complete, passed, now)
          : { ...(held as TransactionRecord), psbt, updatedAt: now };
        if (!complete) await tx.transactions.update(accountId, read.txid, { psbt, updatedAt: now });
        await recordRequest(tx, context, { result: viewOf(after, 0), target: after.txid });
        return after;
      });
    });
    if (record.status !== 'signed') return viewOf(record, 0);
    const sent = await deps.sender.send(record, async (tx, settled) =>
      updateAnswer(tx, context, await viewNow(deps.tipHeight, settled)),
    );
    return viewNow(deps.tipHeight, sent);
  };
}

function signatureOf({ kind, recipients, feeSats }: TransactionRecord, wallet: WalletRecord): Asked {
  return {
    operation: participantsOf(wallet.externalDescriptor) > 0 ? 'musig' : 'signature',
    wallet,
    // All others pay only themselves, or again.
    pays:
      kind !== 'payment' ? [] : recipients.map((paid) => ({ ...decodeAddress(paid.address, wallet.network), ...paid })),
    feeSats: feeSats ?? 0n,
  };
}

/** Of two payments, or of two inputs: who signs with one nonce twice gives their private key away, and is told before they do. */
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
