/** One update of each channel, for documents. */
import type { UpdateData } from './update-data.ts';

const TXID = '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2';

export const UPDATE_EXAMPLES: UpdateData = {
  transactions: { txid: TXID, status: 'broadcast', block_height: null },
  blocks: {
    height: 900_001,
    hash: '00000000000000000001f2a7c1c5d9e3b7a0f4d8c2b6a1e5f9d3c7b1a5e9f3d7',
    timestamp: 1_796_000_000,
  },
  contracts: { contract_id: 'ctr_3mVb1k7Q2xYt9LpRw0Zc5A', status: 'confirmed', outcome: null },
  deposits: { txid: TXID, wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A', amount: '0.00150000', block_height: null },
  approvals: { approval_id: 'apr_8sKd2LmQ9vXcT4yHn6PzRa', status: 'pending', reason: null },
  keys: {
    kind: 'api_key',
    id: 'key_8sKd2LmQ9vXcT4yHn6PzRa',
    name: 'payments backend',
    expires_at: '2026-12-01T00:00:00.000Z',
  },
  audit: {
    size: 4_211,
    root: '5d41402abc4b2a76b9719d911017c592ae2f8b1c4d7e3f9a6b0c5d8e1f2a3b4c',
    note: 'ashlar/acc_…\n4211\nXUFAKrxLKna5cZ2REBfFkq4vixxNfj+aawxdjh8qO0w=\n\n— ashlar/acc_… …\n',
  },
  security: {
    notice: 'key_created',
    operation: 'api-key.create',
    target: 'key_8sKd2LmQ9vXcT4yHn6PzRa',
    credential: { kind: 'person', id: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
  },
};
