import { apostrophes, branchedDescriptor, notRepresentable, rejoined } from './key-expressions.ts';

/**
 * The descriptor record of BIP129's second round, unencrypted (token 0x00): version, descriptor template, path restrictions, first
 * address. Signers check their own key and the first address by it. Throws `not_representable`.
 */
export function bsmsRecord(descriptors: { external: string; internal: string | null }, firstAddress: string): string {
  const branched = branchedDescriptor(descriptors);
  if (!/^(wsh|sh)\(.*multi\(/.test(descriptors.external))
    throw notRepresentable(
      'BIP129 is for multisig of wsh() and sh(): a taproot one goes out as descriptor, bip388 or bitcoin-core',
    );
  const [first] = branched.keys;
  const uniform = branched.keys.every((key) => key.receiving === first!.receiving && key.change === first!.change);
  if (!uniform) throw notRepresentable("BIP129's path restrictions are the same for all keys");
  const template = rejoined(branched, ({ key }) => `${apostrophes(key)}/**`);
  return ['BSMS 1.0', template, `/${first!.receiving}/*,/${first!.change}/*`, firstAddress].join('\n');
}
