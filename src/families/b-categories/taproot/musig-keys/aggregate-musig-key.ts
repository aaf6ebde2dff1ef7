import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { taprootAddress } from '../../../../core/taproot/taproot-output.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { aggregateAt } from '../../../../services/taproot/musig/aggregate-at.ts';
import { answerWith, bytes, unnamedAnswer } from '../../../answer.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { newSessionBody, newSessionExample } from '../musig-sessions/session-example.ts';
import { bytesAnswer } from '../taproot-fields.ts';
import { aggregationFields, aggregationOf } from './aggregation-fields.ts';

const aggregatedKey = unnamedAnswer(
  {
    aggregate_key: bytesAnswer('x-only, tweaked'),
    internal_key: bytesAnswer('x-only, before the taproot tweak; null without one').nullable(),
    address: z.string().nullable().meta({ description: 'null without a taproot tweak' }),
    public_keys: z.array(bytes).meta({ description: 'In the order of aggregation' }),
  },
  ({ aggregateKey, internalKey, network }: ReturnType<typeof aggregateAt> & { network: Network }) => ({
    address: internalKey && taprootAddress(aggregateKey, network),
  }),
);

export const aggregateMusigKey = ({ network }: Pick<TaprootService, 'network'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'musig-key.aggregate',
    path: '/api/v1/taproot/musig-keys',
    summary: 'The key of several signers (MuSig2)',
    description: "BIP327's key aggregation with its tweaks. With `taproot` the address of the output is answered, too.",
    secretBody: true,
    body: z.strictObject(aggregationFields),
    success: {
      status: 200,
      answer: answerWith(aggregatedKey, { network }),
      description: 'The aggregate key',
    },
    errors: ['invalid_key'],
    example: {
      body: { public_keys: newSessionBody.public_keys, taproot: newSessionBody.taproot },
      response: {
        aggregate_key: newSessionExample.aggregate_key,
        internal_key: newSessionExample.internal_key,
        address: newSessionExample.address,
        public_keys: newSessionBody.public_keys,
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => aggregateAt(aggregationOf(body)),
  });
