import { DomainError } from '../../errors.ts';
import { hash160 } from '../../hashes.ts';
import type { PrivateNode } from '../../keys/private-node.ts';
import type { KeyDerivation, PsbtSigner, SigningKey } from './signing-key.ts';

export interface DerivationRoot {
  /** Taken over. */
  readonly node: PrivateNode;
  readonly depth: number;
  /** The last step of the path that leads to it. */
  readonly childNumber: number;
  readonly origin: { readonly fingerprint: string; readonly path: readonly number[] } | null;
}

/** BIP32 counts depth in one byte. */
const MAX_PATH_LENGTH = 255;
/** Inputs of one branch take one step each; beyond this somebody wants to keep us busy. */
const MAX_STEPS = 50_000;
const MAX_KEPT = 256;

/**
 * Signs for the derivations of one extended key: those that start at its origin; those of its own fingerprint; and, of a key below the
 * master that comes without origin, those whose path goes through its depth and child number. The key that a path leads to is given
 * only where its public key is the one that the PSBT says. Nodes above the last step are kept, so that a batch derives each branch once.
 */
export function createDerivingSigner({ node, depth, childNumber, origin }: DerivationRoot): PsbtSigner {
  const ownFingerprint = hash160(node.publicKey).toString('hex', 0, 4);
  const kept = new Map<string, PrivateNode>();
  let steps = 0;
  let disposed = false;

  const forget = (): void => {
    for (const parent of kept.values()) parent.dispose();
    kept.clear();
  };
  const step = (parent: PrivateNode, index: number): PrivateNode => {
    if (++steps > MAX_STEPS) throw new DomainError('too_large', 'the PSBT has more derivation steps than are followed');
    return parent.child(index);
  };
  /** The node of a path, kept: not the caller's to dispose of. */
  const keptNode = (path: readonly number[]): PrivateNode => {
    if (path.length === 0) return node;
    const name = path.join('/');
    const known = kept.get(name);
    if (known) return known;
    const parent = keptNode(path.slice(0, -1));
    const made = step(parent, path[path.length - 1] as number);
    kept.set(name, made);
    return made;
  };

  const keyAt = (path: readonly number[], publicKey: Uint8Array): SigningKey | null => {
    if (path.length > MAX_PATH_LENGTH) return null;
    if (kept.size > MAX_KEPT) forget();
    const found = path.length === 0 ? node : step(keptNode(path.slice(0, -1)), path[path.length - 1] as number);
    const own = isPointOf(publicKey, found.publicKey);
    const key = own ? { privateKey: Uint8Array.from(found.privateKey), publicKey: found.publicKey } : null;
    if (found !== node) found.dispose();
    return key;
  };

  /** Paths from this key on that may lead to the derivation's. */
  const pathsFrom = ({ fingerprint, path }: KeyDerivation): (readonly number[])[] => {
    const paths: (readonly number[])[] = [];
    if (origin !== null && fingerprint === origin.fingerprint && startsWith(path, origin.path))
      paths.push(path.slice(origin.path.length));
    if (fingerprint === ownFingerprint) paths.push(path);
    if (origin === null && depth > 0 && path.length >= depth && path[depth - 1] === childNumber)
      paths.push(path.slice(depth));
    return paths;
  };

  return {
    without: 'no derivation path of this key is given for it',
    keysFor(derivations) {
      if (disposed) throw new Error('the signer has been disposed of');
      const keys: SigningKey[] = [];
      for (const derivation of derivations)
        for (const path of pathsFrom(derivation)) {
          const key = keyAt(path, derivation.publicKey);
          if (key === null) continue;
          keys.push(key);
          break;
        }
      return keys;
    },
    dispose() {
      disposed = true;
      forget();
      node.dispose();
    },
  };
}

const startsWith = (path: readonly number[], start: readonly number[]): boolean =>
  path.length >= start.length && start.every((index, at) => path[at] === index);

/** Whether `given` (33 bytes, or x-only) is the point. */
const isPointOf = (given: Uint8Array, point: Uint8Array): boolean =>
  Buffer.compare(given, given.length === 32 ? point.subarray(1) : point) === 0;
