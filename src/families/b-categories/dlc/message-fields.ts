/** What stands in requests about contracts with somebody elsewhere. */
import { z } from 'zod';
import { HEX, HEX_PROBLEM } from '../../../core/bytes.ts';
import { idField } from '../../fields.ts';
import { computes, reads, writes } from '../declarations.ts';

/** Bodies with messages; hex takes two bytes for one. */
export const DLC_BODY_LIMIT = 10 * 1024 * 1024;
const MAX_MESSAGE_BYTES = DLC_BODY_LIMIT / 2;

/** A wire message of dlcspecs, with its type in front. What is in it the service reads. */
export const messageField = z
  .string()
  .min(4, 'must begin with the message type: 4 hex digits')
  .max(MAX_MESSAGE_BYTES * 2, `must have at most ${MAX_MESSAGE_BYTES} bytes`)
  .meta({ pattern: HEX.source })
  .transform((text, context) => {
    const bytes = new Uint8Array(text.length >> 1);
    // Reading megabytes says where they are no hex, quicker than a pattern does.
    if (Buffer.from(bytes.buffer).write(text, 'hex') * 2 === text.length) return bytes;
    context.issues.push({ code: 'custom', message: HEX_PROBLEM, input: text });
    return z.NEVER;
  })
  .meta({ description: 'Wire message of dlcspecs in hex, its type in front (offer a71a, accept a71c, sign a71e)' });

export const contractParams = z.strictObject({ contract_id: idField('ctr') });

/** How operations on contracts are declared. */
export const ON_CONTRACT = writes('DLC', 'contracts');
export const OF_CONTRACTS = reads('DLC', 'contracts');
/** Works on what is sent. */
export const COMPUTED = computes('DLC', 'contracts');
