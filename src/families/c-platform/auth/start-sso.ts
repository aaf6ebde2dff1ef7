import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { NO_STORE } from './auth-fields.ts';
import { configured, type Sso } from './sso.ts';

export const startSso = (sso: Sso | null) =>
  operation({
    id: 'sso.start',
    family: 'c',
    method: 'GET',
    path: '/api/v1/auth/sso/start',
    summary: 'Sign in through the OpenID provider',
    description:
      'For a browser: sends it to the provider, which sends it back to the callback. 404 where none is configured.',
    tag: 'Authentication',
    effect: 'read',
    access: 'public',
    success: {
      status: 302,
      schema: z.object({ authorization_url: z.string() }),
      headers: NO_STORE,
      resultHeaders: ({ url, cookies }: { url: string; cookies: string[] }) => ({
        location: url,
        'set-cookie': cookies,
      }),
      description: 'To the provider',
    },
    errors: ['not_found', 'unavailable'],
    example: {
      response: {
        authorization_url:
          'https://login.example.com/auth?response_type=code&client_id=ashlar&scope=openid%20email&state=x&nonce=y',
      },
    },
    run: async () => {
      const { login, provider } = configured(sso);
      const state = login.newState();
      return provider.begin(state, login.nonceOf(state));
    },
    present: ({ url }) => ({ authorization_url: url }),
  });
