/** Fields that scripts, descriptors and addresses share. */
import { z } from 'zod';
import { HEX, HEX_PROBLEM } from '../../../core/bytes.ts';
import type { KnownKey } from '../../../core/descriptors/infer-descriptor.ts';
import { DomainError } from '../../../core/errors.ts';
import { ecc } from '../../../core/keys/ecc.ts';
import { bytes } from '../../answer.ts';
import { namedRequest } from '../../fields.ts';

/** A taproot script may be as long as a standard transaction has weight; witness and redeem scripts are shorter. */
const MAX_SCRIPT_BYTES = 400_000;
const MAX_KEYS = 1_000;

/** Bytes in hex, at least one. */
export const hexField = (mostBytes: number, description: string) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(2 * mostBytes, `must have at most ${mostBytes} bytes`)
    .regex(HEX, HEX_PROBLEM)
    .transform((hex) => Buffer.from(hex, 'hex'))
    .meta({ description });

export const scriptField = hexField(MAX_SCRIPT_BYTES, 'A script in hex');

/** The longest that is relayed in an output carries data; what can be spent has 10,000 bytes at the most. */
export const outputScriptField = hexField(100_000, 'A script in hex');

/** 1000 keys of the form {public_key, fingerprint?, path?}. */
export const publicKeysField = z
  .array(
    namedRequest('KeyWithOrigin', {
      public_key: z
        .string()
        .regex(
          /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{66}|[0-9a-fA-F]{130})$/,
          'must be a public key: 32, 33 or 65 bytes in hex',
        )
        .meta({ description: 'x-only, compressed or uncompressed, in hex' }),
      fingerprint: z
        .string()
        .regex(/^[0-9a-fA-F]{8}$/, 'must be 8 hex digits')
        .meta({ description: 'Of the master key that it comes from; with it goes the path' })
        .optional(),
      path: z
        .string()
        .max(1_000)
        .regex(/^(?:m\/|m$)?(?:\d{1,10}[hH']?(?:\/\d{1,10}[hH']?)*)?$/, 'must be a path such as 84h/1h/0h/0/5')
        .meta({ description: 'From the master key to this one' })
        .optional(),
    }),
  )
  .max(MAX_KEYS, `must have at most ${MAX_KEYS} keys`)
  .meta({ description: 'Keys that the script may hash, and where they come from' });

type GivenKeys = z.output<typeof publicKeysField>;

/** Throws `invalid_key` naming the key. */
export const knownKeys = (given: GivenKeys = []): KnownKey[] =>
  given.map(({ public_key, fingerprint, path }, position) => {
    const publicKey = Buffer.from(public_key, 'hex');
    const isKey = publicKey.length === 32 ? ecc.isXOnlyPoint(publicKey) : ecc.isPoint(publicKey);
    if (!isKey)
      throw new DomainError('invalid_key', 'this is no point of the curve', {
        field: `public_keys[${position}].public_key`,
      });
    if (fingerprint === undefined) {
      if (path === undefined) return { publicKey, origin: null };
      throw new DomainError('invalid_value', 'a path goes with the fingerprint of its master key', {
        field: `public_keys[${position}].fingerprint`,
      });
    }
    if (path === undefined)
      throw new DomainError(
        'invalid_value',
        'a fingerprint goes with the path from its master key: m for that key itself',
        {
          field: `public_keys[${position}].path`,
        },
      );
    return { publicKey, origin: { fingerprint: fingerprint.toLowerCase(), path: pathOf(path, position) } };
  });

function pathOf(text: string, position: number): number[] {
  return text
    .split('/')
    .filter((step) => step !== 'm' && step !== '')
    .map((step) => {
      const number = Number.parseInt(step, 10);
      if (number < 0x80000000) return /\D$/.test(step) ? number + 0x80000000 : number;
      throw new DomainError('invalid_value', 'a step of a path is below 2147483648', {
        field: `public_keys[${position}].path`,
      });
    });
}

export const hexAnswer = bytes.meta({ description: 'hex' });

export const OUTPUT_KINDS = [
  'p2pk',
  'p2pkh',
  'p2sh',
  'p2wpkh',
  'p2wsh',
  'p2tr',
  'p2a',
  'witness-unknown',
  'multisig',
  'null-data',
  'nonstandard',
] as const;
