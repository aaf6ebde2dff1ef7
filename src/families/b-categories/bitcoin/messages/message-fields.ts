import { z } from 'zod';

/** Bodies with half a surrogate pair, which has no UTF-8, are refused before. */
export const messageField = z.string().meta({
  description: 'The text, signed as its UTF-8 bytes, whatever characters it has (NUL, too); it may be empty',
  examples: ['Hello World'],
});

export const addressField = z
  .string('must be a Bitcoin address')
  .min(1, 'must not be empty')
  .max(100, 'must be an address')
  .refine((text) => !text.includes('\0'), 'must be an address')
  .meta({ description: "Whose signature it is: a Bitcoin address of the service's network" });

export const signingFormat = z
  .enum(['simple', 'full', 'legacy'], 'must be simple, full or legacy')
  .meta({ description: 'Left out: simple for native segwit addresses, full for others (BIP322)' });

/** Of the key 0x11…11, which everybody knows, on regtest. */
export const EXAMPLE = {
  address: 'bcrt1ql3e9pgs3mmwuwrh95fecme0s0qtn2880hlwwpw',
  message: 'Hello World',
  key: '11'.repeat(32),
} as const;

/** That key's `simple` signature of that message. */
export const EXAMPLE_SIGNATURE =
  'smpAkcwRAIgeXpsnd7gKwzhZWNrniIj4Xbk81n1cbTZRuw6veG533YCIEUX7/30/DyWN+Il4fpl/AhhcwnZW1OUnzRTYxiPxfw/ASEDTzVb3LfMCvco7zzOuWFdkGhLtbLKX4WasPC3BAdYcao=';
