/** Bitcoin Core's addresses and private keys in WIF: what is one, of which network, and what is none anywhere. */
import { expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { NETWORKS, type Network } from '../../../src/core/network.ts';
import { parsePlainKeyText } from '../../../src/core/psbt/signing/key-text.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';
import { scriptAddress } from '../../../src/core/relay-policy/script-address.ts';
import { bytes, vectorRows } from '../../vectors/rows.ts';

const rows = vectorRows('core-keys').map(([chain = '', kind, payload, text = '']) => ({ chain, kind, payload, text }));
const CHAINS: Readonly<Record<string, Network>> = { main: 'mainnet', test: 'testnet4', testnet4: 'testnet4' };
const networkOf = (chain: string): Network => CHAINS[chain] ?? (chain as Network);
/** Null where it is refused. */
function attempt<Value>(decode: () => Value): Value | null {
  try {
    return decode();
  } catch {
    return null;
  }
}
const scriptOf = (text: string, network: Network) => attempt(() => decodeAddress(text, network).scriptPubKey);
const keyOf = (text: string, network: Network) => attempt(() => parsePlainKeyText(text, network));
/** Bitcoin Core takes these; decodeAddress says why it does not. */
const isUnspendable = (script: string): boolean =>
  script.startsWith('5120') && !ecc.isXOnlyPoint(bytes(script.slice(4)));
const flipped = (text: string) =>
  [...text].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join('');

it('addresses are read and written, those of bech32 in either case, and are no keys', () => {
  const addresses = rows.filter(({ kind }) => kind === 'address' || kind === 'case');
  expect(addresses.length).toBeGreaterThan(40);
  let unspendable = 0;
  for (const { chain, kind, payload = '', text } of addresses) {
    const network = networkOf(chain);
    if (isUnspendable(payload)) {
      unspendable++;
      expect(() => decodeAddress(text, network)).toThrow(/not on the curve/);
      continue;
    }
    expect([text, scriptOf(text, network)]).toEqual([text, payload]);
    expect(scriptAddress(bytes(payload), network)).toBe(text);
    expect([text, scriptOf(flipped(text), network)]).toEqual([text, kind === 'case' ? payload : null]);
    expect(keyOf(text, network)).toBeNull();
  }
  expect(unspendable).toBeGreaterThan(0);
  expect(unspendable).toBeLessThan(addresses.length / 10);
});

it('keys are read with the form of their public key, and are no addresses', () => {
  const keys = rows.filter(({ kind }) => kind?.endsWith('compressed'));
  expect(keys.length).toBeGreaterThan(10);
  for (const { chain, kind, payload, text } of keys) {
    const key = keyOf(text, networkOf(chain));
    expect(Buffer.from(key!.privateKey).toString('hex')).toBe(payload);
    expect(key!.compressed).toBe(kind === 'compressed');
    expect(scriptOf(text, networkOf(chain))).toBeNull();
  }
});

it('what is neither is refused on every network', () => {
  const invalid = rows.filter(({ kind }) => kind === 'invalid');
  expect(invalid.length).toBeGreaterThan(50);
  for (const { text } of invalid)
    for (const network of NETWORKS)
      expect([text, scriptOf(text, network), keyOf(text, network)]).toEqual([text, null, null]);
});
