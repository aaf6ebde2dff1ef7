/** Refusals of /oauth/*: RFC 6749 §5.2. */
import { z } from 'zod';
import type { Refusal } from './refusal.ts';

export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
  'server_error',
] as const;
export type OAuthError = (typeof OAUTH_ERRORS)[number];

export const oauthErrorSchema = z.object({
  error: z.enum(OAUTH_ERRORS),
  error_description: z.string(),
  error_uri: z.string().meta({ description: 'Where it is explained, and what to do' }),
});

/** The last two are of RFC 6749 §4.1.2.1: §5.2 has no names for what is not the client's doing. */
export function oauthErrorOf({ status, slug }: Pick<Refusal, 'status' | 'slug'>): OAuthError {
  if (slug === 'unsupported_grant_type' || slug === 'invalid_scope') return slug;
  if (status === 401) return 'invalid_client';
  if (status === 403) return 'unauthorized_client';
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** A description has printable ASCII without quotation mark and backslash. */
export const oauthErrorBody = (refusal: Refusal, docs: string) => ({
  error: oauthErrorOf(refusal),
  error_description: refusal.message.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?'),
  error_uri: docs,
});

export const oauthErrorHeaders = ({ status }: Refusal): Record<string, string> => ({
  'cache-control': 'no-store',
  pragma: 'no-cache',
  ...(status === 401 ? { 'www-authenticate': 'Basic realm="ashlar", charset="UTF-8"' } : {}),
});
