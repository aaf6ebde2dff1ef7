import { z } from 'zod';
import { answer, time } from '../../answer.ts';
import { idField } from '../../fields.ts';
import { EXAMPLE_HOLDER, tokenAmount } from '../governance-fields.ts';

export const delegationParams = z.strictObject({ delegation_id: idField('dlg') });

export const delegation = answer('Delegation', {
  delegation_id: z.string(),
  holder_id: z.string().meta({ description: 'Whose tokens they are' }),
  holder_address: z.string(),
  delegate_id: z.string().meta({ description: 'Who can vote with them' }),
  delegate_address: z.string(),
  amount: tokenAmount,
  from_seq: z.int().meta({ description: 'The number of the change in its DAO: it counts for proposals made after it' }),
  created_at: time,
});

export const delegationExample = {
  delegation_id: 'dlg_3mVb1k7Q2xYt9LpRw0Zc5A',
  holder_id: 'key_6pNw2LmQ9vXcT4yHn6PzRa',
  holder_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  delegate_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  delegate_address: EXAMPLE_HOLDER,
  amount: '250.50000000',
  from_seq: 3,
  created_at: '2026-11-28T09:00:00.000Z',
} as const;
