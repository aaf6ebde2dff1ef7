import { apostrophes, branchedDescriptor, extendedKeysOf, notRepresentable, rejoined } from './key-expressions.ts';

/** Devices show no more of a name, and nothing but ASCII. */
const MAX_NAME_LENGTH = 64;
/** Scripts that a policy may be made of; addr() and raw keys are none. */
const TOP = /^(pkh|wpkh|wsh|tr|sh)\(/;

/** Throws `not_representable`. */
export function walletPolicy(name: string, descriptors: { external: string; internal: string | null }) {
  if (!TOP.test(descriptors.external)) throw notRepresentable('BIP388 has policies of pkh, wpkh, sh, wsh and tr');
  if (/^tr\([0-9a-fA-F]{64}\b/.test(descriptors.external))
    throw notRepresentable("BIP388's keys are extended ones, and its internal key is not");
  const branched = branchedDescriptor(descriptors);
  const keys = [...new Set(branched.keys.flatMap(extendedKeysOf))];
  const descriptorTemplate = rejoined(branched, (one) => {
    const { key, receiving, change } = one;
    const places = extendedKeysOf(one).map((extended) => `@${keys.indexOf(extended)}`);
    const place = key.startsWith('musig(') ? `musig(${places.join(',')})` : places.join();
    return receiving === 0 && change === 1 ? `${place}/**` : `${place}/<${receiving};${change}>/*`;
  });
  return {
    name: asciiName(name, MAX_NAME_LENGTH),
    descriptorTemplate,
    /** `@0`, `@1`, … of the template. */
    keys: keys.map(apostrophes),
  };
}

/** The name in printable ASCII, cut to `length`; something where nothing is left. */
export function asciiName(name: string, length: number): string {
  const kept = name
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, length)
    .trim();
  return kept === '' ? 'Wallet' : kept;
}
