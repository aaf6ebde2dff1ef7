import { z } from 'zod';
import type { AddressSource } from '../../../../services/addresses/address-service.ts';
import { paginated, unnamedAnswer } from '../../../answer.ts';

export const sourceShape = {
  source: z.enum(['wallet', 'esplora', 'scan']).meta({
    description: 'A wallet of the account that watches it, the chain source’s index, or the last finished scan',
  }),
  wallet_id: z.string().nullable(),
  scan_id: z.string().nullable(),
  as_of: z
    .object({ height: z.int(), hash: z.string() })
    .meta({ id: 'BlockReference' })
    .nullable()
    .meta({ description: 'The last block that is in it; null: the tip of the index' }),
};

const source = unnamedAnswer(sourceShape);

/** A page of these, and where it is from. */
export function lookedUp<From, Wire>(noun: { schema: z.ZodType<unknown, Wire>; present: (record: From) => Wire }) {
  const pages = paginated(noun);
  return {
    schema: pages.schema.extend(sourceShape),
    present: (found: { page: Parameters<typeof pages.present>[0]; source: AddressSource }) => ({
      ...pages.present(found.page),
      ...source.present(found.source),
    }),
  };
}

export const LOOKUP_ERRORS = [
  'invalid_address',
  'wrong_network',
  'unavailable',
  'no_index',
  'node_unavailable',
] as const;
export const EXAMPLE_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

export const LOOKUP_DESCRIPTION =
  'From a wallet of the account that watches the address, else from the chain source where that has an index of addresses (Esplora), ' +
  'else from the last finished scan of it. Where none of these knows it the answer is 503: Bitcoin Core has no index of addresses; start ' +
  'a scan.';

export const sourceExample = {
  source: 'scan',
  wallet_id: null,
  scan_id: 'scn_3mVb1k7Q2xYt9LpRw0Zc5A',
  as_of: { height: 111, hash: '3f5e1c0a5f3b4a9b8a0e6b5b6f1d2c3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192' },
};
