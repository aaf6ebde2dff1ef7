/**
 * A counterparty's message is taken once: verified before the job, kept in it together with the contract's move. The same message again is
 * the same answer; another one in its place is refused.
 */
import { sameBytes } from '../../../../core/bytes.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../../store/store.ts';
import { recordRequest } from '../../../requests/record-request.ts';
import type { RequestContext } from '../../../requests/request-context.ts';
import { assertContractAllows } from '../../contract-states.ts';
import { anotherMessage, type StoredMessage, viewOf } from '../contract-messages.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';

export interface TakenMessage<Verified> {
  /** Also the action that the contract's state must allow. */
  readonly type: 'accept' | 'sign';
  readonly bytes: Uint8Array;
  stored(read: Pick<Repositories, 'contracts'>, contract: ContractRecord): Promise<StoredMessage<unknown> | null>;
  /** Throws `contract_refused` naming the check. */
  verify(): Promise<Verified>;
  /** In the job, the message being kept: the contract as it is then. */
  move(tx: Repositories, held: ContractRecord, verified: Verified): Promise<ContractRecord>;
}

/** Throws `state_conflict` where another message was taken, or the contract takes none. */
export async function takeOnce<Verified>(
  { store }: Pick<RemoteDependencies, 'store'>,
  contract: ContractRecord,
  taking: TakenMessage<Verified>,
  context: RequestContext,
): Promise<ContractRecord> {
  const { accountId, contractId } = contract;
  const { type, bytes } = taking;

  async function takenBefore(read: Pick<Repositories, 'contracts'>, now: ContractRecord): Promise<boolean> {
    const before = await taking.stored(read, now);
    if (before === null) {
      assertContractAllows(type, now);
      return false;
    }
    if (sameBytes(before.bytes, bytes)) return true;
    throw anotherMessage(type);
  }

  const verified = (await takenBefore(store.read, contract)) ? null : { is: await taking.verify() };
  return store.write(async (tx) => {
    const held = await tx.contracts.findForUpdate(accountId, contractId);
    if (held === null) throw new Error(`contract ${contractId} is gone`);
    let moved = held;
    if (!(await takenBefore(tx, held)) && verified !== null) {
      await tx.contracts.putMessage(accountId, contractId, type, bytes);
      moved = await taking.move(tx, held, verified.is);
    }
    await recordRequest(tx, context, { result: await viewOf(tx, moved), target: contractId });
    return moved;
  });
}
