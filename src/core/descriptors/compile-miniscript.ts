import { hash160 } from '../hashes.ts';
import { pushData, pushNumber } from '../scripts/push.ts';
import type { MiniscriptNode } from './descriptor-node.ts';

const BINARY_SCRIPT = {
  and_v: (x: Buffer, y: Buffer) => [x, y],
  and_b: (x: Buffer, y: Buffer) => [x, y, op(0x9a)],
  or_b: (x: Buffer, y: Buffer) => [x, y, op(0x9b)],
  or_c: (x: Buffer, y: Buffer) => [x, op(0x64), y, op(0x68)],
  or_d: (x: Buffer, y: Buffer) => [x, op(0x73, 0x64), y, op(0x68)],
  or_i: (x: Buffer, y: Buffer) => [op(0x63), x, op(0x67), y, op(0x68)],
} as const;
const HASH_OPCODE = { sha256: 0xa8, hash256: 0xaa, ripemd160: 0xa6, hash160: 0xa9 } as const;

/** The script of a miniscript at an index (https://bitcoin.sipa.be/miniscript, translation table). */
export function compileMiniscript(root: MiniscriptNode, index: number, tapscript: boolean): Buffer {
  /** `verify`: the node stands in v:, so that its last opcode becomes its VERIFY form where it has one. */
  const compile = (node: MiniscriptNode, verify: boolean): Buffer => {
    const key = (at: { publicKeyAt(index: number): Uint8Array }): Uint8Array =>
      tapscript ? at.publicKeyAt(index).subarray(1) : at.publicKeyAt(index);
    switch (node.type) {
      case '0':
        return op(0x00);
      case '1':
        return op(0x51);
      case 'pk_k':
        return pushData(key(node.key));
      case 'pk_h':
        return Buffer.concat([op(0x76, 0xa9), pushData(hash160(key(node.key))), op(0x88)]);
      case 'older':
        return Buffer.concat([pushNumber(node.value), op(0xb2)]);
      case 'after':
        return Buffer.concat([pushNumber(node.value), op(0xb1)]);
      case 'sha256':
      case 'hash256':
      case 'ripemd160':
      case 'hash160':
        return Buffer.concat([
          op(0x82, 0x01, 0x20, 0x88, HASH_OPCODE[node.type]),
          pushData(node.hash),
          op(verify ? 0x88 : 0x87),
        ]);
      case 'and_v':
        return Buffer.concat([compile(node.subs[0], false), compile(node.subs[1], verify)]);
      case 'and_b':
      case 'or_b':
      case 'or_c':
      case 'or_d':
      case 'or_i':
        return Buffer.concat(BINARY_SCRIPT[node.type](compile(node.subs[0], false), compile(node.subs[1], false)));
      case 'andor': {
        const [x, y, z] = node.subs;
        return Buffer.concat([compile(x, false), op(0x64), compile(z, false), op(0x67), compile(y, false), op(0x68)]);
      }
      case 'thresh':
        return Buffer.concat([
          ...node.subs.map((sub, at) =>
            at === 0 ? compile(sub, false) : Buffer.concat([compile(sub, false), op(0x93)]),
          ),
          pushNumber(node.required),
          op(verify ? 0x88 : 0x87),
        ]);
      case 'multi':
        return multisigScript(node.required, node.keys.map(key), verify);
      case 'multi_a':
        return multiAScript(node.required, node.keys.map(key), verify);
      case 'a':
        return Buffer.concat([op(0x6b), compile(node.sub, false), op(0x6c)]);
      case 's':
        return Buffer.concat([op(0x7c), compile(node.sub, verify)]);
      case 'c':
        return Buffer.concat([compile(node.sub, false), op(verify ? 0xad : 0xac)]);
      case 'd':
        return Buffer.concat([op(0x76, 0x63), compile(node.sub, false), op(0x68)]);
      case 'v':
        return hasVerifyForm(node.sub) ? compile(node.sub, true) : Buffer.concat([compile(node.sub, false), op(0x69)]);
      case 'j':
        return Buffer.concat([op(0x82, 0x92, 0x63), compile(node.sub, false), op(0x68)]);
      case 'n':
        return Buffer.concat([compile(node.sub, false), op(0x92)]);
    }
  };
  return compile(root, false);
}

/** Whether the last opcode of a node's script has a VERIFY form (miniscript's property x, negated). */
function hasVerifyForm(node: MiniscriptNode): boolean {
  switch (node.type) {
    case 'and_v':
      return hasVerifyForm(node.subs[1]);
    case 's':
      return hasVerifyForm(node.sub);
    default:
      return ['c', 'sha256', 'hash256', 'ripemd160', 'hash160', 'thresh', 'multi', 'multi_a'].includes(node.type);
  }
}

/** k of n by OP_CHECKMULTISIG, keys in the order given. */
export function multisigScript(required: number, keys: readonly Uint8Array[], verify = false): Buffer {
  return Buffer.concat([
    pushNumber(required),
    ...keys.map(pushData),
    pushNumber(keys.length),
    op(verify ? 0xaf : 0xae),
  ]);
}

/** k of n by OP_CHECKSIGADD over x-only keys (BIP387). */
export function multiAScript(required: number, keys: readonly Uint8Array[], verify = false): Buffer {
  return Buffer.concat([
    ...keys.flatMap((key, at) => [pushData(key), op(at === 0 ? 0xac : 0xba)]),
    pushNumber(required),
    op(verify ? 0x9d : 0x9c),
  ]);
}

const op = (...opcodes: number[]): Buffer => Buffer.from(opcodes);
