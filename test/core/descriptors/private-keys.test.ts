import { expect, it } from 'vitest';
import { parseDescriptorNodes } from '../../../src/core/descriptors/parse-descriptor.ts';

/** The point G with a chain code whose base58 has "zprv" within. */
const XPUB =
  'tpubDDZmX6PVUQY86XRPfQYHgx4gQCW6tpUk8phFYdwU6izizprvejc6BWLVAJweV7gjvqdKS7Y4DqyV7CiiivqUuwzkjyxsSbnbHyt2a4JME4s';
const XPRV = XPUB.replace('tpub', 'tprv');

it('takes a public key that spells a private one within, and no private key in any place', () => {
  expect(parseDescriptorNodes(`wpkh([d1a2b3c4/0h]${XPUB}/0/*)`, 'regtest')).toHaveLength(1);
  for (const text of [XPRV, `wpkh(${XPRV}/0/*)`, `wpkh([d1a2b3c4/0h]${XPRV})`, `wsh(multi(1,${XPUB},${XPRV}))`])
    expect(() => parseDescriptorNodes(text, 'regtest')).toThrow('holds a private key');
});
