import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { withPrivateKey } from '../../../src/services/taproot/private-key.ts';
import { noteSecret } from '../../secrets/collected.ts';

const KEY = 'c3'.repeat(32);
noteSecret('private key', KEY);

describe('a key that is given', () => {
  it('is overwritten when what it was for is done', () => {
    let seen: Uint8Array = new Uint8Array();
    const publicKey = withPrivateKey(KEY, 'regtest', (privateKey) => {
      seen = privateKey;
      expect(Buffer.from(privateKey).toString('hex')).toBe(KEY);
      return ecc.pointFromScalar(privateKey);
    });
    expect(publicKey).toHaveLength(33);
    expect(seen).toEqual(Buffer.alloc(32));
  });

  it('is overwritten when that fails, too', () => {
    let seen: Uint8Array = new Uint8Array();
    expect(() =>
      withPrivateKey(KEY, 'regtest', (privateKey) => {
        seen = privateKey;
        throw new Error('halfway');
      }),
    ).toThrow('halfway');
    expect(seen).toEqual(Buffer.alloc(32));
  });
});
