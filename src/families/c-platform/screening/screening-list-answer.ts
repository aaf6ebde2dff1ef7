/** What a screening list looks like on the wire. */
import { z } from 'zod';
import { MAX_ADDRESSES } from '../../../core/screening/screening-csv.ts';
import { answer, time } from '../../answer.ts';
import { idField, namedRequest, nameField } from '../../fields.ts';

/** With the rest within the bytes of a body. */
const MAX_CSV = 900_000;

export const listParams = z.strictObject({ list_id: idField('scl') });

export const listBody = namedRequest('ScreeningListRequest', {
  name: nameField,
  csv: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_CSV, `must have at most ${MAX_CSV} characters`)
    .meta({
      description: `Up to ${MAX_ADDRESSES} lines of address,reason,reference with that header, or addresses alone`,
    }),
});

export const screeningList = answer('ScreeningList', {
  list_id: z.string(),
  name: z.string(),
  addresses: z.int().meta({ description: 'How many it has' }),
  sha256: z.string().meta({ description: 'Of `csv` as it was sent (UTF-8), hex' }),
  created_at: time,
  updated_at: time,
});

export const listExample = {
  list_id: 'scl_4nWc2k8R3yZu0MqSx1Ad6B',
  name: 'OFAC SDN',
  addresses: 1,
  sha256: '5a4ee3c9a4e1d9b4f0d4c2f4a8b0c6e2d1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1',
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};
export const listCsv = 'address,reason,reference\nmfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8,sanctioned,SDN 12345\n';

export const reading = {
  family: 'c',
  method: 'GET',
  tag: 'Compliance',
  effect: 'read',
  access: { scope: 'compliance:read', role: 'operator' },
} as const;
export const writing = {
  family: 'c',
  tag: 'Compliance',
  effect: 'write',
  spends: [],
  changesRules: screeningList,
  access: { scope: 'compliance:write', role: 'admin' },
} as const;
