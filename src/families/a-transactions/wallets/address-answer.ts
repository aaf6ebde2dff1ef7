import { z } from 'zod';
import type { AddressView } from '../../../services/wallets/wallet-service.ts';
import { answer } from '../../answer.ts';

export const walletAddress = answer(
  'WalletAddress',
  {
    address: z.string(),
    index: z.int(),
    path: z
      .string()
      .nullable()
      .meta({ description: 'Full derivation path; null where there are several keys or no origin' }),
    change: z.boolean(),
    label: z.string().nullable(),
    used: z.boolean(),
  },
  ({ script: { address, index, change, label, usedAt } }: AddressView) => ({
    address,
    index,
    change,
    label,
    used: usedAt !== null,
  }),
);

export const addressExample = {
  address: 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk',
  index: 0,
  path: 'm/84h/1h/0h/0/0',
  change: false,
  label: 'Invoice 1',
  used: false,
};
