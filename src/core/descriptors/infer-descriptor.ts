import { hash160 } from '../hashes.ts';
import type { Network } from '../network.ts';
import { scriptAddress } from '../relay-policy/script-address.ts';
import { outputKind, witnessProgram } from '../relay-policy/standard-scripts.ts';
import { decodeMiniscript } from '../scripts/miniscript/decode-miniscript.ts';
import { p2sh, p2wsh } from '../scripts/output-scripts.ts';
import { multisigOf } from '../scripts/script-elements.ts';
import { analyzeMiniscript } from './analyze-miniscript.ts';
import { type DescriptorKey, type KeyForm, type KeyOrigin, parseDescriptorKey, pathText } from './descriptor-key.ts';
import type { DescriptorNode, InnerNode } from './descriptor-node.ts';
import { scriptsAt } from './descriptor-scripts.ts';
import { nameMiniscriptKeys } from './name-miniscript-keys.ts';

export interface KnownKey {
  /** 32 (x-only), 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin | null;
}

/** What is known beyond a script: scripts that it may hash, keys that it may hash or whose origin is known. */
export interface KnownParts {
  readonly scripts: readonly Uint8Array[];
  readonly keys: readonly KnownKey[];
}

type Place = 'top' | 'sh' | 'wsh';

/**
 * The descriptor that says most of a script with what is known: Bitcoin Core's InferDescriptor. What cannot be told is addr(), or
 * raw() where there is no address.
 */
export function inferDescriptor(script: Uint8Array, known: KnownParts, network: Network): DescriptorNode {
  const inferred = inferTop(script, known, network);
  if (inferred !== null) return inferred;
  const address = scriptAddress(script, network);
  const bytes = Buffer.from(script);
  return address === null ? { type: 'raw', script: bytes } : { type: 'addr', address, script: bytes };
}

function inferTop(script: Uint8Array, known: KnownParts, network: Network): DescriptorNode | null {
  const kind = outputKind(script);
  const program = witnessProgram(script)?.program ?? new Uint8Array(0);
  if (kind === 'p2wpkh') return single('wpkh', keyByHash(program, known, 'compressed', network));
  if (kind === 'p2tr') return inferTaproot(script, program, known, network);
  if (kind === 'p2wsh') return inferWsh(script, known, network);
  if (kind === 'p2sh') {
    const redeem = known.scripts.find((candidate) => p2sh(candidate).equals(script));
    if (redeem === undefined) return null;
    const inner = inferSh(redeem, known, network);
    return inner && { type: 'sh', inner };
  }
  return inferInner(script, 'top', known, network) as Exclude<InnerNode, { type: 'miniscript' }> | null;
}

function inferSh(
  redeem: Uint8Array,
  known: KnownParts,
  network: Network,
): Extract<DescriptorNode, { type: 'sh' }>['inner'] | null {
  const kind = outputKind(redeem);
  if (kind === 'p2wpkh') {
    return single('wpkh', keyByHash(redeem.subarray(2), known, 'compressed', network));
  }
  return kind === 'p2wsh' ? inferWsh(redeem, known, network) : inferInner(redeem, 'sh', known, network);
}

function inferWsh(
  script: Uint8Array,
  known: KnownParts,
  network: Network,
): Extract<DescriptorNode, { type: 'wsh' }> | null {
  const witnessScript = known.scripts.find((candidate) => p2wsh(candidate).equals(script));
  const inner = witnessScript === undefined ? null : inferInner(witnessScript, 'wsh', known, network);
  return inner && { type: 'wsh', inner };
}

const single = (type: 'wpkh', key: DescriptorKey | null): { type: 'wpkh'; key: DescriptorKey } | null =>
  key && { type, key };

function inferInner(script: Uint8Array, place: Place, known: KnownParts, network: Network): InnerNode | null {
  const form: KeyForm = place === 'wsh' ? 'compressed' : 'any';
  const kind = outputKind(script);
  if (kind === 'p2pk') {
    const key = keyOf(script.subarray(1, -1), known, form, network);
    if (key) return { type: 'pk', key };
  }
  if (kind === 'p2pkh') {
    const key = keyByHash(script.subarray(3, 23), known, form, network);
    if (key) return { type: 'pkh', key };
  }
  const multisig = multisigOf(script);
  if (multisig) {
    const keys = multisig.keys.map((key) => keyOf(key, known, form, network));
    // As Core does, a bare one of more than three keys, too, which neither takes as text.
    if (keys.every((key) => key !== null)) {
      return { type: 'multi', required: multisig.required, keys };
    }
  }
  return place === 'wsh' ? inferMiniscript(script, known, network) : null;
}

function inferMiniscript(script: Uint8Array, known: KnownParts, network: Network): InnerNode | null {
  const decoded = decodeMiniscript(script, 'segwit-v0');
  const root =
    decoded &&
    nameMiniscriptKeys(decoded, {
      key: (publicKey) => keyOf(publicKey, known, 'compressed', network),
      keyOfHash: (hash) => keyByHash(hash, known, 'compressed', network),
    });
  if (root === null) return null;
  try {
    return analyzeMiniscript(root, false).sane ? { type: 'miniscript', tapscript: false, root } : null;
  } catch {
    return null; // its types do not fit: not a miniscript after all
  }
}

function inferTaproot(
  script: Uint8Array,
  program: Uint8Array,
  known: KnownParts,
  network: Network,
): DescriptorNode | null {
  for (const { publicKey } of known.keys) {
    const key = keyOf(publicKey, known, 'x-only', network);
    if (key === null) continue;
    const node = { type: 'tr', key, tree: null } as const;
    if (scriptsAt(node, 0)[0]?.scriptPubKey.equals(script)) return node;
  }
  const key = keyOf(program, known, 'x-only', network);
  return key && { type: 'rawtr', key };
}

/** The key with its origin where that is known; null where it is not a key of that form. */
function keyOf(publicKey: Uint8Array, known: KnownParts, form: KeyForm, network: Network): DescriptorKey | null {
  const xOnly = (key: Uint8Array): Uint8Array => (key.length === 32 ? key : key.subarray(1));
  const same = (key: Uint8Array): boolean =>
    form === 'x-only' ? Buffer.compare(xOnly(key), xOnly(publicKey)) === 0 : Buffer.compare(key, publicKey) === 0;
  const origin = known.keys.find((candidate) => candidate.origin !== null && same(candidate.publicKey))?.origin;
  const prefix = origin ? `[${origin.fingerprint}${pathText(origin.path)}]` : '';
  try {
    return parseDescriptorKey(`${prefix}${Buffer.from(publicKey).toString('hex')}`, form, network);
  } catch {
    return null;
  }
}

function keyByHash(hash: Uint8Array, known: KnownParts, form: KeyForm, network: Network): DescriptorKey | null {
  const match = known.keys.find(({ publicKey }) => hash160(publicKey).equals(hash));
  return match ? keyOf(match.publicKey, known, form, network) : null;
}
