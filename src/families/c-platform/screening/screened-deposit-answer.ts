/** What a deposit that is frozen for a screening list looks like on the wire. */
import { z } from 'zod';
import type { Listed } from '../../../core/policies/policy.ts';
import { answer, time } from '../../answer.ts';
import { namedObject } from '../../fields.ts';

export const depositStatus = z.enum(['frozen', 'released']);

export const screenedDeposit = answer(
  'ScreenedDeposit',
  {
    txid: z.string(),
    status: depositStatus,
    lists: z
      .array(namedObject('ListedPayer', { list_id: z.string(), name: z.string(), address: z.string() }))
      .meta({ description: 'The lists that have a payer, each with the address that it has' }),
    created_at: time,
    updated_at: time,
  },
  ({ lists }: { readonly lists: readonly Listed[] }) => ({
    lists: lists.map(({ listId, name, address }) => ({ list_id: listId, name, address })),
  }),
);

export const depositExample = {
  txid: 'f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd',
  status: 'frozen' as const,
  lists: [{ list_id: 'scl_4nWc2k8R3yZu0MqSx1Ad6B', name: 'OFAC SDN', address: 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8' }],
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};
