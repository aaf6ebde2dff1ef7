/** Signing in through an OpenID provider. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { url } from './value-kinds.ts';

/** The OpenID provider that people may sign in through. */
interface SsoConfig {
  issuer: string;
  clientId: string;
  /** In the file, when given, is the secret and nothing else. */
  clientSecret: { value: string } | { file: string };
  scopes: string[];
}

export const SSO_VARIABLES = {
  SSO_ISSUER: url(['http', 'https'], 'https://login.example.com').optional(),
  SSO_CLIENT_ID: z.string().optional(),
  SSO_CLIENT_SECRET: z.string().optional(),
  SSO_CLIENT_SECRET_FILE: z.string().optional(),
  SSO_SCOPES: z
    .string()
    .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, 'must be scopes by blank, such as: openid email')
    .refine((scopes) => scopes.split(' ').includes('openid'), 'must hold the scope openid')
    .default('openid email'),
};
type Variables = z.output<z.ZodObject<typeof SSO_VARIABLES>>;

/** With SSO_ISSUER all of it is given, without it none. */
export function* ssoProblems(variables: Variables): Generator<string> {
  const { SSO_ISSUER: issuer, SSO_CLIENT_ID: id, SSO_CLIENT_SECRET: secret, SSO_CLIENT_SECRET_FILE: file } = variables;
  if (issuer === undefined) {
    if (id ?? secret ?? file)
      yield 'SSO_ISSUER must be given with the other SSO variables, such as https://login.example.com';
    return;
  }
  if (new URL(issuer).protocol === 'http:' && !isLoopback(new URL(issuer).hostname)) {
    yield 'SSO_ISSUER must be https, except on loopback';
  }
  if (id === undefined) yield 'SSO_CLIENT_ID must be given with SSO_ISSUER';
  if ((secret === undefined) === (file === undefined)) {
    yield 'SSO_CLIENT_SECRET_FILE must be given with SSO_ISSUER, or SSO_CLIENT_SECRET, and not both';
  }
}

/** null: people log in with passwords only. */
export function sso(variables: Variables): SsoConfig | null {
  const { SSO_ISSUER: issuer, SSO_CLIENT_ID: clientId, SSO_CLIENT_SECRET: secret } = variables;
  if (issuer === undefined || clientId === undefined) return null;
  return {
    issuer,
    clientId,
    clientSecret: secret === undefined ? { file: resolve(variables.SSO_CLIENT_SECRET_FILE ?? '') } : { value: secret },
    scopes: variables.SSO_SCOPES.split(' '),
  };
}

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
