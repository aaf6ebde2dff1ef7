/** The kinds of held requests, with the members that each has in the approval's text. */
import { z } from 'zod';
import { attestationText } from './attestation-text.ts';

export const SIGNS = {
  /** A message as a wallet's keys sign it (BIP322; `legacy`: as signmessage of Bitcoin Core), as UTF-8. */
  message: z.strictObject({
    kind: z.literal('message'),
    wallet_id: z.string(),
    address: z.string(),
    format: z.enum(['simple', 'full', 'legacy']),
    message: z.string(),
  }),
  /** What a local oracle signs of an event. */
  attestation: z.strictObject({
    kind: z.literal('attestation'),
    oracle_id: z.string(),
    oracle_public_key: z.string(),
    event_id: z.string(),
    maturity: z.string(),
    announcement: z.string(),
    outcome: z.string(),
    signatures: z.array(z.strictObject({ nonce: z.string(), outcome: z.string(), digest: z.string() })),
  }),
} as const;

/** For kinds with derived members: recomputes them from the others. Throws if the text is not of the kind. */
export const MADE_AGAIN: { readonly [K in HeldText['kind']]?: (signs: Extract<HeldText, { kind: K }>) => HeldText } = {
  attestation: attestationText,
};

export type HeldText = z.infer<(typeof SIGNS)[keyof typeof SIGNS]>;
