import { z } from 'zod';
import { hex } from '../../../../core/bytes.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainBlocks } from '../../../../services/blockchain/chain-blocks.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { blockIdField, CHAIN_ERRORS, hashAnswer, hexAnswer } from '../../../chain/chain-fields.ts';
import { headerExample } from '../../../chain/header-answer.ts';
import { reads } from '../../declarations.ts';

const rawBlock = unnamedAnswer({ hash: hashAnswer, block: hexAnswer }, ({ bytes }: { bytes: Uint8Array }) => ({
  block: hex(bytes),
}));

export const getRawBlock = (blocks: ChainBlocks) =>
  operation({
    ...reads('Bitcoin', 'blocks'),
    id: 'raw-block.get',
    path: '/api/v1/bitcoin/blocks/{hash_or_height}/raw',
    summary: 'A block as bytes',
    params: z.strictObject({ hash_or_height: blockIdField }),
    success: {
      status: 200,
      description: 'Header and transactions, serialized',
      answer: rawBlock,
    },
    errors: ['not_found', ...CHAIN_ERRORS],
    example: {
      params: { hash_or_height: '0' },
      response: { hash: headerExample.hash, block: `${headerExample.header}01…` },
    },
    run: ({ params }) => blocks.raw(params.hash_or_height),
  });
