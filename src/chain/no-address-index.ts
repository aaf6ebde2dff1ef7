import type { ChainSource } from './chain-source.ts';

/** For sources without an index of addresses. */
export const noAddressIndex: Pick<ChainSource, 'addressSummary' | 'addressOutputs' | 'addressTransactions'> = {
  addressSummary: async () => null,
  addressOutputs: async () => null,
  addressTransactions: async () => null,
};
