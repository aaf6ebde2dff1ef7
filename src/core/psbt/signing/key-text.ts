import { DomainError } from '../../errors.ts';
import { decodeBase58Check } from '../../keys/base58check.ts';
import { ecc } from '../../keys/ecc.ts';
import { HARDENED, PrivateNode } from '../../keys/private-node.ts';
import type { Network } from '../../network.ts';

export interface PlainKey {
  readonly kind: 'plain';
  readonly privateKey: Uint8Array;
  /** null where the text does not say which form its public key has. */
  readonly compressed: boolean | null;
}

export interface ExtendedKey {
  readonly kind: 'extended';
  readonly node: PrivateNode;
  readonly depth: number;
  /** The last step of its own path; hardened ones have bit 31. */
  readonly childNumber: number;
  /** Written before the key: where it comes from. */
  readonly origin: { readonly fingerprint: string; readonly path: readonly number[] } | null;
}

const MAX_LENGTH = 600;
const EXTENDED_SIZE = 78;
const VERSIONS: Readonly<Record<number, { mainnet: boolean }>> = {
  76066276: { mainnet: true },
  70615956: { mainnet: false },
};
const ORIGIN = /^\[([0-9a-fA-F]{8})((?:\/[0-9]{1,10}[h'H]?)*)\](.*)$/;

/**
 * Reads WIF or 64 hex digits, the key of one public key. The caller overwrites the key's bytes. Throws `invalid_key`, which speaks of no
 * other form, or `wrong_network`; nothing of the text is in the message.
 */
export function parsePlainKeyText(given: string, network: Network): PlainKey {
  if (/^(\[.*\])?[a-zA-Z](prv|pub)/.test(given.trim()))
    throw invalidPlain('an extended key stands for many, and here it is one that signs');
  try {
    return parseKeyText(given, network) as PlainKey;
  } catch (error) {
    if (!(error instanceof InvalidKeyText)) throw error;
    throw invalidPlain(error.problem);
  }
}

/**
 * Reads WIF, an extended private key (BIP32), `[fingerprint/path]` before it being optional, or 64 hex digits. The caller overwrites the
 * key's bytes. Throws `invalid_key` or `wrong_network`; nothing of the text is in the message.
 */
export function parseKeyText(given: string, network: Network): PlainKey | ExtendedKey {
  const text = given.trim();
  if (text.length > MAX_LENGTH) throw invalid('it is longer than any');
  if (/^[0-9a-fA-F]{64}$/.test(text)) return plain(Buffer.from(text, 'hex'), null);
  if (/^(\[.*\])?[xt]prv/.test(text)) return extended(text, network);
  if (/^(\[.*\])?[xt]pub/.test(text)) throw invalid('it is an extended public key: only the private one signs');
  if (/^(\[.*\])?[yzuvYZUV]prv/.test(text)) throw invalid("it has SLIP132's prefix: write it as xprv or tprv");
  return wif(text, network);
}

function wif(text: string, network: Network): PlainKey {
  const compressed = decodeBase58Check(text, 34);
  const payload = compressed ?? decodeBase58Check(text, 33);
  if (payload === null || (compressed !== null && payload[33] !== 1)) {
    payload?.fill(0);
    throw invalid('it is mistyped or of another form');
  }
  const version = payload[0];
  const privateKey = Uint8Array.prototype.slice.call(payload, 1, 33);
  payload.fill(0);
  if (version !== 0x80 && version !== 0xef) {
    privateKey.fill(0);
    throw invalid('it is base58, but no WIF');
  }
  return onNetwork(plain(privateKey, compressed !== null), version === 0x80, network, () => privateKey.fill(0));
}

function extended(text: string, network: Network): ExtendedKey {
  const [, fingerprint, steps, rest] = ORIGIN.exec(text) ?? [];
  const payload = decodeBase58Check(rest ?? text, EXTENDED_SIZE);
  if (payload === null) throw invalid('the extended key is mistyped (base58check fails), or has steps behind it');
  const version = VERSIONS[payload.readUInt32BE(0)];
  const depth = payload[4] as number;
  const childNumber = payload.readUInt32BE(9);
  const chainCode = Uint8Array.prototype.slice.call(payload, 13, 45);
  const marker = payload[45];
  const privateKey = Uint8Array.prototype.slice.call(payload, 46, 78);
  payload.fill(0);
  const node = new PrivateNode(privateKey, chainCode);
  const refuse = (reason: string): DomainError => {
    node.dispose();
    return invalid(reason);
  };
  if (!version || marker !== 0) throw refuse('it is no extended private key');
  if (!ecc.isPrivate(privateKey)) throw refuse('it is zero, or not below the order of secp256k1');
  const path = fingerprint === undefined ? null : pathOf(steps as string);
  if (path?.some((step) => step >= 2 * HARDENED)) throw refuse('a step of its origin is not below 2^31');
  const origin = path && { fingerprint: (fingerprint as string).toLowerCase(), path };
  const key: ExtendedKey = { kind: 'extended', node, depth, childNumber, origin };
  return onNetwork(key, version.mainnet, network, () => node.dispose());
}

function plain(privateKey: Uint8Array, compressed: boolean | null): PlainKey {
  if (ecc.isPrivate(privateKey)) return { kind: 'plain', privateKey, compressed };
  privateKey.fill(0);
  throw invalid('it is zero, or not below the order of secp256k1');
}

/** "/84h/1'/0": a step out of range comes out above 2^32. */
function pathOf(steps: string): number[] {
  return steps
    .split('/')
    .slice(1)
    .map((step) => {
      const index = Number.parseInt(step, 10);
      if (index >= HARDENED) return 2 * HARDENED;
      return /[h'H]$/.test(step) ? index + HARDENED : index;
    });
}

function onNetwork<Key>(key: Key, mainnet: boolean, network: Network, wipe: () => void): Key {
  if (mainnet === (network === 'mainnet')) return key;
  wipe();
  throw new DomainError(
    'wrong_network',
    `the key is one of ${mainnet ? 'mainnet' : 'a test network'}, and this service runs on ${network}`,
    { field: 'key' },
  );
}

class InvalidKeyText extends DomainError {
  readonly problem: string;

  constructor(forms: string, problem: string) {
    super('invalid_key', `a private key to sign with is ${forms}: ${problem}`, { field: 'key' });
    this.problem = problem;
  }
}

const invalidPlain = (reason: string): DomainError => new InvalidKeyText('WIF or 64 hex digits', reason);

const invalid = (reason: string): DomainError =>
  new InvalidKeyText(
    'WIF, an extended private key (xprv, tprv; [fingerprint/path] may stand before it) or 64 hex digits',
    reason,
  );
