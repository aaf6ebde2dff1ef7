/** What the account's rules are asked of a contract: what is at stake leaves for it when it is offered or accepted, and counts until it ends unfunded. */
import { hex } from '../../core/bytes.ts';
import type { ContractParty } from '../../core/dlc/dlc-messages.ts';
import { otherSide, type Side } from '../../core/dlc/transactions/funding-coins.ts';
import type { WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { SpendingOperation } from '../../core/policies/policy.ts';
import type { ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../store/store.ts';
import type { Asked, Paid } from '../policies/spending-of.ts';
import { ownSides } from './sides/side-keys.ts';

/** How payees outside are called: where a contract pays is not known before it is made. */
const CONTRACT = 'contract';
const SIDES: readonly Side[] = ['offer', 'accept'];

type OwnWallet = NonNullable<Asked['wallet']>;
type OwnSides = Readonly<Record<`${Side}Side`, Pick<OwnWallet, 'walletId'> | null>>;

/** `other`: the other side's wallet, where that is here, too. */
function stakeOf(operation: SpendingOperation, wallet: OwnWallet, sats: bigint, other: WalletId | null = null) {
  const paid: Paid = { scriptPubKey: null, address: CONTRACT, amountSats: sats, ...(other ? { walletId: other } : {}) };
  return { operation, wallet, pays: sats > 0n ? [paid] : [], feeSats: 0n } satisfies Asked;
}

type Party = Pick<ContractParty, 'payoutScript' | 'changeScript'>;

/** Where it can pay the side that is not here: screening lists are asked about that. */
export const scriptsOfOther = (
  sides: OwnSides,
  parties: { readonly [S in Side]?: Party | undefined },
): Pick<Asked, 'screens'> => ({
  screens: SIDES.filter((side) => walletsOf(sides)[side] === null).flatMap((side) => {
    const party = parties[side];
    return party === undefined ? [] : [hex(party.payoutScript), hex(party.changeScript)];
  }),
});

/** Of the sides that are here: what each puts in. */
export function stakesOf(
  contract: Pick<ContractRecord, 'collateralSats' | 'offerCollateralSats'> & OwnSides,
  network: Network,
): Asked[] {
  const wallets = walletsOf(contract);
  const stakes = stakesBySide(contract);
  return SIDES.flatMap((side) => {
    const walletId = wallets[side];
    return walletId ? stakeOf(`contract_${side}`, { walletId, network }, stakes[side], wallets[otherSide(side)]) : [];
  });
}

/** What each side gets less than it put in. */
type LostSats = Partial<Readonly<Record<Side, bigint>>>;

/**
 * Of one that stands, of each wallet of ours that has a side of it: what it loses of what is at stake, which was counted when it was offered or accepted.
 * An offer that was received has no side of ours yet.
 */
export function askedOfContract(
  operation: SpendingOperation,
  contract: ContractRecord,
  network: Network,
  { lostSats = {}, twin = null }: { readonly lostSats?: LostSats; readonly twin?: ContractRecord | null } = {},
): Asked {
  const asksOf = (record: ContractRecord) => {
    const wallets = walletsOf(record);
    return ownSides(record).flatMap((side) => {
      const walletId = wallets[side];
      const lost = lostSats[side] ?? 0n;
      return walletId ? stakeOf(operation, { walletId, network }, lost > 0n ? lost : 0n, wallets[otherSide(side)]) : [];
    });
  };
  const [asked, counterpart] = [...asksOf(contract), ...(twin === null ? [] : asksOf(twin))];
  if (asked === undefined) return { operation, wallet: null, pays: [], feeSats: 0n };
  const isOther = counterpart !== undefined && counterpart.wallet.walletId !== asked.wallet.walletId;
  return isOther ? { ...asked, counterpart } : asked;
}

/** The other side's record, where the account took its own offer: what settles or cancels one does so with both. */
export async function twinOf(
  { contracts }: Pick<Repositories, 'contracts'>,
  { accountId, contractId, fundingTxid }: ContractRecord,
): Promise<ContractRecord | null> {
  const funded = fundingTxid === null ? [] : await contracts.fundedBy(accountId, fundingTxid);
  return funded.find((one) => one.contractId !== contractId) ?? null;
}

/** What each side puts in, satoshis. */
export const stakesBySide = ({
  collateralSats,
  offerCollateralSats,
}: Pick<ContractRecord, 'collateralSats' | 'offerCollateralSats'>): Readonly<Record<Side, bigint>> => ({
  offer: offerCollateralSats,
  accept: collateralSats - offerCollateralSats,
});

/** The account's wallets by the side that each has. */
export const walletsOf = ({ offerSide, acceptSide }: OwnSides): Readonly<Record<Side, WalletId | null>> => ({
  offer: offerSide?.walletId ?? null,
  accept: acceptSide?.walletId ?? null,
});
