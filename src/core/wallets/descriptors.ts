/**
 * Descriptors as people give them (BIP380 to 387 and 389): checked, split into external and internal branch, written back with
 * checksum. Only public ones; a refusal never repeats what was given beyond names of functions.
 */
import { address } from 'bitcoinjs-lib';
import { DomainError } from '../errors.ts';
import { NETWORKS, type Network, networkParameters } from '../network.ts';
import { openBranch } from './descriptor-branch.ts';
import { withChecksum, withoutChecksum } from './descriptor-checksum.ts';
import { parseExtendedPublicKey } from './extended-key.ts';

export interface ParsedDescriptor {
  /** With checksum. */
  readonly external: string;
  /** null where the descriptor has one path only. */
  readonly internal: string | null;
  readonly ranged: boolean;
  /** The one origin fingerprint of all keys, 8 hex digits; null where several or none. */
  readonly fingerprint: string | null;
}

/** What the field has and we refuse, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  combo: 'combo() stands for up to four scripts at once; give the one that is meant: pkh, wpkh, sh(wpkh) or tr',
  raw: 'raw() holds a bare script without keys or address; watch an address with addr()',
  rawtr: 'rawtr() hides whether its output key has a script path; give tr() with the internal key',
  rawnode: 'rawnode() is not supported; give the tree itself',
  musig: 'musig() (BIP390) is not supported; give the aggregate key inside tr()',
};
const KEYLESS_ADDRESS = new Set(['pk', 'multi', 'sortedmulti']);
const MAX_LENGTH = 10_000;

/** Throws `invalid_descriptor`, `wrong_network` or `unsupported`. A missing checksum is accepted. */
export function parseDescriptor(text: string, network: Network): ParsedDescriptor {
  if (text.length > MAX_LENGTH) {
    throw new DomainError('invalid_descriptor', `a descriptor has at most ${MAX_LENGTH} characters`);
  }
  const trimmed = text.trim();
  refusePrivateKeys(trimmed);
  const descriptor = withoutChecksum(trimmed);
  refuseUnsupported(descriptor);
  if (descriptor.startsWith('addr(')) return parseAddressDescriptor(descriptor, network);
  for (const token of keyTokens(descriptor)) checkKey(token, network);
  const [external, internal] = splitMultipath(descriptor);
  const branches = [external!, ...(internal === undefined ? [] : [internal])].map((branch) => {
    const opened = openBranch(branch, network);
    opened.scriptAt(0);
    return opened;
  });
  return {
    external: withChecksum(external!),
    internal: internal === undefined ? null : withChecksum(internal),
    ranged: branches[0]!.ranged,
    fingerprint: commonFingerprint(descriptor),
  };
}

/** BIP389: `/<0;1>/` in every key becomes two descriptors, in lockstep. */
export function splitMultipath(descriptor: string): [string] | [string, string] {
  const tuples = [...descriptor.matchAll(/\/<([^<>]*)>/g)];
  if (tuples.length === 0) {
    if (/[<>;]/.test(descriptor)) throw new DomainError('invalid_descriptor', 'a multipath step is written /<0;1>');
    return [descriptor];
  }
  for (const tuple of tuples) {
    const steps = tuple[1]!.split(';');
    if (steps.some((step) => !/^(0|[1-9]\d*)$/.test(step) || Number(step) >= 0x80000000)) {
      throw new DomainError(
        'invalid_descriptor',
        'a multipath step holds plain numbers below 2147483648, as in /<0;1>',
      );
    }
    if (steps.length !== 2 || steps[0] === steps[1]) {
      throw new DomainError(
        'invalid_descriptor',
        'a multipath step of a wallet has exactly two different values, receiving and change, as in /<0;1>',
      );
    }
  }
  const choose = (choice: 0 | 1) =>
    descriptor.replace(/\/<([^<>]*)>/g, (_, body: string) => `/${body.split(';')[choice]}`);
  return [choose(0), choose(1)];
}

function parseAddressDescriptor(descriptor: string, network: Network): ParsedDescriptor {
  const given = /^addr\(([0-9A-Za-z]+)\)$/.exec(descriptor)?.[1];
  if (given === undefined || scriptOf(given, network) === null) {
    const elsewhere = NETWORKS.find((other) => given !== undefined && scriptOf(given, other) !== null);
    throw elsewhere
      ? new DomainError(
          'wrong_network',
          `the address in addr() is not a ${network} address (it would be one on ${elsewhere})`,
        )
      : new DomainError('invalid_descriptor', `addr() holds one valid ${network} address`);
  }
  return { external: withChecksum(descriptor), internal: null, ranged: false, fingerprint: null };
}

function scriptOf(text: string, network: Network): Uint8Array | null {
  try {
    return address.toOutputScript(text, networkParameters(network));
  } catch {
    return null;
  }
}

/** The key expressions of a descriptor, and whatever else stands where a key could. */
function keyTokens(descriptor: string): string[] {
  return descriptor.split(/[(),{}]/).filter((part) => /^\[|pub|[1-9A-HJ-NP-Za-km-z]{40}/.test(part));
}

const actualKey = (token: string): string => token.replace(/^\[[^\]]*\]/, '').split('/')[0]!;

function refusePrivateKeys(text: string): void {
  for (const token of text.split(/[(),{}#]/)) {
    const key = actualKey(token);
    const isWif = /^[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}$/.test(key);
    if (isWif || /[xyztuvYZUV]prv/.test(key)) {
      throw new DomainError(
        'invalid_descriptor',
        'the descriptor holds a private key: give its public form (xpub, tpub)',
      );
    }
  }
}

function refuseUnsupported(descriptor: string): void {
  for (const [, name] of descriptor.matchAll(/([a-z_0-9]+)\(/g)) {
    if (REFUSED[name!]) throw new DomainError('unsupported', REFUSED[name!]!);
  }
  const top = /^([a-z_0-9]+)\(/.exec(descriptor)?.[1];
  if (top === undefined) {
    throw new DomainError(
      'invalid_descriptor',
      'a descriptor is a script expression such as wpkh([d34db33f/84h/0h/0h]xpub…/<0;1>/*)',
    );
  }
  if (KEYLESS_ADDRESS.has(top)) {
    throw new DomainError(
      'unsupported',
      `bare ${top}() outputs have no address; wrap it: sh(${top}(…)) or wsh(${top}(…))`,
    );
  }
  if (/\/\*\*/.test(descriptor)) {
    throw new DomainError('invalid_descriptor', 'write /** as /<0;1>/* (BIP389)');
  }
}

/** Extended keys are decoded and belong to the network; raw keys are left to the library, which checks the point. */
function checkKey(token: string, network: Network): void {
  const key = actualKey(token);
  if (/^([0-9a-fA-F]{40}|[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/.test(key)) return;
  if (/^[yzuvYZUV]pub/.test(key)) {
    const { text } = parseExtendedPublicKey(key, network);
    throw new DomainError('invalid_descriptor', `descriptors take BIP32's prefixes only; this key is written ${text}`);
  }
  parseExtendedPublicKey(key, network);
  const steps = token.replace(/^\[[^\]]*\]/, '').slice(key.length);
  if (/[hH']/.test(steps)) {
    throw new DomainError(
      'invalid_descriptor',
      'a public key has no hardened children: put hardened steps into the origin',
    );
  }
  if (steps.split('<').length > 2) {
    throw new DomainError('invalid_descriptor', 'each key has at most one multipath step, written /<0;1>');
  }
  if (steps.slice(0, -1).includes('*')) throw new DomainError('invalid_descriptor', 'the wildcard /* is the last step');
}

function commonFingerprint(descriptor: string): string | null {
  const keys = keyTokens(descriptor).filter((token) => !/^[0-9a-fA-F]{40}([0-9a-fA-F]{24})?$/.test(token));
  const found = new Set(keys.map((token) => /^\[([0-9a-fA-F]{8})/.exec(token)?.[1]?.toLowerCase() ?? ''));
  const [only] = found;
  return found.size === 1 && only ? only : null;
}
