/** What the rules evaluated, stored with the approval: evaluated again with the last vote, and before it is carried out. */
import type { AccountId } from '../../core/ids.ts';
import type { SpendingOperation } from '../../core/policies/policy.ts';
import type { ApprovalRecord, OpenApproval } from '../../store/repositories/approvals.ts';
import type { Passed } from '../policies/gate.ts';
import type { Asked, Asker, Paid } from '../policies/spending-of.ts';

export const initiatorOf = ({ asker: { kind, credentialId: id, userId: countsAs } }: Passed) => ({
  kind,
  id,
  countsAs,
});

type Stored = ApprovalRecord['asked'];

export const storedAsked = ({
  asker,
  asked: { also, counterpart, feeSats, pays, screens, proposer },
}: Passed): Stored => ({
  role: asker.role,
  ...(proposer === undefined ? {} : { proposer: storedAsker(proposer) }),
  ...(also === undefined ? {} : { also }),
  ...(counterpart?.wallet
    ? { counterpart: { walletId: counterpart.wallet.walletId, pays: counterpart.pays.map(storedPaid) } }
    : {}),
  ...(screens === undefined ? {} : { screens }),
  ...{ feeSats: `${feeSats}`, pays: pays.map(storedPaid) },
});

export const askedOf = (
  {
    accountId,
    initiator,
    operation,
    asked: { role, feeSats, pays, screens, also, counterpart, proposer },
  }: OpenApproval,
  wallet: Asked['wallet'],
): [Asker, Asked] => [
  { accountId, userId: initiator.countsAs, credentialId: initiator.id, role, kind: initiator.kind },
  {
    ...{ operation: operation as SpendingOperation, wallet, feeSats: BigInt(feeSats), pays: pays.map(paidOf) },
    ...(also === undefined ? {} : { also }),
    ...(screens === undefined ? {} : { screens }),
    ...(proposer === undefined ? {} : { proposer: askerAgain(accountId, proposer) }),
    ...(counterpart && wallet
      ? { counterpart: { wallet: { ...wallet, walletId: counterpart.walletId }, pays: counterpart.pays.map(paidOf) } }
      : {}),
  },
];

const storedAsker = ({ kind, credentialId: id, userId: countsAs, role }: Asker) => ({ kind, id, countsAs, role });
/** Who asked, as it is stored with what they asked for. */
export const askerAgain = (
  accountId: AccountId,
  { kind, id, countsAs, role }: NonNullable<Stored['proposer']>,
): Asker => ({
  ...{ accountId, userId: countsAs, credentialId: id, role, kind },
});
const storedPaid = ({ amountSats, ...paid }: Paid) => ({ ...paid, sats: `${amountSats}` });
const paidOf = ({ sats, ...paid }: Stored['pays'][number]): Paid => ({ ...paid, amountSats: BigInt(sats) });
