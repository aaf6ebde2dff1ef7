import { address as codec, networks, payments } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { NETWORKS, type Network, networkParameters } from '../../../src/core/network.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';

const refusal = (address: string, network: Network = 'mainnet'): string => {
  try {
    decodeAddress(address, network);
  } catch (error) {
    if (error instanceof DomainError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
};

describe('addresses', () => {
  // BIP350, valid addresses.
  it.each([
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'mainnet', '0014751e76e8199196d454941c45d1b3a323f1433bd6', 'p2wpkh'],
    [
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      'signet',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
      'p2wsh',
    ],
    [
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      'mainnet',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
      'witness-unknown',
    ],
    ['BC1SW50QGDZ25J', 'mainnet', '6002751e', 'witness-unknown'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'mainnet', '5210751e76e8199196d454941c45d1b3a323', 'witness-unknown'],
    [
      'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
      'testnet4',
      '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
      'p2wsh',
    ],
    [
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      'testnet4',
      '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
      'p2tr',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      'mainnet',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      'p2tr',
    ],
    ['bc1pfeessrawgf', 'mainnet', '51024e73', 'p2a'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'mainnet', '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac', 'p2pkh'],
    ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'mainnet', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87', 'p2sh'],
  ] as const)('%s is %s’s', (address, network, scriptPubKey, kind) => {
    expect(decodeAddress(address, network)).toEqual({ scriptPubKey, kind });
  });

  // BIP350 and BIP173, invalid addresses.
  it.each([
    ['tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty', 'another human-readable part'],
    ['tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut', 'another human-readable part'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'bech32 for version 1'],
    ['tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf', 'bech32 for version 2'],
    ['BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL', 'bech32 for version 16'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh', 'bech32m for version 0'],
    ['tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47', 'bech32m for version 0'],
    ['bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4', 'a character outside the alphabet'],
    ['BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R', 'version 17'],
    ['bc1pw5dgrnzv', 'one byte'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav', '41 bytes'],
    ['BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', '16 bytes for version 0'],
    ['tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq', 'mixed case'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf', 'padding of more than 4 bits'],
    ['tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j', 'padding that is not zero'],
    ['bc1gmk9yu', 'no data'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'a base58 checksum that is wrong'],
    ['5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ', 'a private key'],
    ['', 'nothing'],
    ['x'.repeat(91), 'too long'],
    [' 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'a space'],
  ])('%s is refused: %s', (address) => {
    for (const network of NETWORKS)
      expect(refusal(address, network)).toMatch(/^invalid_address: ".*" is not a Bitcoin address/);
  });

  it.each([
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'regtest', 'mainnet'],
    ['tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c', 'regtest', 'testnet4 or signet'],
    ['tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c', 'mainnet', 'testnet4 or signet'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'signet', 'mainnet'],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'mainnet', 'testnet4 or signet or regtest'],
  ] as const)('%s on %s: it belongs to %s', (address, network, belongs) => {
    expect(refusal(address, network)).toMatch(new RegExp(`^wrong_network: .*of ${belongs};.*${network}`));
  });

  it('refuses a taproot key that is not on the curve', () => {
    const off = Buffer.alloc(32, 0xff);
    expect(ecc.isXOnlyPoint(off)).toBe(false);
    expect(refusal(codec.toBech32(off, 1, 'bc'))).toMatch(/^invalid_address: .*curve/);
  });

  it('gives back the script that bitcoinjs-lib encodes, on every network', () => {
    const hash = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...NETWORKS), hash, (network, bytes) => {
        const parameters = networkParameters(network);
        for (const payment of [
          payments.p2wpkh({ hash: bytes, network: parameters }),
          payments.p2pkh({ hash: bytes, network: parameters }),
          payments.p2sh({ hash: bytes, network: parameters }),
        ])
          expect(decodeAddress(payment.address!, network).scriptPubKey).toBe(
            Buffer.from(payment.output!).toString('hex'),
          );
      }),
    );
    expect(networks.regtest.bech32).toBe('bcrt');
  });
});
