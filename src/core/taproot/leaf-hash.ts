import { createHash } from 'node:crypto';

/** A leaf version that nobody names is BIP342's tapscript. */
export const TAPSCRIPT_LEAF_VERSION = 0xc0;

const tagged = {
  TapLeaf: tagPrefix('TapLeaf'),
  TapBranch: tagPrefix('TapBranch'),
  TapTweak: tagPrefix('TapTweak'),
};

/** BIP341: tagged hash of leaf version, the script's length as a compact size, script. 32 bytes. */
export function tapLeafHash(script: Uint8Array, leafVersion: number = TAPSCRIPT_LEAF_VERSION): Buffer {
  return createHash('sha256')
    .update(tagged.TapLeaf)
    .update(leafHeader(script.length, leafVersion))
    .update(script)
    .digest();
}

/** BIP341: tagged hash of the two child hashes, the lexicographically smaller one first. 32 bytes. */
export function tapBranchHash(left: Uint8Array, right: Uint8Array): Buffer {
  const [first, second] = Buffer.compare(left, right) <= 0 ? [left, right] : [right, left];
  return createHash('sha256').update(tagged.TapBranch).update(first).update(second).digest();
}

/** BIP341: the scalar that is added to the x-only internal key; `merkleRoot` null where the output has no script path. 32 bytes. */
export function tapTweakHash(internalKey: Uint8Array, merkleRoot: Uint8Array | null): Buffer {
  const hash = createHash('sha256').update(tagged.TapTweak).update(internalKey);
  if (merkleRoot) hash.update(merkleRoot);
  return hash.digest();
}

function leafHeader(length: number, leafVersion: number): Buffer {
  if (length < 0xfd) return Buffer.from([leafVersion, length]);
  const header = Buffer.alloc(length <= 0xffff ? 4 : 6);
  header[0] = leafVersion;
  header[1] = length <= 0xffff ? 0xfd : 0xfe;
  if (length <= 0xffff) header.writeUInt16LE(length, 2);
  else header.writeUInt32LE(length, 2);
  return header;
}

/** BIP340: a tagged hash starts with the tag's own hash, twice. */
function tagPrefix(tag: string): Buffer {
  const hash = createHash('sha256').update(tag).digest();
  return Buffer.concat([hash, hash]);
}
