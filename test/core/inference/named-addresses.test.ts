import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedAddresses } from '../../../src/core/inference/tools/named-addresses.ts';
import { scriptAddress } from '../../../src/core/relay-policy/script-address.ts';

const program = fc.uint8Array({ minLength: 20, maxLength: 20 });
const scripts = fc.oneof(
  program.map((hash) => Buffer.concat([Buffer.from('0014', 'hex'), hash])),
  program.map((hash) => Buffer.concat([Buffer.from('76a914', 'hex'), hash, Buffer.from('88ac', 'hex')])),
  program.map((hash) => Buffer.concat([Buffer.from('a914', 'hex'), hash, Buffer.from('87', 'hex')])),
);
const addresses = fc
  .tuple(scripts, fc.constantFrom('mainnet' as const, 'signet' as const, 'regtest' as const))
  .map(([script, network]) => scriptAddress(script, network) as string);

describe('namedAddresses', () => {
  it('finds each address, wherever it stands in a text, a list or a name', () => {
    fc.assert(
      fc.property(
        addresses,
        fc.constantFrom('', 'pay ', 'bitcoin:', '"', '(é'),
        fc.constantFrom('', '?amount=1', '.', ')'),
        (address, before, after) => {
          const text = `${before}${address}${after}`;
          const { addresses } = namedAddresses({
            params: { a: text },
            body: { list: [1, null, { b: text }], [address]: 1 },
          });
          expect(addresses.map(({ address: found, at }) => [found, at])).toEqual([
            [address, 'params.a'],
            [address, 'body.list[2].b'],
            [address, `body.${address}`],
          ]);
        },
      ),
    );
  });

  it('takes nothing with a wrong checksum for one, and says what it does not look into', () => {
    const psbt = `cHNidP8BA${'A'.repeat(200)}`;
    const found = namedAddresses({ body: { a: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt081', psbt } });
    expect(found).toEqual({ addresses: [], encoded: ['body.psbt'] });
  });

  it('decodes no more than it has time for', () => {
    const many = Array.from(
      { length: 101 },
      (_, index) => `1${String(index).padStart(3, 'A').replaceAll('0', 'z')}${'B'.repeat(26)}`,
    );
    expect(() => namedAddresses({ many })).toThrow(/more than 100/);
    expect(namedAddresses({ many: Array.from({ length: 700 }, () => many[0]) }).addresses).toEqual([]);
  });
});
