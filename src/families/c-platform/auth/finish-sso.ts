import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Tokens } from '../../../services/users/index.ts';
import { NO_STORE } from './auth-fields.ts';
import { configured, type Sso } from './sso.ts';
import { identityOf } from './sso-identity.ts';
import { tokens, tokensExample } from './tokens-answer.ts';

const text = z.string().max(4096);

export const finishSso = (sso: Sso | null) =>
  operation({
    id: 'sso.finish',
    family: 'c',
    method: 'GET',
    path: '/api/v1/auth/sso/callback',
    summary: 'Where the OpenID provider sends the browser back to',
    description:
      'Answers the tokens of a login. Whoever signs on must be a user already: linked before, or having the e-mail address that ' +
      'the provider vouches for.',
    tag: 'Authentication',
    effect: 'write',
    access: 'public',
    // Providers add parameters of their own.
    query: z.looseObject({
      state: text.optional(),
      code: text.optional(),
      error: text.optional(),
      iss: text.optional(),
    }),
    success: {
      status: 200,
      schema: tokens.schema,
      headers: NO_STORE,
      resultHeaders: ({ cookies }: { cookies: string[] }) => ({ 'set-cookie': cookies }),
      description: 'Tokens, and who they stand for',
    },
    errors: ['unauthorized', 'forbidden', 'not_found', 'unavailable'],
    example: { query: { code: 'x', state: 'y' }, response: tokensExample },
    run: async (
      { query: { state, code, error, iss }, cookie },
      context,
    ): Promise<{ entered: Tokens; cookies: string[] }> => {
      const { login, provider, client, clock } = configured(sso);
      if (state === undefined) throw missing('state');
      if (error !== undefined) {
        throw new DomainError('unauthorized', 'the sign-on provider let nobody in: start again', {
          field: 'query.error',
        });
      }
      if (code === undefined) throw missing('code');
      // RFC 9207: an answer of another provider than the one that was asked.
      if (iss !== undefined && iss !== client.issuer) {
        throw new DomainError('unauthorized', 'another sign-on provider answered than was asked', {
          field: 'query.iss',
        });
      }
      await login.take(state);
      const { idToken, cookies } = await provider.redeem({ state, code }, cookie);
      const expected = { ...client, nonce: login.nonceOf(state), now: clock() };
      const identity = await identityOf(idToken, await provider.keys(), expected);
      return { entered: await login.enter(identity, context), cookies };
    },
    present: ({ entered }) => tokens.present(entered),
  });

const missing = (name: string): DomainError =>
  new DomainError('invalid_value', `query.${name} is missing: this is where the provider sends back to`, {
    field: `query.${name}`,
    reason: 'is missing',
  });
