/** What proposals can be about. */
import { DomainError } from '../../../core/errors.ts';
import type { Network } from '../../../core/network.ts';
import type { Holders } from '../holders.ts';
import type { Treasury } from '../treasury.ts';
import { createParameterChange } from './parameter-change.ts';
import { createPolicyChange, type PolicyChangeDeps } from './policy-change.ts';
import { PROPOSAL_TYPES, type ProposalType } from './proposal-type.ts';
import { text } from './text.ts';
import { createTokenMint } from './token-mint.ts';
import { createTreasuryChange } from './treasury-change.ts';
import { createTreasurySpend } from './treasury-spend.ts';

export function createProposalTypes({
  network,
  treasury,
  ...deps
}: {
  network: Network;
  clock: () => number;
  holders: Holders;
  treasury: Treasury;
} & PolicyChangeDeps) {
  const types: Readonly<Record<(typeof PROPOSAL_TYPES)[number], ProposalType>> = {
    text,
    parameter_change: createParameterChange(network),
    token_mint: createTokenMint(deps),
    treasury_spend: createTreasurySpend({ network, treasury }),
    treasury_change: createTreasuryChange(treasury),
    policy_change: createPolicyChange(deps),
  };
  return {
    /** Throws `unsupported`, listing those that there are. */
    typeOf(name: string): ProposalType {
      const known = PROPOSAL_TYPES.find((one) => one === name);
      if (known !== undefined) return types[known];
      throw new DomainError('unsupported', `must be one of ${PROPOSAL_TYPES.join(', ')}`, { field: 'type' });
    },
  };
}
export type ProposalTypes = ReturnType<typeof createProposalTypes>;
