/** What is approved of a held request: each kind with its members, as they stand in the approval's text. */
import { z } from 'zod';

export const SIGNS = {
  /** A message as a wallet's keys sign it (BIP322; `legacy`: as signmessage of Bitcoin Core), as UTF-8. */
  message: z.strictObject({
    kind: z.literal('message'),
    wallet_id: z.string(),
    address: z.string(),
    format: z.enum(['simple', 'full', 'legacy']),
    message: z.string(),
  }),
} as const;

export type HeldText = z.infer<(typeof SIGNS)[keyof typeof SIGNS]>;
