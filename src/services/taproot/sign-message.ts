import { ecc } from '../../core/keys/ecc.ts';
import type { Network } from '../../core/network.ts';
import { schnorrSign } from '../../core/taproot/bip340.ts';
import { tweakPrivateKey } from '../../core/taproot/tweak.ts';
import { withPrivateKey } from './private-key.ts';

interface MessageToSign {
  /** WIF or 64 hex digits. */
  readonly key: string;
  readonly message: Uint8Array;
  /** 32 bytes; random unless given. */
  readonly auxiliaryRandomness: Uint8Array | null;
  /** Signs as the output key does: with the key tweaked by this root, null where there is no tree. Absent: with the key itself. */
  readonly taproot: { readonly merkleRoot: Uint8Array | null } | null;
}

interface SignedMessage {
  /** x-only: what it verifies under. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

export type SignMessage = (request: MessageToSign) => SignedMessage;

/** BIP340 signatures by keys that callers give: nothing of them is kept. */
export const createSignMessage =
  ({ network, randomBytes }: { network: Network; randomBytes: (size: number) => Uint8Array }): SignMessage =>
  ({ key, message, auxiliaryRandomness, taproot }) =>
    withPrivateKey(key, network, (privateKey) => {
      const signingKey = taproot === null ? privateKey : tweakPrivateKey(privateKey, taproot.merkleRoot);
      try {
        return {
          publicKey: ecc.xOnlyPointFromScalar(signingKey),
          signature: schnorrSign(message, signingKey, auxiliaryRandomness ?? randomBytes(32)),
        };
      } finally {
        signingKey.fill(0);
      }
    });
