import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Holders } from '../../../services/governance/holders.ts';
import { answer, time } from '../../answer.ts';

const addressProof = answer('HolderAddressProof', {
  address: z.string(),
  message: z.string().meta({ description: 'What the key of the address signs' }),
  expires_at: time,
});

export const proveHolder = (holders: Holders) =>
  operation({
    id: 'holder.prove',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/address-proof',
    summary: 'What to sign to register an address',
    description:
      'The message to sign with the key of a Bitcoin address (BIP322). Its nonce is for one registration by whoever asks.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    query: z.strictObject({
      address: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
    }),
    success: { status: 200, answer: addressProof, description: 'The message' },
    errors: ['invalid_address', 'wrong_network'],
    example: {
      query: { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' },
      response: {
        address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        message:
          'ashlar-governance-address\ndao: acc_6pNw2LmQ9vXcT4yHn6PzRa\nholder: usr_3mVb1k7Q2xYt9LpRw0Zc5A\n' +
          'address: bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080\nnetwork: regtest\nnonce: 5wXyVJ3q3F0r8o4mZ2b1cQ9kTtYpUeHnGx7sLdAaBvI',
        expires_at: '2026-11-28T09:20:00.000Z',
      },
    },
    run: ({ query }, context) => holders.proof(query.address, context),
  });
