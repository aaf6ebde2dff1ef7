/** What the account's rules are asked of a contract: what is at stake leaves for it when it is offered or accepted, and counts until it ends unfunded. */
import type { WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { SpendingOperation } from '../../core/policies/policy.ts';
import type { ContractRecord } from '../../store/repositories/contract-rows.ts';
import { askerOf, type Gate, type Passed, refuseUnapproved } from '../policies/gate.ts';
import type { Asked, Paid } from '../policies/spending-of.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** How payees outside are called: where a contract pays is not known before it is made. */
const CONTRACT = 'contract';

interface Side {
  readonly walletId: WalletId;
  readonly network: Network;
}

/** `other`: the other side's wallet, where that is here, too. */
function stakeOf(operation: SpendingOperation, side: Side, sats: bigint, other: WalletId | null = null): Asked {
  const paid: Paid = { scriptPubKey: null, address: CONTRACT, amountSats: sats, ...(other ? { walletId: other } : {}) };
  return { operation, wallet: side, pays: sats > 0n ? [paid] : [], feeSats: 0n };
}

/** Of the sides that are here: what each puts in. */
export function stakesOf(
  {
    offerSide,
    acceptSide,
    collateralSats,
    offerCollateralSats,
  }: Pick<ContractRecord, 'collateralSats' | 'offerCollateralSats'> & {
    readonly offerSide: Pick<Side, 'walletId'> | null;
    readonly acceptSide: Pick<Side, 'walletId'> | null;
  },
  network: Network,
): Asked[] {
  const [offer, accept] = [offerSide?.walletId ?? null, acceptSide?.walletId ?? null];
  const acceptSats = collateralSats - offerCollateralSats;
  return [
    ...(offer ? [stakeOf('contract_offer', { walletId: offer, network }, offerCollateralSats, accept)] : []),
    ...(accept ? [stakeOf('contract_accept', { walletId: accept, network }, acceptSats, offer)] : []),
  ];
}

/** Throws `policy_denied`. */
async function letPass(
  gate: Pick<Gate, 'decide'>,
  context: RequestContext,
  asked: Asked,
  except: ContractRecord['counts'] = null,
): Promise<Passed> {
  const passed = await gate.decide(askerOf(context), asked, { except: except ?? [] });
  refuseUnapproved(passed);
  return passed;
}

/** The wallet of our side; the offerer's where both are here. null: an offer that was received has no side of ours yet. */
export function ownWallet({ role, offerSide, acceptSide }: ContractRecord): WalletId | null {
  return ((role === 'accepter' ? acceptSide : offerSide) ?? offerSide ?? acceptSide)?.walletId ?? null;
}

/** Of one that stands: `lostSats` of what is at stake for us, which was counted when it was offered or accepted. */
export function askedOfContract(
  operation: SpendingOperation,
  contract: ContractRecord,
  network: Network,
  lostSats = 0n,
): Asked {
  const walletId = ownWallet(contract);
  const other = contract.role === 'both' ? (contract.acceptSide?.walletId ?? null) : null;
  return walletId === null
    ? { operation, wallet: null, pays: [], feeSats: 0n }
    : stakeOf(operation, { walletId, network }, lostSats, other);
}

/** Throws `policy_denied`. */
export function letContractPass(
  { gate, network }: { readonly gate: Pick<Gate, 'decide'>; readonly network: Network },
  operation: SpendingOperation,
  contract: ContractRecord,
  context: RequestContext,
  lostSats = 0n,
): Promise<Passed> {
  return letPass(gate, context, askedOfContract(operation, contract, network, lostSats), contract.counts);
}

/** What our side puts in, satoshis. */
export const ownStake = ({ role, collateralSats, offerCollateralSats }: ContractRecord): bigint =>
  role === 'accepter' ? collateralSats - offerCollateralSats : offerCollateralSats;
