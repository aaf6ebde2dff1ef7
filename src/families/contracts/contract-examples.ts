/** A contract of one holder on the outcome of a match. */
import type { z } from 'zod';
import type { ContractView } from '../../services/contracts/contract-service.ts';
import type { contract } from './contract-answer.ts';

export const contractBodyExample = {
  type: 'dlc',
  oracle: 'local',
  outcomes: ['win', 'draw', 'lose'],
  collateral: '0.01000000',
};

export const contractExample: z.input<typeof contract.schema> = {
  contract_id: 'ctr_3mVb1k7Q2xYt9LpRw0Zc5A',
  type: 'dlc',
  oracle: 'ora_7pVb1k7Q2xYt9LpRw0Zc5B',
  oracles: ['ora_7pVb1k7Q2xYt9LpRw0Zc5B'],
  threshold: 1,
  oracle_proof: null,
  warnings: [],
  event_ids: ['evt-5c1d0e7f2a4b6c8d'],
  outcomes: ['win', 'draw', 'lose'],
  payouts: { win: '0.01000000', draw: '0.00500000', lose: '0.00000000' },
  descriptor: null,
  collateral: '0.01000000',
  offer_collateral: '0.01000000',
  status: 'funded',
  outcome: null,
  custody: 'single',
  role: 'both',
  wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  counterparty_wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  funding_txid: '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2',
  funding_vout: 0,
  cet_txid: null,
  refund_txid: null,
  closing_txid: null,
  cet_locktime: 0,
  refund_locktime: 4482,
  fee_rate: '2',
  dialect: 'tagged',
  progress: null,
  reason: null,
  approval_id: null,
  policy: null,
  external_id: null,
  temporary_contract_id: '9b4a7e0c1d2f3a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
  dlc_contract_id: 'f2a9c1d07e3b5a6c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e',
  expires_at: null,
  messages: {},
  created_at: '2026-11-22T10:00:00.000Z',
  updated_at: '2026-11-22T10:00:00.000Z',
};

export const executedExample: typeof contractExample = {
  ...contractExample,
  status: 'executed',
  outcome: 'draw',
  cet_txid: 'c4a1f2b35d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708',
  closing_txid: 'c4a1f2b35d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708',
  updated_at: '2026-11-22T12:00:00.000Z',
};

/** Of what rules want approved first. */
export const contractWaiting = (example: object) => ({
  status: 202 as const,
  description: 'A rule wants it approved first: its coins are held, and nothing is signed: [guide](/docs/approvals)',
  when: ({ status }: ContractView) => status === 'awaiting_approval',
  example: { ...example, status: 'awaiting_approval', approval_id: 'apr_8sKd2LmQ9vXcT4yHn6PzRa' },
});

/** The refusals that a contract's coins, keys and node may cause. */
export const FUNDING_ERRORS = [
  'insufficient_funds',
  'nothing_to_spend',
  'dust',
  'fee_too_low',
  'too_large',
  'coin_unavailable',
  'policy_refused',
  'signing_unavailable',
  'node_unavailable',
  'node_syncing',
  'unavailable',
] as const;
