/** Fields that every kind of credential is made with. */
import { z } from 'zod';
import { ROLES, SCOPE_FORM, scopeProblem, TIERS } from '../core/access.ts';
import { addressProblem } from '../services/credentials/address-list.ts';
import type { CredentialRequest } from '../services/credentials/grants.ts';
import { MAX_OVERLAP_SECONDS, USUAL_OVERLAP_SECONDS } from '../services/credentials/issue-api-key.ts';
import { time } from './answer.ts';
import { namedRequest, nameField } from './fields.ts';

export const roleField = z.enum(ROLES).meta({ id: 'Role', description: 'Each may do what those before it may' });
export const tierField = z.enum(TIERS).meta({ id: 'Tier', description: "At most the account's" });

const scopeField = z
  .string('must be a scope such as "wallets:read"')
  .refine((scope) => scopeProblem(scope) === null, { error: ({ input }) => scopeProblem(String(input)) ?? undefined })
  .meta({ examples: ['wallets:read'], pattern: SCOPE_FORM.source });

export const scopesField = z
  .array(scopeField)
  .min(1, 'must have a scope')
  .max(100, 'must have at most 100 scopes')
  .transform((scopes) => [...new Set(scopes)])
  .meta({
    id: 'Scopes',
    description:
      'What the credential may do; write lets read too. Each operation names its scope, /.well-known/oauth-authorization-server lists them',
  });

const perMinute = z.int().min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000');

/** Limits of one credential, in the place of its tier's: tiers custom and enterprise only. */
const limitsField = z
  .strictObject({
    requests_per_minute: perMinute.optional(),
    bulk_per_minute: perMinute.optional(),
    voting_per_minute: perMinute.optional(),
    requests_per_day: z.int().min(1, 'must be at least 1').max(1_000_000_000, 'must be at most 1000000000').optional(),
    ai_tokens_per_minute: z
      .int()
      .min(1, 'must be at least 1')
      .max(1_000_000_000, 'must be at most 1000000000')
      .optional(),
  })
  .transform((limits): Record<string, number> => {
    const given = Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined);
    return Object.fromEntries(given);
  })
  .meta({ id: 'Limits', description: 'Limits of its own; for the tiers custom and enterprise' });

/** A public JWK. What it must hold is checked where it is enrolled (services/credentials/signing-keys.ts), which says it better. */
export const publicKeyField = z
  .looseObject({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional() })
  .meta({
    id: 'PublicKey',
    description: 'Public key (JWK: OKP Ed25519, EC P-256 or secp256k1) whose signatures the credential signs with',
    examples: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
  });

/** The private half of a pair made here: an Ed25519 JWK. */
export const privateKeyAnswer = z
  .object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() })
  .meta({ id: 'PrivateKey', description: 'Answered this once and never kept' });

/** Addresses and CIDR blocks that requests may come from. */
export const ipsField = z
  .array(
    z
      .string()
      .max(64)
      .refine((entry) => addressProblem(entry) === null, 'must be an IP address, or a block such as 10.0.0.0/8'),
  )
  .min(1, 'must have an address: leave the field out to allow all')
  .max(100, 'must have at most 100 entries')
  .meta({ description: 'Where requests may come from', examples: [['203.0.113.7', '10.0.0.0/8']] });

/** A time as epoch milliseconds; that it is to come is checked by the service, which has the clock. */
export const expiresField = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2030-01-01T00:00:00Z' })
  .transform((text) => Date.parse(text))
  .meta({ description: 'When the credential ends' });

const requireSignatureField = z
  .boolean()
  .meta({ description: 'false only under SIGNATURE_POLICY=per-key, by an administrator' });

export const mayGrantField = z.boolean().meta({
  description:
    'It may create credentials with more rights than its own, and with may_grant; only a credential with may_grant can give it',
});

export const countsAsAnswer = z.string().nullable().meta({
  description:
    'Whose voice the credential is: the person who made it, if through other credentials; who rotated it; the key before, where a key rotated itself. null: it counts as itself',
});

/** What every credential's record shows of these. */
export const credentialAnswer = {
  role: z.enum(ROLES),
  scopes: z.array(z.string()),
  tier: z.enum(TIERS),
  limits: z.record(z.string(), z.int()).nullable(),
  allowed_ips: z.array(z.string()).nullable(),
  require_signature: z.boolean(),
  may_grant: mayGrantField,
  expires_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To the minute; null where it was never used' }),
};

/** Of what is made or changed: what it cannot do though it looks so. */
export const warningsAnswer = z.array(z.string()).meta({
  description: 'What of its scopes cannot be used, for want of a role or of a key that signs, in words; mostly none',
});

/** How long what is rotated serves beside what replaces it. */
export const overlapField = (description: string) =>
  z
    .int('must be a whole number of seconds')
    .min(0, 'must be at least 0')
    .max(MAX_OVERLAP_SECONDS, `must be at most ${MAX_OVERLAP_SECONDS} (30 days)`)
    .default(USUAL_OVERLAP_SECONDS)
    .meta({ description });

/** What an API key and an OAuth client are made from. */
export const credentialBody = namedRequest('CredentialRequest', {
  name: nameField,
  scopes: scopesField,
  role: roleField.optional().meta({ description: "Default: operator, or the caller's role if that is lower" }),
  tier: tierField.optional().meta({ description: "Default: standard. At most the account's" }),
  limits: limitsField.optional(),
  public_key: publicKeyField.optional(),
  require_signature: requireSignatureField.optional(),
  may_grant: mayGrantField.optional(),
  expires_at: expiresField.optional(),
  allowed_ips: ipsField.optional(),
});

export function credentialRequest(body: z.output<typeof credentialBody>): CredentialRequest {
  const { public_key: publicKey, require_signature: requireSignature, may_grant: mayGrant, ...rest } = body;
  const { expires_at: expiresAt, allowed_ips: allowedIps, ...same } = rest;
  return { ...same, publicKey, requireSignature, mayGrant, expiresAt, allowedIps };
}
