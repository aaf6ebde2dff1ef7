/** A contract divided by agreement: one side proposes with its signature, the other adds its own and broadcasts. No oracle is asked. */

import { formatBtc } from '../../../core/amount.ts';
import { closingPsbt, readClosingPsbt } from '../../../core/dlc/contract/closing-psbt.ts';
import {
  type CooperativeClose,
  cooperativeClose,
  signClose,
  signedClose,
} from '../../../core/dlc/contract/cooperative-close.ts';
import type { SignedContractTransaction } from '../../../core/dlc/transactions/contract-transaction.ts';
import { otherSide, type Side } from '../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../core/errors.ts';
import { feeRate } from '../../../core/fee-rate.ts';
import type { AccountId, ContractId } from '../../../core/ids.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Held } from '../../approvals/held-answer.ts';
import { type Doing, requireApproved } from '../../approvals/held-operation.ts';
import type { Passed } from '../../policies/gate.ts';
import { closingText, notCountingItself, onContract } from '../approving/held-steps.ts';
import { askedOfContract, scriptsOfOther, stakesBySide } from '../asked-of-contract.ts';
import { applyMove } from '../contract-moves.ts';
import type { ContractService } from '../contract-service.ts';
import { assertContractAllows } from '../contract-states.ts';
import { commitClosing } from '../contract-transactions.ts';
import { type LoadedContract, loadContract } from '../load-contract.ts';
import { requireContract, viewOf } from './contract-messages.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';

type CloseDependencies = Pick<
  RemoteDependencies,
  'store' | 'chain' | 'sendClosing' | 'withSideKeys' | 'network' | 'clock' | 'conditions' | 'held'
>;
type Closed = Exclude<Awaited<ReturnType<ContractService['close']>>, Held>;
/** With the other side's signature, where it was proposed. */
type ToClose = CooperativeClose & { readonly signature?: Uint8Array };

/** Of a proposal (`psbt` null) what the offerer gets; else what must come to us at least. */
interface Closing {
  readonly contractId: ContractId;
  readonly psbt: string | null;
  readonly sats: string;
  readonly feeRate: string | null;
}

export function createCloseContract(deps: CloseDependencies): ContractService['close'] {
  const { store, network, clock } = deps;

  const sideOf = ({ role }: ContractRecord): Side => (role === 'accepter' ? 'accept' : 'offer');

  function closeOf({ contract, record }: LoadedContract, { psbt, sats, feeRate: asked }: Closing): ToClose {
    if (psbt === null) {
      const satPerVb = BigInt(asked ?? record.feeRateSatVb);
      return cooperativeClose(contract, { offerPayoutSats: BigInt(sats), feeRate: feeRate(satPerVb * 1000n) });
    }
    const side = sideOf(record);
    const close = readClosingPsbt(contract, otherSide(side), psbt);
    if (close.paidSats[side] >= BigInt(sats)) return close;
    throw new DomainError(
      'contract_refused',
      `cooperative_close: it pays us ${formatBtc(close.paidSats[side])} BTC, less than the ${formatBtc(BigInt(sats))} BTC asked for`,
      { field: 'minimum_payout' },
    );
  }

  const signAs = (side: Side, { record }: LoadedContract, close: CooperativeClose, passed: Passed) =>
    deps.withSideKeys(record, side, passed, ({ fundingPrivateKey }) => signClose(close, fundingPrivateKey));

  async function propose(loaded: LoadedContract, close: CooperativeClose, doing: Doing): Promise<Closed> {
    const { record, contract } = loaded;
    const { accountId, contractId } = record;
    const side = sideOf(record);
    const psbt = closingPsbt(contract, close, { side, signature: await signAs(side, loaded, close, doing.passed) });
    return store.write(async (tx) => {
      await doing.judge(tx);
      const held = await tx.contracts.findForUpdate(accountId, contractId);
      if (held === null) throw new Error(`contract ${contractId} is gone`);
      assertContractAllows('close', held);
      await tx.contracts.putMessage(accountId, contractId, 'close', Buffer.from(psbt, 'base64'));
      const result = { contract: await viewOf(tx, held), psbt };
      await doing.record(tx, { result, target: contractId });
      return result;
    });
  }

  /** With both sides' signatures: the other's is in its proposal, or both are here. */
  async function signed(loaded: LoadedContract, close: ToClose, passed: Passed) {
    const side = sideOf(loaded.record);
    const own = await signAs(side, loaded, close, passed);
    const theirs = close.signature ?? (await signAs(otherSide(side), loaded, close, passed));
    const signatures = side === 'offer' ? { offer: own, accept: theirs } : { offer: theirs, accept: own };
    return signedClose(loaded.contract, close, signatures);
  }

  /** A proposal that no node takes would stand in the way of the outcome, until the other side has its refund. */
  async function requireTaken(raw: Uint8Array): Promise<void> {
    const verdict = await deps.chain.testAccept(raw);
    if (verdict.result !== 'refused') return;
    throw new DomainError('contract_refused', `cooperative_close: the node refuses it: ${verdict.reason}`, {
      field: 'psbt',
    });
  }

  async function commit(record: ContractRecord, transaction: SignedContractTransaction, doing: Doing): Promise<Closed> {
    const { accountId, contractId } = record;
    const moved = await store.write(async (tx) => {
      await doing.judge(tx);
      const held = await tx.contracts.findForUpdate(accountId, contractId);
      if (held === null) throw new Error(`contract ${contractId} is gone`);
      // The same close once more answers the contract as it stands.
      const again = held.closingTxid === transaction.txid;
      if (!again) assertContractAllows('close', held);
      const now = clock();
      const commitment = { contract: held, kind: 'cooperative_close', transaction, network, now } as const;
      const after = again ? held : await applyMove(tx, held, await commitClosing(tx, commitment), now);
      await doing.record(tx, { result: { contract: await viewOf(tx, after), psbt: null }, target: contractId });
      return after;
    });
    await deps.sendClosing(moved);
    const contract = await requireContract(store.read, accountId, contractId);
    const result = { contract: await viewOf(store.read, contract), psbt: null };
    if (contract.status !== moved.status) await store.write((tx) => doing.amend(tx, result));
    return result;
  }

  async function opened(closing: Closing, accountId: AccountId) {
    const { contractId, psbt } = closing;
    const record = await requireContract(store.read, accountId, contractId);
    const takes = psbt !== null;
    if (takes && record.role === 'both') throw nobodyElse(contractId);
    // One that was closed by this very proposal is answered once more.
    if (!(takes && record.closingKind === 'cooperative')) assertContractAllows('close', record);
    const loaded = await loadContract(store.read, record);
    const close = closeOf(loaded, closing);
    return { loaded, close };
  }

  const textOf = ({ loaded, close }: Opened) => closingText(loaded, close.transaction, network);

  type Opened = Awaited<ReturnType<typeof opened>>;
  const close = deps.held.operation<Closing, Closed, Opened>({
    ...onContract('close'),
    async describe(closing, accountId) {
      const ready = await opened(closing, accountId);
      const { loaded, close } = ready;
      const { record } = loaded;
      const stakes = stakesBySide(record);
      const { offer, accept } = close.paidSats;
      const lostSats = { offer: stakes.offer - offer, accept: stakes.accept - accept };
      const { offer: offering, acceptParty } = loaded.contract;
      const asked = {
        ...askedOfContract('contract_close', record, network, { lostSats }),
        ...scriptsOfOther(record, { offer: offering.party, accept: acceptParty }),
      };
      return {
        asked,
        looking: notCountingItself(record),
        subject: record.contractId,
        signs: async () => textOf(ready),
        ready,
      };
    },
    async run(closing, doing, ready) {
      const { loaded, close } = ready ?? (await opened(closing, doing.accountId));
      if (doing.approved !== null) await requireApproved(doing, textOf({ loaded, close }));
      if (closing.psbt === null && loaded.record.role !== 'both') return propose(loaded, close, doing);
      await deps.conditions.current();
      const transaction = await signed(loaded, close, doing.passed);
      if (close.signature && loaded.record.status === 'confirmed') await requireTaken(transaction.raw);
      return commit(loaded.record, transaction, doing);
    },
  });

  return (contractId, request, context) => {
    const closing =
      'psbt' in request
        ? { psbt: request.psbt, sats: `${request.minimumSats}`, feeRate: null }
        : {
            psbt: null,
            sats: `${request.offerPayoutSats}`,
            feeRate: request.feeRateSatVb?.toString() ?? null,
          };
    return close({ contractId, ...closing }, context);
  };
}

const nobodyElse = (contractId: ContractId): DomainError =>
  new DomainError(
    'state_conflict',
    `both sides of contract ${contractId} are here, so that nobody proposes: say what the offerer gets, and it is closed`,
    { field: 'psbt' },
  );
