/** A contract divided by agreement: one side proposes with its signature, the other adds its own and broadcasts. No oracle is asked. */

import { formatBtc } from '../../../core/amount.ts';
import { closingPsbt, readClosingPsbt } from '../../../core/dlc/contract/closing-psbt.ts';
import { cooperativeClose, signClose, signedClose } from '../../../core/dlc/contract/cooperative-close.ts';
import type { SignedContractTransaction } from '../../../core/dlc/transactions/contract-transaction.ts';
import { otherSide, type Side } from '../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../core/errors.ts';
import { feeRate } from '../../../core/fee-rate.ts';
import type { ContractId } from '../../../core/ids.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { letContractPass, ownStake } from '../asked-of-contract.ts';
import { applyMove } from '../contract-moves.ts';
import type { ContractService } from '../contract-service.ts';
import { assertContractAllows } from '../contract-states.ts';
import { commitClosing } from '../contract-transactions.ts';
import { type LoadedContract, loadContract } from '../load-contract.ts';
import { requireContract, viewOf } from './contract-messages.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';

type CloseDependencies = Pick<
  RemoteDependencies,
  'store' | 'chain' | 'sendClosing' | 'withSideKeys' | 'network' | 'clock' | 'conditions' | 'gate'
>;
type Proposal = Extract<Parameters<ContractService['close']>[1], { offerPayoutSats: bigint }>;
type Taking = Extract<Parameters<ContractService['close']>[1], { psbt: string }>;

export function createCloseContract(deps: CloseDependencies): ContractService['close'] {
  const { store, network, clock } = deps;

  const sideOf = ({ role }: ContractRecord): Side => (role === 'accepter' ? 'accept' : 'offer');

  function divided({ contract, record }: LoadedContract, { offerPayoutSats, feeRateSatVb }: Proposal) {
    const satPerVb = feeRateSatVb ?? record.feeRateSatVb;
    return cooperativeClose(contract, { offerPayoutSats, feeRate: feeRate(satPerVb * 1000n) });
  }

  /** What is at stake for us and is not paid back. Where both sides are here: to the accepter's wallet. */
  function judge(
    record: ContractRecord,
    { paidSats }: { paidSats: Readonly<Record<Side, bigint>> },
    context: RequestContext,
  ) {
    const lost = ownStake(record) - paidSats[sideOf(record)];
    return letContractPass(deps, 'contract_close', record, context, lost > 0n ? lost : 0n);
  }

  async function propose(loaded: LoadedContract, proposal: Proposal, context: RequestContext) {
    const { record, contract } = loaded;
    const { accountId, contractId } = record;
    const close = divided(loaded, proposal);
    const side = sideOf(record);
    const passed = await judge(record, close, context);
    const signature = await deps.withSideKeys(record, side, passed, ({ fundingPrivateKey }) =>
      signClose(close, fundingPrivateKey),
    );
    const psbt = closingPsbt(contract, close, { side, signature });
    return store.write(async (tx) => {
      const held = await tx.contracts.findForUpdate(accountId, contractId);
      if (held === null) throw new Error(`contract ${contractId} is gone`);
      assertContractAllows('close', held);
      await tx.contracts.putMessage(accountId, contractId, 'close', Buffer.from(psbt, 'base64'));
      const result = { contract: await viewOf(tx, held), psbt };
      await recordRequest(tx, context, { result, target: contractId });
      return result;
    });
  }

  async function taken({ record, contract }: LoadedContract, { psbt, minimumSats }: Taking, context: RequestContext) {
    const side = sideOf(record);
    const proposer = otherSide(side);
    const close = readClosingPsbt(contract, proposer, psbt);
    if (close.paidSats[side] < minimumSats) {
      throw new DomainError(
        'contract_refused',
        `cooperative_close: it pays us ${formatBtc(close.paidSats[side])} BTC, less than the ${formatBtc(minimumSats)} BTC asked for`,
        { field: 'minimum_payout' },
      );
    }
    const passed = await judge(record, close, context);
    const own = await deps.withSideKeys(record, side, passed, ({ fundingPrivateKey }) =>
      signClose(close, fundingPrivateKey),
    );
    const { signature } = close;
    const signatures = side === 'offer' ? { offer: own, accept: signature } : { offer: signature, accept: own };
    const signed = signedClose(contract, close, signatures);
    if (record.status === 'confirmed') await requireTaken(signed.raw);
    return signed;
  }

  /** A proposal that no node takes would stand in the way of the outcome, until the other side has its refund. */
  async function requireTaken(raw: Uint8Array): Promise<void> {
    const verdict = await deps.chain.testAccept(raw);
    if (verdict.result !== 'refused') return;
    throw new DomainError('contract_refused', `cooperative_close: the node refuses it: ${verdict.reason}`, {
      field: 'psbt',
    });
  }

  /** Both sides are here: nobody needs to be asked. */
  async function agreed(
    loaded: LoadedContract,
    proposal: Proposal,
    context: RequestContext,
  ): Promise<SignedContractTransaction> {
    const close = divided(loaded, proposal);
    const passed = await judge(loaded.record, close, context);
    const sign = (side: Side) =>
      deps.withSideKeys(loaded.record, side, passed, ({ fundingPrivateKey }) => signClose(close, fundingPrivateKey));
    return signedClose(loaded.contract, close, { offer: await sign('offer'), accept: await sign('accept') });
  }

  async function commit(record: ContractRecord, transaction: SignedContractTransaction, context: RequestContext) {
    const { accountId, contractId } = record;
    const moved = await store.write(async (tx) => {
      const held = await tx.contracts.findForUpdate(accountId, contractId);
      if (held === null) throw new Error(`contract ${contractId} is gone`);
      // The same close once more answers the contract as it stands.
      const again = held.closingTxid === transaction.txid;
      if (!again) assertContractAllows('close', held);
      const now = clock();
      const commitment = { contract: held, kind: 'cooperative_close', transaction, network, now } as const;
      const after = again ? held : await applyMove(tx, held, await commitClosing(tx, commitment), now);
      await recordRequest(tx, context, {
        result: { contract: await viewOf(tx, after), psbt: null },
        target: contractId,
      });
      return after;
    });
    await deps.sendClosing(moved);
    const contract = await requireContract(store.read, accountId, contractId);
    const result = { contract: await viewOf(store.read, contract), psbt: null };
    if (contract.status !== moved.status) await store.write((tx) => updateAnswer(tx, context, result));
    return result;
  }

  return async (contractId, request, context) => {
    const record = await requireContract(store.read, context.accountId, contractId);
    const taking = 'psbt' in request;
    if (taking && record.role === 'both') throw nobodyElse(contractId);
    // One that was closed by this very proposal is answered once more.
    if (!(taking && record.closingKind === 'cooperative')) assertContractAllows('close', record);
    const loaded = await loadContract(store.read, record);
    if (!taking && record.role !== 'both') return propose(loaded, request, context);
    await deps.conditions.current();
    const transaction = taking ? await taken(loaded, request, context) : await agreed(loaded, request, context);
    return commit(record, transaction, context);
  };
}

const nobodyElse = (contractId: ContractId): DomainError =>
  new DomainError(
    'state_conflict',
    `both sides of contract ${contractId} are here, so that nobody proposes: say what the offerer gets, and it is closed`,
    { field: 'psbt' },
  );
