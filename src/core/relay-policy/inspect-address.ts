/** What an address is, or what is wrong with it: for people who typed one. */
import { address as codec } from 'bitcoinjs-lib';
import { DomainError } from '../errors.ts';
import { NETWORKS, type Network } from '../network.ts';
import { decodeAddress } from './address.ts';
import { checkBech32 } from './bech32-errors.ts';
import { type OutputKind, witnessProgram } from './standard-scripts.ts';

type AddressProblem =
  | 'wrong_network'
  | 'mixed_case'
  | 'character'
  | 'length'
  | 'checksum'
  | 'encoding'
  | 'witness_version'
  | 'witness_program'
  | 'version_byte'
  | 'key_not_on_curve'
  | 'unknown';

export interface InspectedAddress {
  readonly valid: boolean;
  /** As it is written: bech32 in lower case. As given where it is invalid. */
  readonly address: string;
  /** Where it is one: none where it is invalid, several where networks share a form. */
  readonly networks: readonly Network[];
  readonly encoding: 'base58' | 'bech32' | 'bech32m' | null;
  readonly type: OutputKind | null;
  /** hex */
  readonly scriptPubKey: string | null;
  readonly witnessVersion: number | null;
  readonly witnessProgram: Uint8Array | null;
  readonly problem: AddressProblem | null;
  /** A sentence; null where it is valid. */
  readonly reason: string | null;
  /** Places of the characters that are wrong, from 0, where they can be told. */
  readonly positions: readonly number[];
}

const PREFIX = /^(bcrt|bc|tb)1/i;
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const MAX_BECH32_LENGTH = 90;

/** Never throws. An address of another network is invalid here, and told with its networks. */
export function inspectAddress(text: string, network: Network): InspectedAddress {
  const isBech32 = PREFIX.test(text);
  const networks = NETWORKS.filter((candidate) => scriptOn(text, candidate) !== null);
  const script = networks.length === 0 ? null : scriptOn(text, networks[0] as Network);
  if (script === null) return invalidAddress(text, isBech32);
  const witness = witnessProgram(Buffer.from(script.scriptPubKey, 'hex'));
  const here = networks.includes(network);
  return {
    valid: here,
    address: isBech32 ? text.toLowerCase() : text,
    networks,
    encoding: isBech32 ? (witness?.version === 0 ? 'bech32' : 'bech32m') : 'base58',
    type: script.kind,
    scriptPubKey: script.scriptPubKey,
    witnessVersion: witness?.version ?? null,
    witnessProgram: witness?.program ?? null,
    problem: here ? null : 'wrong_network',
    reason: here ? null : `it is an address of ${networks.join(' or ')}, and this service runs on ${network}`,
    positions: [],
  };
}

function scriptOn(text: string, network: Network): ReturnType<typeof decodeAddress> | null {
  try {
    return decodeAddress(text, network);
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

function invalidAddress(text: string, isBech32: boolean): InspectedAddress {
  const { problem, reason, positions } = isBech32 ? bech32Problem(text) : base58Problem(text);
  return {
    valid: false,
    address: text,
    networks: [],
    encoding: isBech32 ? null : 'base58',
    type: null,
    scriptPubKey: null,
    witnessVersion: null,
    witnessProgram: null,
    problem,
    reason,
    positions: positions ?? [],
  };
}

interface Problem {
  readonly problem: AddressProblem;
  readonly reason: string;
  readonly positions?: readonly number[];
}

function bech32Problem(text: string): Problem {
  const places = (wrong: (character: string, at: number) => boolean): number[] =>
    [...text].flatMap((character, at) => (wrong(character, at) ? [at] : []));
  if (text.length > MAX_BECH32_LENGTH) {
    return {
      problem: 'length',
      reason: `it has ${text.length} characters, and no address has more than ${MAX_BECH32_LENGTH}`,
    };
  }
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) {
    const lower = places((character) => /[a-z]/.test(character));
    const upper = places((character) => /[A-Z]/.test(character));
    const positions = lower.length < upper.length ? lower : upper;
    return { problem: 'mixed_case', reason: 'a bech32 address is all lower or all upper case', positions };
  }
  const separator = text.lastIndexOf('1');
  const prefix = /^(bcrt|bc|tb)1/i.exec(text)?.[0].length ?? 0;
  const strange = places((character, at) => at >= prefix && !BECH32.includes(character.toLowerCase()));
  if (strange.length > 0) {
    return {
      problem: 'character',
      reason: 'bech32 has no such character (1, b, i and o are left out)',
      positions: strange,
    };
  }
  if (text.length - separator - 1 < 8)
    return { problem: 'length', reason: 'it is too short: something is missing at its end' };
  const check = checkBech32(text);
  if (!check.valid) {
    const { length } = check.positions;
    return {
      problem: 'checksum',
      reason:
        length === 0
          ? 'its checksum is wrong: more than two characters are, or some are missing'
          : `its checksum is wrong: most likely ${length === 1 ? 'one character is' : 'two characters are'} mistyped, at the position${length === 1 ? '' : 's'} given`,
      positions: check.positions,
    };
  }
  return contentProblem(text, separator, check.encoding === 'bech32');
}

/** The checksum is right, and what is in it is no address. */
function contentProblem(text: string, separator: number, isBech32: boolean): Problem {
  const data = text.slice(separator + 1, -6);
  const version = BECH32.indexOf((data[0] ?? '').toLowerCase());
  if (version > 16) return { problem: 'witness_version', reason: `there is no witness version ${version}` };
  if ((version === 0) !== isBech32) {
    return {
      problem: 'encoding',
      reason: `witness version ${version} is written in ${version === 0 ? 'bech32' : 'bech32m'} (BIP350), and this is ${isBech32 ? 'bech32' : 'bech32m'}`,
    };
  }
  const bytes = Math.floor(((data.length - 1) * 5) / 8);
  if (version === 1 && bytes === 32 && decodes(text)) {
    return {
      problem: 'key_not_on_curve',
      reason: 'its taproot key is not on the curve, so that nobody could spend from it',
    };
  }
  const reason =
    version === 0 && bytes !== 20 && bytes !== 32
      ? `a version 0 witness program has 20 or 32 bytes, and this has ${bytes}`
      : bytes < 2 || bytes > 40
        ? `a witness program has 2 to 40 bytes, and this has ${bytes}`
        : 'its last character carries bits that must be zero';
  return { problem: 'witness_program', reason };
}

function decodes(text: string): boolean {
  try {
    codec.fromBech32(text);
    return true;
  } catch {
    return false;
  }
}

function base58Problem(text: string): Problem {
  const strange = [...text].flatMap((character, at) => (BASE58.includes(character) ? [] : [at]));
  if (text.length === 0) return { problem: 'length', reason: 'it is empty' };
  if (strange.length > 0 || text.length > MAX_BECH32_LENGTH) {
    const starts = 'an address starts with bc1, tb1 or bcrt1, or is base58';
    return strange.length === 0
      ? {
          problem: 'length',
          reason: `it has ${text.length} characters, and no address has more than ${MAX_BECH32_LENGTH}`,
        }
      : {
          problem: 'character',
          reason: `${starts}, which has no such character (0, O, I and l are left out)`,
          positions: strange.slice(0, 10),
        };
  }
  if (text.length < 26 || text.length > 35) {
    return { problem: 'length', reason: `a base58 address has 26 to 35 characters, and this has ${text.length}` };
  }
  try {
    const { version } = codec.fromBase58Check(text);
    return { problem: 'version_byte', reason: `its version byte ${version} is no Bitcoin address's` };
  } catch {
    return { problem: 'checksum', reason: 'its checksum is wrong: base58 does not tell where' };
  }
}
