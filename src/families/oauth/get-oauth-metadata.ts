import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';

/** `scopes` are those that operations ask for. */
export const getOAuthMetadata = ({ issuer, scopes }: { issuer: string; scopes: readonly string[] }) =>
  operation({
    id: 'oauth-metadata.get',
    family: 'service',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'What OAuth 2.0 clients need to know',
    description: 'Authorization server metadata (RFC 8414).',
    tag: 'OAuth 2.0',
    effect: 'read',
    access: 'public',
    success: {
      status: 200,
      description: 'The metadata',
      headers: { 'cache-control': 'public, max-age=300' },
      schema: z.object({
        issuer: z.string(),
        token_endpoint: z.string(),
        revocation_endpoint: z.string(),
        jwks_uri: z.string(),
        scopes_supported: z.array(z.string()),
        response_types_supported: z.array(z.string()),
        grant_types_supported: z.array(z.string()),
        token_endpoint_auth_methods_supported: z.array(z.string()),
        revocation_endpoint_auth_methods_supported: z.array(z.string()),
        service_documentation: z.string(),
      }),
    },
    example: { response: metadataOf('https://api.example.com', ['wallets:read', 'wallets:write']) },
    run: async () => null,
    present: () => metadataOf(issuer, scopes),
  });

const metadataOf = (issuer: string, scopes: readonly string[]) => ({
  issuer,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: [...scopes],
  // There is no authorization endpoint: people log in at /api/v1/auth/login.
  response_types_supported: [],
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  service_documentation: `${issuer}/docs`,
});
