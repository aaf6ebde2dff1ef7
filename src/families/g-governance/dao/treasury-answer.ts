import { z } from 'zod';
import type { TreasuryView } from '../../../services/governance/treasury.ts';
import { TRANSACTION_STATUSES } from '../../../services/transactions/transaction-service.ts';
import { amount, answer, time } from '../../answer.ts';

const movement = answer('TreasuryMovement', {
  txid: z.string(),
  direction: z.enum(['outgoing', 'incoming', 'internal']),
  status: z.enum(TRANSACTION_STATUSES),
  amount,
  fee: amount.nullable().meta({ description: 'null of what others pay in' }),
  proposal_id: z.string().nullable().meta({ description: 'The proposal that it carries out' }),
  created_at: time,
});

const balance = answer('TreasuryBalance', {
  confirmed: amount,
  pending: amount,
  locked: amount,
  immature: amount.meta({ description: 'Coinbase outputs with fewer than 100 confirmations' }),
});

export const treasury = answer(
  'Treasury',
  {
    wallet_id: z.string().nullable().meta({ description: 'null: none is set' }),
    balance: balance.schema,
    committed: amount.meta({
      description:
        'What passed proposals pay from it that were not executed and can still be, the newest 200 of them, without fees',
    }),
    movements: z.array(movement.schema).meta({ description: 'The newest 20, newest first' }),
    addresses: z.array(z.string()).meta({ description: 'Of the wallet: what is paid here is the treasury’s' }),
  },
  (view: TreasuryView) => ({ movements: view.movements.map(movement.present) }),
);

export const treasuryExample = {
  wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  balance: { confirmed: '2.50000000', pending: '0.00000000', locked: '0.00000000', immature: '0.00000000' },
  committed: '0.25000000',
  movements: [
    {
      ...{ txid: '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2', direction: 'incoming' as const },
      ...{ status: 'confirmed' as const, amount: '2.50000000', fee: null, proposal_id: null },
      created_at: '2026-11-28T09:00:00.000Z',
    },
  ],
  addresses: ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'],
};
