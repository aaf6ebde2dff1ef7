import { z } from 'zod';
import { HEADER_SIZE, parseHeader } from '../../../../core/blocks/header.ts';
import { type HeaderProblem, verifyHeaderChain } from '../../../../core/blocks/header-chain.ts';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import { hashAnswer } from '../../../chain/chain-fields.ts';
import { headerExample } from '../../../chain/header-answer.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';

/** Two difficulty periods: 160 hex digits each, within the usual body. */
const MAX_HEADERS = 4_032;
const LAST_HEIGHT = 999_999_999;

const SENTENCES: Readonly<Record<HeaderProblem, string>> = {
  'bits-negative': 'its bits stand for a negative target',
  'bits-overflow': 'its bits stand for a target of more than 256 bits',
  'bits-zero': 'its bits stand for a target of zero, which no hash meets',
  'bits-above-limit': 'its bits stand for less work than the network takes',
  'high-hash': 'its hash is above the target that its bits stand for',
  'bad-prevblk': 'it does not build on the header before it',
  'bad-diffbits': 'its bits are not those that the chain before it asks for',
  'time-too-old': 'its time is not after the median of the eleven headers before it',
  'time-timewarp-attack': "it begins a difficulty period more than 600 seconds before its parent's time (BIP94)",
};

const headerField = z
  .string()
  .regex(new RegExp(`^[0-9a-fA-F]{${HEADER_SIZE * 2}}$`), 'must be a header: 80 bytes, 160 hex digits')
  .transform((value) => parseHeader(Buffer.from(value, 'hex')));

export const verifyHeader = (network: Network) =>
  operation({
    ...computes('Bitcoin', 'headers'),
    id: 'header.verify',
    path: '/api/v1/bitcoin/headers/verify',
    summary: 'Check that headers make a chain with the work they state',
    description:
      'Each must build on the one before, meet its own target, and state no easier one than the network takes. Given `start_height`, ' +
      "the bits are compared with the network's difficulty rule wherever the headers given reach back far enough " +
      '(`difficulty_checked` counts them): a retarget every 2,016 blocks, on testnet4 with BIP94 and the 20-minute rule, none on ' +
      'regtest. Times are compared with the median of the eleven before where those are known. The chain source is not asked: which ' +
      'of two valid chains has more work, `work` tells.',
    body: z.strictObject({
      headers: z
        .array(headerField)
        .min(1, 'must hold at least 1 header')
        .max(MAX_HEADERS, `must hold at most ${MAX_HEADERS} headers`)
        .meta({ description: 'Hex, in order' }),
      previous: headerField.meta({ description: 'The header before the first' }).optional(),
      start_height: z
        .int()
        .min(0, 'must be at least 0')
        .max(LAST_HEIGHT, `must be at most ${LAST_HEIGHT}`)
        .meta({ description: 'Height of the first header; without it no difficulty is checked' })
        .optional(),
    }),
    success: {
      status: 200,
      description: 'The verdict',
      schema: z.object({
        valid: z.boolean(),
        failure: z
          .object({
            index: z.int().meta({ description: 'Of the first header at fault, in `headers`' }),
            code: z.string(),
            reason: z.string(),
          })
          .nullable(),
        count: z.int(),
        first_hash: hashAnswer,
        last_hash: hashAnswer,
        work: z
          .string()
          .meta({ description: 'Hashes expected for the headers before the failure: 64 hex digits, as chainwork' }),
        difficulty_checked: z.int().meta({ description: 'Headers whose bits could be compared with the rule' }),
      }),
    },
    errors: ['invalid_value'],
    example: {
      body: { headers: [headerExample.header], start_height: 0 },
      response: {
        valid: true,
        failure: null,
        count: 1,
        first_hash: headerExample.hash,
        last_hash: headerExample.hash,
        work: '0000000000000000000000000000000000000000000000000000000100010001',
        difficulty_checked: 0,
      },
    },
    inWorker: isLargeBody,
    run: async ({ body: { headers, previous = null, start_height: startHeight = null } }) => ({
      ...verifyHeaderChain({ headers, previous, startHeight, network }),
      headers,
    }),
    present: ({ valid, failure, headers, work, difficultyChecked }) => ({
      valid,
      failure: failure && { index: failure.index, code: failure.problem, reason: SENTENCES[failure.problem] },
      count: headers.length,
      first_hash: headers[0]?.hash,
      last_hash: headers.at(-1)?.hash,
      work: work.toString(16).padStart(64, '0'),
      difficulty_checked: difficultyChecked,
    }),
  });
