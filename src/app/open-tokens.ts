/** Access tokens and the keys that sign them, kept in order beside requests. */
import { createAnswerSeal } from '../services/requests/idempotency.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import { createAccessTokens } from '../services/tokens/access-tokens.ts';
import { createTokenKeys, type TokenKeys } from '../services/tokens/token-keys.ts';
import type { Store } from '../store/store.ts';
import { sweepRegularly } from './background.ts';
import type { Ground } from './ground.ts';

type KeyDeps = { store: Store; provider: KeyProvider; randomBytes: (size: number) => Uint8Array; clock: () => number };

export async function openTokenKeys(deps: KeyDeps): Promise<TokenKeys> {
  const { store, randomBytes, clock } = deps;
  const sealKey = await openServiceKey(deps, 'token keys');
  return createTokenKeys({ store, seal: createAnswerSeal(sealKey, randomBytes), clock });
}

export async function openTokens(ground: Ground, store: Store, provider: KeyProvider) {
  const { config, clock, randomBytes } = ground;
  const issuer = config.publicOrigins[0] as string;
  const tokenKeys = await openTokenKeys({ store, provider, randomBytes, clock });
  const accessTokens = createAccessTokens({ store, keys: tokenKeys, issuer, clock, randomBytes });
  sweepRegularly(ground, async () => (await tokenKeys.maintain()) + (await accessTokens.sweep()));
  return { keys: tokenKeys, accessTokens, issuer };
}
