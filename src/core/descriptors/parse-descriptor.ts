/**
 * Descriptors of any kind as trees: BIP380 to 387, 389 and 390, with miniscript. Wallets (core/wallets/descriptors.ts) take fewer of them.
 */
import { HEX } from '../bytes.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { decodeAddress } from '../relay-policy/address.ts';
import { withoutChecksum } from '../wallets/descriptor-checksum.ts';
import type { DescriptorKey, KeyForm } from './descriptor-key.ts';
import type { DescriptorNode, InnerNode, MultiName, TreeNode } from './descriptor-node.ts';
import { argumentsOf, callOf, numberArgument } from './expression.ts';
import { expandMultipath } from './multipath.ts';
import { parseKey } from './musig-key.ts';
import { parseMiniscript } from './parse-miniscript.ts';

/** Larger ones fit no script that is relayed; a tree of leaves may. */
export const MAX_DESCRIPTOR_CHARACTERS = 10_000;
const MAX_TREE_DEPTH = 128;
const MAX_REDEEM_SCRIPT_SIZE = 520;

type Place = 'top' | 'sh' | 'wsh' | 'tr';

const REFUSED = new Map(
  Object.entries({
    rawnode: 'rawnode() is not supported: give the tree itself',
    sp: 'sp() (BIP392) stands for no fixed script and is not supported',
  }),
);

/** Where each function may stand. */
const PLACES: ReadonlyMap<string, readonly Place[]> = new Map(
  Object.entries<readonly Place[]>({
    pk: ['top', 'sh', 'wsh', 'tr'],
    pkh: ['top', 'sh', 'wsh', 'tr'],
    wpkh: ['top', 'sh'],
    combo: ['top'],
    sh: ['top'],
    wsh: ['top', 'sh'],
    tr: ['top'],
    rawtr: ['top'],
    addr: ['top'],
    raw: ['top'],
    multi: ['top', 'sh', 'wsh'],
    sortedmulti: ['top', 'sh', 'wsh'],
    multi_a: ['tr'],
    sortedmulti_a: ['tr'],
  }),
);
const MAX_KEYS: Readonly<Record<Place, number>> = { top: 3, sh: 20, wsh: 20, tr: 999 };

/**
 * The expressions that a descriptor stands for: one, or as many as its multipath steps have values (BIP389). Throws
 * `invalid_descriptor`, `wrong_network` or `unsupported`; nothing that was given is repeated but names of functions.
 */
export function parseDescriptorNodes(text: string, network: Network): DescriptorNode[] {
  return expandMultipath(descriptorBody(text)).map((one) => topNode(one, network));
}

/** The text without its checksum, which may be missing. Throws where what it says is refused before it is looked at. */
export function descriptorBody(text: string): string {
  if (text.length > MAX_DESCRIPTOR_CHARACTERS) {
    throw invalid(`a descriptor has at most ${MAX_DESCRIPTOR_CHARACTERS} characters`);
  }
  refusePrivateKeys(text);
  refuseUnsupported(text);
  return withoutChecksum(text.trim());
}

function refuseUnsupported(text: string): void {
  for (const [, name] of text.matchAll(/(?<![a-z0-9_])([a-z]+)\(/g)) {
    const reason = REFUSED.get(name as string);
    if (reason !== undefined) throw new DomainError('unsupported', reason);
  }
}

/** Before anything else looks at the text, so that no other refusal can tell of it. One xpub in some ten thousand has `xprv` within its base58. */
function refusePrivateKeys(text: string): void {
  if (
    !/(?<![1-9A-HJ-NP-Za-km-z])[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{20}|(?:^|[(,\]{])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?:[),/}#]|$)/.test(
      text,
    )
  )
    return;
  throw invalid(
    'the descriptor holds a private key: give its public form (xpub, tpub, hex). It was not kept; treat a key that left its home as known',
  );
}

function topNode(text: string, network: Network): DescriptorNode {
  const call = callAt(text, 'top');
  const { name, inside } = call;
  const key = (form: KeyForm): DescriptorKey => parseKey(inside, form, network);
  switch (name) {
    case 'wpkh':
      return { type: 'wpkh', key: key('compressed') };
    case 'combo':
      return { type: 'combo', key: key('any') };
    case 'rawtr':
      return { type: 'rawtr', key: key('x-only') };
    case 'addr':
      return { type: 'addr', address: inside, script: Buffer.from(decodeAddress(inside, network).scriptPubKey, 'hex') };
    case 'raw':
      if (!HEX.test(inside)) throw invalid('raw() takes a script in hex');
      return { type: 'raw', script: Buffer.from(inside, 'hex') };
    case 'tr': {
      const [internal, tree, ...more] = argumentsOf(inside);
      if (more.length > 0) throw invalid('tr() takes an internal key and at most one tree');
      return {
        type: 'tr',
        key: parseKey(internal as string, 'x-only', network),
        tree: tree === undefined ? null : treeNode(tree, network, 0),
      };
    }
    case 'wsh':
      return { type: 'wsh', inner: innerNode(inside, 'wsh', network) };
    case 'sh':
      return { type: 'sh', inner: scriptHashInner(inside, network) };
    default:
      return innerNode(text, 'top', network) as Exclude<InnerNode, { type: 'miniscript' }>;
  }
}

function scriptHashInner(text: string, network: Network): Extract<DescriptorNode, { type: 'sh' }>['inner'] {
  const { name, inside } = callAt(text, 'sh');
  if (name === 'wpkh') return { type: 'wpkh', key: parseKey(inside, 'compressed', network) };
  if (name === 'wsh') return { type: 'wsh', inner: innerNode(inside, 'wsh', network) };
  return innerNode(text, 'sh', network);
}

function innerNode(text: string, place: Place, network: Network): InnerNode {
  const form: KeyForm = place === 'tr' ? 'x-only' : place === 'wsh' ? 'compressed' : 'any';
  const keyOf = (key: string): DescriptorKey => parseKey(key, form, network);
  const call = callOf(text);
  if (call === null || !(PLACES.has(call.name) || call.name === 'musig')) {
    if (place === 'wsh' || place === 'tr') return miniscript(text, place, keyOf);
  }
  const { name, inside } = callAt(text, place);
  if (name === 'pk' || (name === 'pkh' && place !== 'tr')) return { type: name, key: keyOf(inside) };
  return name === 'pkh' ? miniscript(text, place, keyOf) : multiNode(name as MultiName, inside, place, keyOf);
}

function miniscript(text: string, place: Place, key: (text: string) => DescriptorKey): InnerNode {
  const tapscript = place === 'tr';
  return { type: 'miniscript', tapscript, root: parseMiniscript(text, { tapscript, key }) };
}

function multiNode(type: MultiName, inside: string, place: Place, key: (text: string) => DescriptorKey): InnerNode {
  const [threshold, ...expressions] = argumentsOf(inside);
  const most = MAX_KEYS[place];
  if (expressions.length < 1 || expressions.length > most) {
    throw invalid(`${type}() has 1 to ${most} keys ${place === 'top' ? 'where it stands bare' : `in ${place}()`}`);
  }
  const required = numberArgument(threshold, `the number of signatures of ${type}()`, 1, expressions.length);
  const keys = expressions.map(key);
  if (place === 'sh') refuseLongRedeemScript(keys);
  return { type, required, keys };
}

function refuseLongRedeemScript(keys: readonly DescriptorKey[]): void {
  const size = keys.reduce((total, key) => total + 1 + key.publicKeyAt(0).length, 3);
  if (size <= MAX_REDEEM_SCRIPT_SIZE) return;
  throw invalid(`the script in sh() has ${size} bytes, and at most ${MAX_REDEEM_SCRIPT_SIZE} can be spent`);
}

function treeNode(text: string, network: Network, depth: number): TreeNode {
  if (depth > MAX_TREE_DEPTH) throw invalid(`a leaf is at most ${MAX_TREE_DEPTH} branches deep`);
  if (!text.startsWith('{')) return { leaf: innerNode(text, 'tr', network) };
  if (!text.endsWith('}')) throw invalid('a branch of a tree is written {left,right}');
  const parts = argumentsOf(text.slice(1, -1));
  if (parts.length !== 2) throw invalid('a branch of a tree is written {left,right}');
  return {
    branches: [treeNode(parts[0] as string, network, depth + 1), treeNode(parts[1] as string, network, depth + 1)],
  };
}

/** The function at a place where one must stand. */
function callAt(text: string, place: Place): { name: string; inside: string } {
  const call = callOf(text);
  if (!call) {
    throw invalid('a descriptor is a script expression such as wpkh([d34db33f/84h/0h/0h]xpub…/0/*)');
  }
  if (call.name === 'musig')
    throw invalid('musig() is a key, not a script: it stands in tr() and rawtr(), as in tr(musig(…)/0/*)');
  const places = PLACES.get(call.name);
  if (places === undefined) {
    throw invalid(`descriptors have no function ${call.name.slice(0, 20)}(); miniscript stands in wsh() and tr() only`);
  }
  if (!places.includes(place)) {
    throw invalid(`${call.name}() cannot stand ${place === 'top' ? 'at the top' : `in ${place}()`}`);
  }
  return call;
}

const invalid = (message: string): DomainError => new DomainError('invalid_descriptor', message);
