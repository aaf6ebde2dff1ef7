/** Where a contract stands by what the chain says of it; pure. */
import type { ContractPatch, ContractRecord, ContractStatus } from '../../../store/repositories/contract-rows.ts';
import { UNFUNDED_STATUSES } from '../contract-states.ts';
import type { AffectedContract } from './affected-contracts.ts';

const SETTLED: readonly ContractStatus[] = ['executed', 'refunded', 'closed'];
const ENDED: readonly ContractStatus[] = ['failed', 'cancelled'];
const PROGRESS: Readonly<Record<ContractStatus, number>> = {
  awaiting_approval: 0,
  offered: 0,
  accepted: 1,
  signed: 2,
  funded: 3,
  confirmed: 4,
  executed: 5,
  refunded: 5,
  closed: 6,
  cancelled: -1,
  failed: -1,
};

/** The facts as the record keeps them, the status that follows, and whether that takes back what was told last. */
export function chainStatusOf({ contract, funding, closing, lostCoin }: AffectedContract): {
  patch: ContractPatch;
  retracts: boolean;
} {
  const facts = { ...fundingFacts(contract, funding), ...closingFacts(contract, closing) };
  const after: ContractRecord = { ...contract, ...facts };
  const { status, reason } = statusOf(after, { contract, ...(funding && { funding }), closing, lostCoin });
  if (status === contract.status) return { patch: facts, retracts: after.outcome !== contract.outcome };
  const patch = { ...facts, status, reason };
  return { patch, retracts: takesBack(contract, { ...after, status }) };
}

function statusOf(
  after: ContractRecord,
  {
    contract,
    funding,
    closing,
    lostCoin,
  }: Omit<AffectedContract, 'closing' | 'lostCoin'> & {
    closing: AffectedContract['closing'];
    lostCoin: string | undefined;
  },
): { status: ContractStatus; reason: string | null } {
  const { status } = contract;
  const spent = closing || (closing === undefined && SETTLED.includes(status) && after.closingTxid !== null);
  if (spent) {
    // What the settling itself had to say stays; of what others spent it by, nothing was said.
    const reason = after.closingTxid === contract.closingTxid ? contract.reason : null;
    if (after.closingHeight !== null) return { status: 'closed', reason };
    return { status: after.closingKind === 'refund' ? 'refunded' : 'executed', reason };
  }
  if (funding?.state === 'lost') {
    if (ENDED.includes(status)) return { status, reason: contract.reason };
    return { status: funding.cancelled ? 'cancelled' : 'failed', reason: funding.reason };
  }
  // A spend of its output that lives no more, without a word of the funding: that stands where it stood.
  const inChain = funding ?? (closing === null && SETTLED.includes(status) ? { height: after.fundingHeight } : null);
  if (inChain) return { status: inChain.height === null ? 'funded' : 'confirmed', reason: null };
  if (lostCoin !== undefined && UNFUNDED_STATUSES.includes(status)) return { status: 'failed', reason: lostCoin };
  return { status, reason: contract.reason };
}

function fundingFacts(contract: ContractRecord, funding: AffectedContract['funding']): ContractPatch {
  if (!funding) return {};
  const height = funding.state === 'seen' ? funding.height : null;
  return height === contract.fundingHeight ? {} : { fundingHeight: height };
}

function closingFacts(contract: ContractRecord, closing: AffectedContract['closing']): ContractPatch {
  if (closing === undefined) return {};
  if (closing === null) {
    if (contract.closingTxid === null) return {};
    return { closingTxid: null, closingKind: null, closingHeight: null, closingBlockHash: null, outcome: null };
  }
  const { txid, kind, height, hash } = closing;
  // The outcome is known of the one that was made here; of another it is found out from its signature.
  if (txid !== contract.closingTxid) {
    return { closingTxid: txid, closingKind: kind, closingHeight: height, closingBlockHash: hash, outcome: null };
  }
  if (kind === contract.closingKind && height === contract.closingHeight && hash === contract.closingBlockHash)
    return {};
  return { closingKind: kind, closingHeight: height, closingBlockHash: hash };
}

function takesBack(from: ContractRecord, to: ContractRecord): boolean {
  if (ENDED.includes(from.status)) return true;
  if (ENDED.includes(to.status)) return PROGRESS[from.status] >= PROGRESS.confirmed;
  if (PROGRESS[to.status] < PROGRESS[from.status]) return true;
  // Settled by something other than was told.
  return SETTLED.includes(from.status) && from.closingTxid !== to.closingTxid;
}
