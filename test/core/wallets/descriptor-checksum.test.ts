import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descriptorChecksum, withChecksum, withoutChecksum } from '../../../src/core/wallets/descriptor-checksum.ts';

const KEY =
  'xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L/0';

describe('BIP380 checksums', () => {
  it('accepts the valid vectors', () => {
    expect(withoutChecksum('raw(deadbeef)#89f8spxm')).toBe('raw(deadbeef)');
    expect(withoutChecksum('raw(deadbeef)')).toBe('raw(deadbeef)');
    expect(descriptorChecksum(`sh(multi(2,[00000000/111'/222]${KEY},${KEY.slice(0, -2)}/0))`)).toHaveLength(8);
  });

  it.each([
    'raw(deadbeef)#',
    'raw(deadbeef)#89f8spxmx',
    'raw(deadbeef)#89f8spx',
    'raw(dedbeef)#89f8spxm',
    'raw(deadbeef)##9f8spxm',
  ])('refuses %s and names the right checksum', (text) => {
    const right = descriptorChecksum(text.slice(0, text.indexOf('#')));
    expect(() => withoutChecksum(text)).toThrow(`#${right}`);
  });

  it('refuses characters outside the charset', () => {
    expect(() => withoutChecksum('raw(Ü)#00000000')).toThrow('character');
  });

  it('is taken off again from any text of the charset, and from none with another character', () => {
    const charset = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`"\\ ';
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...charset), maxLength: 200 }), (text) => {
        const whole = withChecksum(text);
        expect(withoutChecksum(whole)).toBe(text);
        if (text !== '')
          expect(() => withoutChecksum(`${text[0] === 'a' ? 'b' : 'a'}${whole.slice(1)}`)).toThrow('checksum');
      }),
    );
  });
});
