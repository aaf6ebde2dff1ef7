import type { z } from 'zod';
import type { walletTransactionsQuery } from './transaction-requests.ts';

/** A list's query as the service takes it. */
export function pageOf(query: z.output<typeof walletTransactionsQuery>) {
  const { limit, offset, cursor } = query;
  return {
    page: { limit, offset, ...(cursor === undefined ? {} : { cursor }) },
    filter: {
      status: query.status,
      direction: query.direction,
      externalId: query.external_id,
      label: query.label,
    },
  };
}
