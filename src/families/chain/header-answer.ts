import { z } from 'zod';
import { parseHeader } from '../../core/blocks/header.ts';
import { difficultyOf } from '../../core/blocks/proof-of-work.ts';
import type { HeaderView } from '../../services/blockchain/find-block.ts';
import { answer, time } from '../answer.ts';
import { hashAnswer, hexAnswer, hexOf32Bits } from './chain-fields.ts';

const NO_PARENT = '0'.repeat(64);

export const blockHeader = answer(
  'BlockHeader',
  {
    hash: hashAnswer,
    height: z.int(),
    confirmations: z.int().meta({ description: '1 for the tip, 0 outside the best chain' }),
    in_best_chain: z.boolean(),
    previous_hash: hashAnswer.nullable().meta({ description: 'null for the first block' }),
    version: z.int(),
    merkle_root: hashAnswer,
    timestamp: z.int().meta({ description: "The miner's, Unix seconds" }),
    median_time: time.meta({ description: 'Median of the last eleven timestamps (BIP113)' }),
    bits: z.string().meta({ description: 'Compact target, 8 hex digits' }),
    nonce: z.int(),
    difficulty: z.string().meta({ description: 'Decimal with 8 places, rounded down' }),
    transaction_count: z.int().nullable().meta({ description: 'null where the source has the header only' }),
    header: hexAnswer.meta({ description: 'The 80 bytes, hex' }),
  },
  (view: HeaderView) => {
    const { version, merkleRoot, bits, nonce } = parseHeader(view.header);
    return {
      previous_hash: view.prevHash === NO_PARENT ? null : view.prevHash,
      version,
      merkle_root: merkleRoot,
      timestamp: view.time,
      median_time: new Date(view.medianTime * 1000).toISOString(),
      bits: hexOf32Bits(bits),
      nonce,
      difficulty: difficultyOf(bits),
    };
  },
);

export const headerExample = {
  hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  height: 0,
  confirmations: 925_001,
  in_best_chain: true,
  previous_hash: null,
  version: 1,
  merkle_root: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  timestamp: 1_231_006_505,
  median_time: '2009-01-03T18:15:05.000Z',
  bits: '1d00ffff',
  nonce: 2_083_236_893,
  difficulty: '1.00000000',
  transaction_count: 1,
  header:
    '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61' +
    '7fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c',
};
