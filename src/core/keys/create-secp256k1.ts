import * as wasm from 'tiny-secp256k1';
import { loadNative, nativeSecp256k1 } from './native-secp256k1.ts';
import type { Secp256k1, Secp256k1Primitives } from './secp256k1.ts';
import { wasmSecp256k1 } from './wasm-secp256k1.ts';

const native = await loadNative();

/** `implementation: 'wasm'` forces the fallback; without it the native addon is used where it loads. */
export function createSecp256k1(options: { implementation?: 'native' | 'wasm' } = {}): Secp256k1 {
  if (options.implementation === 'native' && !native) throw new Error('the native secp256k1 addon does not load here');
  const primitives = native && options.implementation !== 'wasm' ? nativeSecp256k1(native, wasm) : wasmSecp256k1();
  return { ...primitives, signEcdsa: lowRSigner(primitives), verifyEcdsa: strictVerifier(primitives) };
}

/** Whether the native addon loaded on this machine. */
export const nativeSecp256k1Loads = native !== null;

function lowRSigner({ sign }: Secp256k1Primitives): Secp256k1['signEcdsa'] {
  return (hash, scalar) => {
    let signature = sign(hash, scalar);
    const entropy = new Uint8Array(32);
    const counter = new DataView(entropy.buffer);
    // The top bit of R set means a leading zero byte in DER. Half of all R have it, so this ends after two rounds on average.
    for (let round = 1; signature[0]! >= 0x80; round++) {
      counter.setUint32(0, round, true);
      signature = sign(hash, scalar, entropy);
    }
    return signature;
  };
}

function strictVerifier({ verify }: Secp256k1Primitives): Secp256k1['verifyEcdsa'] {
  return (hash, point, signature) => {
    try {
      return verify(hash, point, signature, true);
    } catch {
      return false;
    }
  };
}
