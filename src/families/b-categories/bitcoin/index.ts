import type { AnyOperation } from '../../../hooks/operation.ts';
import { addressOperations } from './addresses/index.ts';
import { blockOperations } from './blocks/index.ts';
import { descriptorOperations } from './descriptors/index.ts';
import { chainFeeOperations } from './fees/index.ts';
import { headerOperations } from './headers/index.ts';
import { listBitcoin } from './list-bitcoin.ts';
import { mempoolOperations } from './mempool/index.ts';
import { merkleProofOperations } from './merkle-proofs/index.ts';
import { messageOperations } from './messages/index.ts';
import { scriptOperations } from './scripts/index.ts';
import { chainTransactionOperations } from './transactions/index.ts';
import { uriOperations } from './uris/index.ts';

/** What the folders need of the services; each says its own, joined here with `&`. */
type Services = Parameters<typeof blockOperations>[0] &
  Parameters<typeof chainTransactionOperations>[0] &
  Parameters<typeof mempoolOperations>[0] &
  Parameters<typeof headerOperations>[0] &
  Parameters<typeof addressOperations>[0] &
  Parameters<typeof messageOperations>[0] &
  Parameters<typeof scriptOperations>[0];

/** One list per folder. */
export const bitcoinOperations = (services: Services): AnyOperation[] => [
  listBitcoin(),
  ...blockOperations(services),
  ...chainTransactionOperations(services),
  ...merkleProofOperations(services),
  ...mempoolOperations(services),
  ...chainFeeOperations(services),
  ...headerOperations(services),
  ...addressOperations(services),
  ...scriptOperations(services),
  ...descriptorOperations(services),
  ...messageOperations(services),
  ...uriOperations(services),
];
