import { aggregateKeys } from '../taproot/musig/aggregate-keys.ts';
import { aggregateNonces } from '../taproot/musig/signing-session.ts';

/** Of a partial signature's text, in hex: what the keys and nonces of its session come to. */
interface SessionText {
  readonly public_key: string;
  readonly tweaks: readonly { readonly tweak: string; readonly x_only: boolean }[];
  readonly taproot: { readonly merkle_root: string | null } | null;
  readonly participants: readonly { readonly public_key: string; readonly public_nonce: string }[];
}

/** The same with both aggregates as BIP327 makes them. Throws for a participant that there is not, and what are no keys or nonces. */
export function aggregated<Text extends SessionText>(text: Text) {
  const { public_key, participants, tweaks, taproot } = text;
  if (!participants.some((one) => one.public_key === public_key)) throw new TypeError('no participant has the key');
  const { aggregateKey } = aggregateKeys({
    ...{ publicKeys: participants.map((one) => bytes(one.public_key)), sort: false },
    tweaks: tweaks.map(({ tweak, x_only: xOnly }) => ({ tweak: bytes(tweak), xOnly })),
    taproot: taproot && { merkleRoot: taproot.merkle_root === null ? null : bytes(taproot.merkle_root) },
  });
  const nonces = participants.map(({ public_nonce }) => bytes(public_nonce));
  return {
    ...text,
    ...{ aggregate_key: aggregateKey.toString('hex'), aggregate_nonce: aggregateNonces(nonces).toString('hex') },
  };
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
