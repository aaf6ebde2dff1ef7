import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { dialectField, expiryField, unprovenField } from '../../../contracts/contract-fields.ts';
import { externalIdField } from '../../../fields.ts';
import { OFFER_HEX, ORACLE_KEY } from '../contracts/message-examples.ts';
import { receivedExample } from '../contracts/remote-examples.ts';
import { DLC_BODY_LIMIT, messageField, ON_CONTRACT } from '../message-fields.ts';

const MAX_ORACLES = 100;

export const receiveContract = (contracts: Pick<ContractService, 'receiveOffer'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.receive',
    spends: [],
    path: '/api/v1/dlc/offers',
    summary: 'Take an offer of somebody elsewhere',
    description:
      'It is checked and kept as a contract of ours, offered: nothing is held or signed before it is accepted. Oracles that the account ' +
      'has not registered must be accepted by name, because whoever offers may be the oracle. It is cancelled by itself at expires_at, and ' +
      'when it can no longer be accepted (its event is attested, its refund opens). An offer has 1,500 outcomes or points of curves, 1,300 nonces and ' +
      '25,000 announced outcomes at most. An account has 500 such offers open at most, of 64 MiB together. The offer of the example spends a coin that no chain has: everybody is ' +
      'refused it with contract_refused.',
    body: z.strictObject({
      message: messageField.meta({ description: 'The offer message (42778), hex' }),
      dialect: dialectField.optional(),
      external_id: externalIdField.optional(),
      expires_at: expiryField.optional().meta({
        description:
          'When it is cancelled unless it was accepted. Default, and the latest: seven days, or when its event is due, or a day before the refund',
      }),
      accept_unproven_oracles: unprovenField,
      accept_oracles: z
        .array(
          z
            .string()
            .regex(/^[0-9a-fA-F]{64}$/, "must be an oracle's x-only public key: 64 hex digits")
            .transform((key) => key.toLowerCase()),
        )
        .max(MAX_ORACLES, `must name at most ${MAX_ORACLES} oracles`)
        .default([])
        .meta({
          description: 'Public keys of oracles that the account has not registered and trusts for this contract',
        }),
    }),
    bodyLimit: DLC_BODY_LIMIT,
    success: { status: 201, answer: contract, description: 'The contract, offered' },
    errors: [
      'invalid_message',
      'invalid_value',
      'contract_refused',
      'already_exists',
      'state_conflict',
      'wrong_network',
      'unavailable',
      'too_large',
    ],
    example: { body: { message: OFFER_HEX, accept_oracles: [ORACLE_KEY] }, response: receivedExample },
    run: ({ body }, context) =>
      contracts.receiveOffer(
        {
          message: body.message,
          dialect: body.dialect,
          externalId: body.external_id,
          acceptOracles: body.accept_oracles,
          acceptUnprovenOracles: body.accept_unproven_oracles,
          expiresAt: body.expires_at,
        },
        context,
      ),
  });
