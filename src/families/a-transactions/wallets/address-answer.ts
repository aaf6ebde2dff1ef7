import { z } from 'zod';
import type { AddressView } from '../../../services/wallets/wallet-service.ts';
import { namedObject } from '../../fields.ts';

export const addressAnswer = namedObject('WalletAddress', {
  address: z.string(),
  index: z.int(),
  path: z
    .string()
    .nullable()
    .meta({ description: 'Full derivation path; null where there are several keys or no origin' }),
  change: z.boolean(),
  label: z.string().nullable(),
  used: z.boolean(),
});

export const presentAddress = ({ script, path }: AddressView): z.output<typeof addressAnswer> => ({
  address: script.address,
  index: script.index,
  path,
  change: script.change,
  label: script.label,
  used: script.usedAt !== null,
});

export const addressExample = {
  address: 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk',
  index: 0,
  path: 'm/84h/1h/0h/0/0',
  change: false,
  label: 'Invoice 1',
  used: false,
};
