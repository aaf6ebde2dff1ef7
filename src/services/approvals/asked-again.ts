/** What the rules evaluated, stored with the approval: evaluated again with the last vote, and before it is carried out. */
import type { SpendingOperation } from '../../core/policies/policy.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Passed } from '../policies/gate.ts';
import type { Asked, Asker } from '../policies/spending-of.ts';

export const initiatorOf = ({ asker: { kind, credentialId: id, userId: countsAs } }: Passed) => ({
  kind,
  id,
  countsAs,
});

export const storedAsked = ({ asker, asked }: Passed): ApprovalRecord['asked'] => ({
  role: asker.role,
  ...(asked.also === undefined ? {} : { also: asked.also }),
  feeSats: `${asked.feeSats}`,
  pays: asked.pays.map(({ amountSats, ...paid }) => ({ ...paid, sats: `${amountSats}` })),
});

export const askedOf = (
  { accountId, initiator, operation, asked: { role, feeSats, pays, also } }: ApprovalRecord,
  wallet: Asked['wallet'],
): [Asker, Asked] => [
  { accountId, userId: initiator.countsAs, credentialId: initiator.id, role, kind: initiator.kind },
  {
    ...{ operation: operation as SpendingOperation, wallet, feeSats: BigInt(feeSats) },
    ...(also === undefined ? {} : { also }),
    pays: pays.map(({ sats, ...paid }) => ({ ...paid, amountSats: BigInt(sats) })),
  },
];
