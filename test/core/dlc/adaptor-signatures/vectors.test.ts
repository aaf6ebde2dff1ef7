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
import { bytes, vectorRows } from '../../../vectors/rows.ts';
import { CURVES } from '../curves.ts';
import { hex } from '../hex.ts';

describe('adaptor signatures of dlcspecs', () => {
  const vectors = vectorRows('dlc-adaptor-signatures');
  it('are 11', () => expect(vectors).toHaveLength(11));

  for (const [at, row] of vectors.entries()) {
    const [kind, verdict, adaptor = '', hash = '', publicKey = '', encryptionKey = '', scalar = '', given = ''] = row;
    const name = `${at} ${kind}: ${verdict}`;
    const valid = verdict === 'valid';
    const [signature, point] = [bytes(adaptor), bytes(encryptionKey)];
    if (kind === 'serialization') {
      it(name, () => {
        const parsed = parseAdaptorSignature(signature);
        expect(parsed !== null).toBe(valid);
        if (parsed === null) return;
        const written = new Uint8Array(162);
        writeAdaptorSignature(parsed, written, 0);
        expect(hex(written)).toBe(adaptor);
      });
      continue;
    }
    if (kind === 'recovery') {
      it(name, () =>
        expect(hex(recoverDecryptionKey(signature, bytes(given), point))).toBe(scalar === '' ? null : scalar),
      );
      continue;
    }
    it.each(CURVES)(`${name} (%s)`, (_, ecc) => {
      for (const combine of [basePlusPoint, basePlusPointPlainly]) {
        expect(verifyAdaptorSignature(signature, bytes(hash), bytes(publicKey), point, { ecc, combine })).toBe(valid);
      }
      if (!valid) return;
      expect(hex(decryptSignature(signature, bytes(scalar)))).toBe(given);
      expect(hex(recoverDecryptionKey(signature, bytes(given), point))).toBe(scalar);
    });
  }
});
