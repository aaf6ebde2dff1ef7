import { z } from 'zod';
import { ENTRY_TYPES, MAX_SUPPLY } from '../../../core/governance/tokens.ts';
import type { DaoRecord } from '../../../services/governance/daos.ts';
import { answer, time, unnamedAnswer } from '../../answer.ts';
import { namedRequest } from '../../fields.ts';
import { EXAMPLE_HOLDER, holderField, tokenAmount, tokensField } from '../governance-fields.ts';

export const movementBody = { address: holderField, amount: tokensField };
export const adminMovement = namedRequest('TokenMovementRequest', {
  ...movementBody,
  reason: z.string().trim().min(1, 'must not be empty').max(255, 'must have at most 255 characters'),
});

export const tokenEntry = answer('TokenEntry', {
  seq: z
    .int()
    .meta({ description: 'The number of the change in its DAO; both sides of a transfer or delegation have the same' }),
  type: z.enum(ENTRY_TYPES),
  holder_id: z.string(),
  change: tokenAmount.meta({ description: 'Negative where tokens were taken away' }),
  balance: tokenAmount.meta({ description: 'Of the holder after it' }),
  delegated: tokenAmount.meta({ description: 'How much of it the holder delegates after it' }),
  counterparty_id: z.string().nullable().meta({ description: 'The other side of a transfer or delegation' }),
  reason: z.string().nullable(),
  created_at: time,
});

const most = unnamedAnswer({ max_supply: tokenAmount });

export const tokenSupply = answer(
  'TokenSupply',
  {
    supply: tokenAmount,
    max_supply: tokenAmount,
    admin_mint: z.boolean().meta({ description: 'Whether administrators may mint' }),
  },
  ({ parameters: { admin_mint } }: DaoRecord) => ({ ...most.present({ maxSupply: MAX_SUPPLY }), admin_mint }),
);

export const movementExample = { address: EXAMPLE_HOLDER, amount: '250.5' };

export const entryExample = {
  seq: 2,
  type: 'mint',
  holder_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  change: '250.50000000',
  balance: '250.50000000',
  delegated: '0.00000000',
  counterparty_id: null,
  reason: 'Contributors of November',
  created_at: '2026-11-28T09:00:00.000Z',
} as const;
