/** The public keys that receivers verify signatures of the service with, as RFC 7517 writes them. */
import { z } from 'zod';

export const publicKey = z.object({
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
  kid: z.string(),
  use: z.string(),
  alg: z.string(),
});

export const publicKeyExample = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  use: 'sig',
  alg: 'EdDSA',
};
