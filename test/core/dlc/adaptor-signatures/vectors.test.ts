import { describe, expect, it } from 'vitest';
import {
  decryptSignature,
  recoverDecryptionKey,
} from '../../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import {
  parseAdaptorSignature,
  writeAdaptorSignature,
} from '../../../../src/core/dlc/adaptor-signatures/serialization.ts';
import { verifyAdaptorSignature } from '../../../../src/core/dlc/adaptor-signatures/verify-adaptor-signature.ts';
import { basePlusPoint, basePlusPointPlainly } from '../../../../src/core/keys/base-plus-point.ts';
import { CURVES } from '../curves.ts';
import { bytes, dlcVectors, hex } from '../dlc-vectors.ts';

interface Vector {
  readonly kind: 'verification' | 'recovery' | 'serialization';
  readonly adaptor_sig: string;
  readonly message_hash: string;
  readonly public_signing_key: string;
  readonly encryption_key: string;
  readonly decryption_key: string | null;
  readonly signature: string;
  readonly error?: string | null;
  readonly comment?: string;
}

const vectors = dlcVectors<Vector[]>('ecdsa_adaptor');

describe('dlcspecs ecdsa_adaptor.json', () => {
  if (vectors === null) {
    it.skip('11 vectors (the folder ../shared/vectors is not here)', () => {});
    return;
  }
  it('has 11 vectors', () => expect(vectors).toHaveLength(11));

  for (const [at, vector] of vectors.entries()) {
    const name = `${at} ${vector.kind}: ${vector.error ?? vector.comment ?? 'valid'}`;
    const signature = bytes(vector.adaptor_sig);
    if (vector.kind === 'serialization') {
      it(name, () => {
        const parsed = parseAdaptorSignature(signature);
        expect(parsed === null).toBe(typeof vector.error === 'string');
        if (parsed === null) return;
        const written = new Uint8Array(162);
        writeAdaptorSignature(parsed, written, 0);
        expect(hex(written)).toBe(vector.adaptor_sig);
      });
      continue;
    }
    const [point, given] = [bytes(vector.encryption_key), bytes(vector.signature)];
    if (vector.kind === 'recovery') {
      it(name, () => expect(hex(recoverDecryptionKey(signature, given, point))).toBe(vector.decryption_key));
      continue;
    }
    it.each(CURVES)(`${name} (%s)`, (_, ecc) => {
      const [hash, key] = [bytes(vector.message_hash), bytes(vector.public_signing_key)];
      const valid = vector.error === undefined;
      for (const combine of [basePlusPoint, basePlusPointPlainly]) {
        expect(verifyAdaptorSignature(signature, hash, key, point, { ecc, combine })).toBe(valid);
      }
      if (!valid) return;
      const decryptionKey = bytes(vector.decryption_key as string);
      expect(hex(decryptSignature(signature, decryptionKey))).toBe(vector.signature);
      expect(hex(recoverDecryptionKey(signature, given, point))).toBe(vector.decryption_key);
    });
  }
});
