import { ecc } from '../../keys/ecc.ts';
import { PrivateNode } from '../../keys/private-node.ts';
import type { Network } from '../../network.ts';
import { createDerivingSigner } from './deriving-signer.ts';
import { parseKeyText } from './key-text.ts';
import type { PsbtSigner } from './signing-key.ts';

export type { PsbtSigner, SigningKey } from './signing-key.ts';

/**
 * A signer of what a person pastes: WIF, an extended private key with or without `[fingerprint/path]` before it, or 64 hex digits.
 * Throws `invalid_key` or `wrong_network`, with nothing of the text in the message.
 */
export function signerFromKeyText(text: string, network: Network): PsbtSigner {
  const parsed = parseKeyText(text, network);
  if (parsed.kind === 'extended') return createDerivingSigner(parsed);
  return plainSigner(parsed.privateKey, parsed.compressed);
}

/** A signer of a wallet's account key: `fingerprint` and `path` lead from its master key to it. Copies the key. */
export function signerFromAccountKey(
  account: { readonly privateKey: Uint8Array; readonly chainCode: Uint8Array },
  origin: { readonly fingerprint: string; readonly path: readonly number[] },
): PsbtSigner {
  const node = new PrivateNode(Uint8Array.from(account.privateKey), Uint8Array.from(account.chainCode));
  return createDerivingSigner({ node, origin, depth: origin.path.length, childNumber: origin.path.at(-1) ?? 0 });
}

/** Takes over the key. `compressed` null: its point may stand in scripts in either form. */
export function plainSigner(privateKey: Uint8Array, compressed: boolean | null): PsbtSigner {
  const forms = compressed === null ? [true, false] : [compressed];
  const publicKeys = forms.map((form) => ecc.pointFromScalar(privateKey, form) as Uint8Array);
  let disposed = false;
  return {
    without: "none of the input's scripts has this key",
    keysFor() {
      if (disposed) throw new Error('the signer has been disposed of');
      return publicKeys.map((publicKey) => ({ privateKey: Uint8Array.from(privateKey), publicKey }));
    },
    dispose() {
      disposed = true;
      privateKey.fill(0);
    },
  };
}
