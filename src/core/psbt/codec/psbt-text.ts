import type { Psbt } from '../psbt.ts';
import { PsbtError } from '../psbt-error.ts';
import type { FieldBudget } from './key-value.ts';
import { parsePsbt } from './parse-psbt.ts';
import { serializePsbt } from './serialize-psbt.ts';

/** The magic bytes in hex; in base64 a PSBT begins with "cHNidP". */
const HEX_MAGIC = /^70736274ff/i;

/** A PSBT in base64 (RFC 4648 §4, padded, no line breaks) or in hex. Throws PsbtError. */
export const psbtFromText = (text: string, budget?: FieldBudget): Psbt =>
  parsePsbt(HEX_MAGIC.test(text) ? fromHex(text) : fromBase64(text), budget);

export const psbtToBase64 = (psbt: Psbt): string => serializePsbt(psbt).toString('base64');

function fromHex(text: string): Buffer {
  const bytes = Buffer.from(text, 'hex');
  // Buffer.from stops at what is no hex.
  if (bytes.length * 2 !== text.length)
    throw new PsbtError('bad_text', 'a PSBT in hex has two of the digits 0-9 and a-f for each byte, and nothing else');
  return bytes;
}

function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // Buffer.from skips what is no base64; only canonical text comes out as it went in.
  if (bytes.toString('base64') !== text)
    throw new PsbtError(
      'bad_text',
      'a PSBT is written in base64 (RFC 4648 §4, with padding, without spaces or line breaks) or in hex',
    );
  return bytes;
}
