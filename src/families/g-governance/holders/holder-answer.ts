import { z } from 'zod';
import { tokens } from '../../../core/governance/tokens.ts';
import type { HolderTokens } from '../../../services/governance/holders.ts';
import { answer, unnamedAnswer } from '../../answer.ts';
import { EXAMPLE_HOLDER, holderField, tokenAmount } from '../governance-fields.ts';

export const holderParams = z.strictObject({ holder_address: holderField });

const held = {
  balance: tokenAmount,
  locked: tokenAmount.meta({
    description: 'What of the balance cannot be given away: delegated, or cast in votes on proposals that are active',
  }),
  available: tokenAmount,
  holder_id: z.string().meta({ description: 'Of the person, or the API key that its rotations began with' }),
  holder_address: z
    .string()
    .meta({ description: 'A Bitcoin address once one is registered; until then the id in bech32m' }),
};

const computed = ({ address, balance, locked }: HolderTokens) => ({
  holder_address: address,
  ...rest.present({ available: tokens(balance - locked) }),
});
const rest = unnamedAnswer({ available: tokenAmount });

export const tokenBalance = answer('TokenBalance', held, computed);

export const holder = answer(
  'Holder',
  {
    ...held,
    kind: z.enum(['person', 'api_key']),
    registered: z.boolean().meta({ description: 'It has proved a Bitcoin address of its own' }),
  },
  (record: HolderTokens) => ({
    ...computed(record),
    kind: record.holderId.startsWith('usr_') ? ('person' as const) : ('api_key' as const),
    registered: record.registrations > 0,
  }),
);

export const balanceExample = {
  balance: '250.50000000',
  locked: '0.00000000',
  available: '250.50000000',
  holder_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  holder_address: EXAMPLE_HOLDER,
} as const;

export const holderExample = { ...balanceExample, kind: 'person', registered: false } as const;
