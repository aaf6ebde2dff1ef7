import { branchedDescriptor, notRepresentable } from './key-expressions.ts';
import { asciiName } from './wallet-policy.ts';

const FORMATS = { 'wsh(': 'P2WSH', 'sh(wsh(': 'P2SH-P2WSH', 'sh(': 'P2SH' } as const;
const SORTED_MULTI = /^(wsh\(|sh\(wsh\(|sh\()sortedmulti\((\d+),$/;
const MAX_NAME_LENGTH = 20;

/**
 * The text file by which Coldcard (and others that read it) learn of a multisig wallet: name, policy, script form, and every key
 * with its path before it. Throws `not_representable` for what is no sortedmulti() of keys with origins.
 */
export function coldcardFile(name: string, descriptors: { external: string; internal: string | null }): string {
  const { pieces, keys } = branchedDescriptor(descriptors);
  const [, form, required] = SORTED_MULTI.exec(pieces[0] as string) ?? [];
  if (!form || !pieces.slice(1, -1).every((piece) => piece === ',')) {
    throw notRepresentable('the file is for multisig wallets of sortedmulti()');
  }
  if (!keys.every(({ receiving, change }) => receiving === 0 && change === 1)) {
    throw notRepresentable('the device derives /0/* for receiving and /1/* for change');
  }
  const lines = keys.flatMap(({ key }) => {
    const [, fingerprint, path, extended] = /^\[([0-9a-fA-F]{8})((?:\/\d+[h'H]?)*)\](.+)$/.exec(key) ?? [];
    if (!fingerprint) throw notRepresentable('the file needs the origin (fingerprint and path) of every key');
    return [`Derivation: m${(path ?? '').replaceAll(/[hH]/g, "'")}`, `${fingerprint.toUpperCase()}: ${extended}`, ''];
  });
  return [
    '# Multisig setup file',
    `Name: ${asciiName(name, MAX_NAME_LENGTH)}`,
    `Policy: ${required} of ${keys.length}`,
    `Format: ${FORMATS[form as keyof typeof FORMATS]}`,
    '',
    ...lines,
  ].join('\n');
}
