/** What stands in requests about taproot, field by field. Bytes are hex. */
import { z } from 'zod';
import { HEX, HEX_PROBLEM } from '../../../core/bytes.ts';
import { bytes } from '../../answer.ts';

/** Hex of one of a few lengths, as bytes. */
export const bytesField = (what: string, ...lengths: readonly [number, ...number[]]) =>
  z
    .string()
    .regex(
      new RegExp(`^(${lengths.map((length) => `[0-9a-fA-F]{${length * 2}}`).join('|')})$`),
      `must be ${what}: ${lengths.map((length) => length * 2).join(' or ')} hex digits`,
    )
    .transform((text) => Buffer.from(text, 'hex'))
    .meta({ description: `${what}, ${lengths.join(' or ')} bytes in hex` });

/** Hex of any length up to a bound, as bytes. */
export const hexField = (what: string, mostBytes: number) =>
  z
    .string()
    .max(mostBytes * 2, `must have at most ${mostBytes} bytes`)
    .regex(HEX, HEX_PROBLEM)
    .transform((text) => Buffer.from(text, 'hex'))
    .meta({ description: `${what}, hex` });

export const xOnlyKeyField = (what: string) => bytesField(what, 32);
export const merkleRootField = bytesField("the script tree's merkle root", 32);
/** Of any length (BIP340); what transactions sign has 32 bytes. */
export const messageField = hexField('What is signed: 32 bytes of a transaction', 65_536);

/** Secret: bytes are made of it as late as possible. */
export const keyField = z
  .string()
  .min(1, 'must not be empty')
  .max(600, 'must have at most 600 characters')
  .meta({ description: 'Private key: WIF or 64 hex digits. It is neither stored nor logged' });

/** As in the tree: which hash a taproot tweak commits to. */
export const taprootTweakField = z
  .strictObject({
    merkle_root: merkleRootField.nullable().default(null).meta({ description: 'Of the script tree; null: none' }),
  })
  .meta({ description: "BIP341's tweak; merkle_root null: an output without a script tree" });

export const taprootOf = (given: { merkle_root: Buffer | null } | undefined) =>
  given === undefined ? null : { merkleRoot: given.merkle_root };

/** Of bytes, and of records that hold them as hex. */
export const bytesAnswer = (description: string) => bytes.meta({ description: `${description}, hex` });
export const hexAnswer = (description: string) => z.string().meta({ description: `${description}, hex` });
