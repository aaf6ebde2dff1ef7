import { headerExample } from '../../../chain/header-answer.ts';
import { transactionHex } from '../../../chain/transaction-form.ts';

/** Of mainnet's first block, whose only transaction is its coinbase. */
export const merkleProofExample = {
  txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  block_hash: headerExample.hash,
  block_height: 0,
  in_best_chain: true,
  header: headerExample.header,
  transaction_count: 1,
  position: 0,
  branch: [],
  merkle_block: `${headerExample.header}01000000013ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a0101`,
  coinbase: { transaction: transactionHex, branch: [] },
};
