import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { TokenKeys } from '../../services/tokens/token-keys.ts';
import { publicKey, publicKeyExample } from '../public-key-set.ts';

export const getKeySet = (keys: Pick<TokenKeys, 'published'>) =>
  operation({
    id: 'key-set.get',
    family: 'service',
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The keys that access tokens are signed with',
    description:
      'RFC 7517. A key is here ten minutes before it signs, and until the last token that it signed has ended; the set may be kept ' +
      'for five minutes.',
    tag: 'OAuth 2.0',
    effect: 'read',
    access: 'public',
    success: {
      status: 200,
      description: 'The key set',
      headers: { 'cache-control': 'public, max-age=300' },
      schema: z.object({ keys: z.array(publicKey) }),
    },
    example: { response: { keys: [publicKeyExample] } },
    run: () => keys.published(),
    present: (published) => ({ keys: published }),
  });
