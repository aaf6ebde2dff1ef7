import type { AnyOperation } from '../../../hooks/operation.ts';
import { blockOperations } from './blocks/index.ts';
import { listBitcoin } from './list-bitcoin.ts';

/** What the folders need of the services; each says its own, joined here with `&`. */
type Services = Parameters<typeof blockOperations>[0];

/** One list per folder. */
export const bitcoinOperations = (services: Services): AnyOperation[] => [listBitcoin(), ...blockOperations(services)];
