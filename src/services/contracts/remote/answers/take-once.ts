/**
 * A counterparty's message is taken once: verified before the job, kept in it together with the contract's move. The same message again is
 * the same answer; another one in its place is refused. With it we sign, which rules may want approved first.
 */
import { hex, sameBytes } from '../../../../core/bytes.ts';
import type { DlcContract } from '../../../../core/dlc/contract/dlc-contract.ts';
import type { AcceptMessage } from '../../../../core/dlc/dlc-messages.ts';
import { parseAccept, serializeAccept } from '../../../../core/dlc/messages/accept.ts';
import type { ContractId } from '../../../../core/ids.ts';
import { contractText } from '../../../../core/policies/contract-text.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../../store/store.ts';
import type { Held } from '../../../approvals/held-answer.ts';
import { atOnce, type Doing, requireApproved } from '../../../approvals/held-operation.ts';
import type { Passed } from '../../../policies/gate.ts';
import type { RequestContext } from '../../../requests/request-context.ts';
import { refuseLong } from '../../approving/await-approval.ts';
import { approvedBefore, onContract } from '../../approving/held-steps.ts';
import { askedOfContract, scriptsOfOther, stakesBySide, walletsOf } from '../../asked-of-contract.ts';
import { assertContractAllows } from '../../contract-states.ts';
import { anotherMessage, requireContract, type StoredMessage, storedOffer, viewOf } from '../contract-messages.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { withoutSignatures } from './make-accept.ts';

/** What both sides' parts come to. */
export interface CheckedMessage {
  readonly dlc: DlcContract;
  readonly accept: AcceptMessage;
}

export interface TakenMessage<Checked extends CheckedMessage, Verified = Checked> {
  /** Also the action that the contract's state must allow. */
  readonly type: 'accept' | 'sign';
  stored(read: Pick<Repositories, 'contracts'>, contract: ContractRecord): Promise<StoredMessage<unknown> | null>;
  /** Throws `contract_refused` naming the check. */
  check(contract: ContractRecord, message: Uint8Array, signal: AbortSignal): Promise<Checked>;
  /** What of ours is signed before it is kept. */
  complete(contract: ContractRecord, checked: Checked, passed: Passed): Promise<Verified>;
  /** In the job, the message being kept: the contract as it is then. */
  move(tx: Repositories, held: ContractRecord, verified: Verified): Promise<ContractRecord>;
}

/** Answers the contract as it is then. Throws `state_conflict` where another message was taken, or the contract takes none. */
export type TakeOnce = (
  contract: ContractRecord,
  message: Uint8Array,
  context: RequestContext,
) => Promise<ContractRecord | Held>;

export function createTakeOnce<Checked extends CheckedMessage, Verified>(
  deps: Pick<RemoteDependencies, 'store' | 'held' | 'network'> & { takeOn(contract: ContractRecord): void },
  taking: TakenMessage<Checked, Verified>,
): TakeOnce {
  const { store, network } = deps;
  const { type } = taking;

  async function takenBefore(read: Pick<Repositories, 'contracts'>, now: ContractRecord, bytes: Uint8Array) {
    const before = await taking.stored(read, now);
    if (before === null) {
      assertContractAllows(type, now);
      return false;
    }
    if (sameBytes(before.bytes, bytes)) return true;
    throw anotherMessage(type);
  }

  const keep = (
    { accountId, contractId }: ContractRecord,
    bytes: Uint8Array,
    verified: { readonly is: Verified } | null,
    { judge, record }: Pick<Doing, 'record'> & Partial<Pick<Doing, 'judge'>>,
  ): Promise<ContractRecord> =>
    store.write(async (tx) => {
      await judge?.(tx);
      const held = await tx.contracts.findForUpdate(accountId, contractId);
      if (held === null) throw new Error(`contract ${contractId} is gone`);
      let moved = held;
      if (!(await takenBefore(tx, held, bytes)) && verified !== null) {
        await tx.contracts.putMessage(accountId, contractId, type, bytes);
        moved = await taking.move(tx, held, verified.is);
      }
      await record(tx, { result: await viewOf(tx, moved), target: contractId });
      return moved;
    });

  /** Offer and acceptance without signatures: the funding transaction, all CETs and the refund follow from them. */
  async function textOf(contract: ContractRecord, { dlc, accept }: Checked) {
    const { contractId, dialect } = contract;
    const { bytes: offer } = await storedOffer(store.read, contract);
    const unsigned = serializeAccept(withoutSignatures(accept), dialect);
    refuseLong(offer.length + unsigned.length, 'message');
    return contractText({
      ...{ contract_id: contractId, wallets: walletsOf(contract), dialect, expires_at: null },
      ...{ offer_message: hex(offer), accept_message: hex(unsigned) },
      funding_transaction: hex(dlc.fundingTransaction.raw),
    });
  }

  /** The other side, as far as this message tells. */
  const partiesOf = async (contract: ContractRecord, message: Uint8Array) =>
    type === 'accept'
      ? { accept: parseAccept(message, contract.dialect).party }
      : { offer: (await storedOffer(store.read, contract)).message.party };

  const take = deps.held.operation<{ readonly contractId: ContractId; readonly message: string }, ContractRecord>({
    ...onContract(type),
    async lookAgain(tx, { accountId, subject }) {
      return approvedBefore(tx, await requireContract(tx, accountId, subject as ContractId));
    },
    async describe({ contractId, message }, accountId, signal) {
      const contract = await requireContract(store.read, accountId, contractId);
      assertContractAllows(type, contract);
      return {
        asked: {
          ...askedOfContract('contract_sign', contract, network, { lostSats: stakesBySide(contract) }),
          ...scriptsOfOther(contract, await partiesOf(contract, Buffer.from(message, 'hex'))),
        },
        ...{ looking: await approvedBefore(store.read, contract), subject: contractId },
        signs: async () => textOf(contract, await taking.check(contract, Buffer.from(message, 'hex'), signal)),
      };
    },
    async run({ contractId, message }, doing) {
      const contract = await requireContract(store.read, doing.accountId, contractId);
      const bytes = Buffer.from(message, 'hex');
      assertContractAllows(type, contract);
      const checked = await taking.check(contract, bytes, doing.signal);
      if (doing.approved !== null) await requireApproved(doing, await textOf(contract, checked));
      const after = await keep(contract, bytes, { is: await taking.complete(contract, checked, doing.passed) }, doing);
      if (doing.approved !== null) deps.takeOn(after);
      return after;
    },
  });

  return async (contract, bytes, context) =>
    (await takenBefore(store.read, contract, bytes))
      ? keep(contract, bytes, null, atOnce(context))
      : take({ contractId: contract.contractId, message: hex(bytes) }, context);
}
