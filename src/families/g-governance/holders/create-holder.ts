import { z } from 'zod';
import { MAX_PROOF_LENGTH } from '../../../core/governance/signed-text.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Holders } from '../../../services/governance/holders.ts';
import { namedRequest } from '../../fields.ts';
import { holder, holderExample } from './holder-answer.ts';

export const createHolder = (holders: Holders) =>
  operation({
    id: 'holder.create',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/holders',
    summary: 'Register a Bitcoin address as one’s own',
    description:
      'Takes the place of the address before. The signature (BIP322, or a compact one of a P2PKH address) is over the message of ' +
      '`GET /v1/governance/address-proof`. An address is of one holder.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    body: namedRequest('HolderRequest', {
      address: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
      signature: z
        .string()
        .min(1, 'must not be empty')
        .max(MAX_PROOF_LENGTH, `must have at most ${MAX_PROOF_LENGTH} characters`)
        .meta({ description: 'Base64, behind its prefix where it has one' }),
    }),
    success: { status: 201, answer: holder, description: 'The holder' },
    errors: ['invalid_address', 'wrong_network', 'invalid_signature', 'already_exists'],
    example: {
      body: { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', signature: 'smpAkcwRAIgZRfIY3p7…' },
      response: {
        ...holderExample,
        holder_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        registered: true,
      },
    },
    run: ({ body }, context) => holders.register(body, context),
  });
