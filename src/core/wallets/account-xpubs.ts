import type { Network } from '../network.ts';
import type { KeyOrigin } from '../psbt/codec/key-derivations.ts';
import { parseExtendedPublicKey } from './extended-key.ts';

/** An extended key of a descriptor with its origin, for PSBT_GLOBAL_XPUB. */
export interface AccountXpub extends KeyOrigin {
  /** BIP32's serialization, 78 bytes. */
  readonly bytes: Uint8Array;
}

const WITH_ORIGIN = /\[([0-9a-fA-F]{8})((?:\/\d+[h'H]?)*)\]([xt]pub[1-9A-HJ-NP-Za-km-z]+)/g;

/** The extended keys of a descriptor whose origin leads to them; BIP174 wants as many steps as the key is deep. */
export function accountXpubs(descriptor: string, network: Network): AccountXpub[] {
  const found = new Map<string, AccountXpub>();
  for (const [, fingerprint, path, text] of descriptor.matchAll(WITH_ORIGIN)) {
    const { node } = parseExtendedPublicKey(text as string, network);
    const steps = (path ?? '').split('/').slice(1).map(stepOf);
    if (steps.length === node.depth) {
      found.set(text as string, {
        fingerprint: (fingerprint as string).toLowerCase(),
        path: steps,
        bytes: serialized(node),
      });
    }
  }
  return [...found.values()];
}

const stepOf = (step: string): number => (/[h'H]$/.test(step) ? Number(step.slice(0, -1)) + 0x80000000 : Number(step));

interface PublicNode {
  readonly network: { readonly bip32: { readonly public: number } };
  readonly depth: number;
  readonly parentFingerprint: number;
  readonly index: number;
  readonly chainCode: Uint8Array;
  readonly publicKey: Uint8Array;
}

function serialized(node: PublicNode): Buffer {
  const bytes = Buffer.alloc(78);
  bytes.writeUInt32BE(node.network.bip32.public, 0);
  bytes.writeUInt8(node.depth, 4);
  bytes.writeUInt32BE(node.parentFingerprint, 5);
  bytes.writeUInt32BE(node.index, 9);
  bytes.set(node.chainCode, 13);
  bytes.set(node.publicKey, 45);
  return bytes;
}
