import type { DescriptorKey } from './descriptor-key.ts';
import type { MiniscriptNode } from './descriptor-node.ts';

/** A miniscript as Bitcoin Core writes it: sugar where there is some, wrappers of one run together. `keyText` writes a key. */
export function writeMiniscript(root: MiniscriptNode, keyText: (key: DescriptorKey) => string): string {
  const write = (node: MiniscriptNode): { wrappers: string; body: string } => {
    const plain = (body: string) => ({ wrappers: '', body });
    const all = (subs: readonly MiniscriptNode[]): string => subs.map(joined).join(',');
    const wrapped = (letter: string, sub: MiniscriptNode) => {
      const inner = write(sub);
      return { wrappers: letter + inner.wrappers, body: inner.body };
    };
    switch (node.type) {
      case '0':
      case '1':
        return plain(node.type);
      case 'pk_k':
      case 'pk_h':
        return plain(`${node.type}(${keyText(node.key)})`);
      case 'older':
      case 'after':
        return plain(`${node.type}(${node.value})`);
      case 'sha256':
      case 'hash256':
      case 'ripemd160':
      case 'hash160':
        return plain(`${node.type}(${node.hash.toString('hex')})`);
      case 'multi':
      case 'multi_a':
        return plain(`${node.type}(${[node.required, ...node.keys.map(keyText)].join(',')})`);
      case 'thresh':
        return plain(`thresh(${node.required},${all(node.subs)})`);
      case 'andor':
        return node.subs[2].type === '0'
          ? plain(`and_n(${all(node.subs.slice(0, 2))})`)
          : plain(`andor(${all(node.subs)})`);
      case 'and_v':
        return node.subs[1].type === '1' ? wrapped('t', node.subs[0]) : plain(`and_v(${all(node.subs)})`);
      case 'or_i':
        if (node.subs[0].type === '0') return wrapped('l', node.subs[1]);
        return node.subs[1].type === '0' ? wrapped('u', node.subs[0]) : plain(`or_i(${all(node.subs)})`);
      case 'and_b':
      case 'or_b':
      case 'or_c':
      case 'or_d':
        return plain(`${node.type}(${all(node.subs)})`);
      case 'c':
        if (node.sub.type === 'pk_k') return plain(`pk(${keyText(node.sub.key)})`);
        if (node.sub.type === 'pk_h') return plain(`pkh(${keyText(node.sub.key)})`);
        return wrapped('c', node.sub);
      default:
        return wrapped(node.type, node.sub);
    }
  };
  const joined = (node: MiniscriptNode): string => {
    const { wrappers, body } = write(node);
    return wrappers === '' ? body : `${wrappers}:${body}`;
  };
  return joined(root);
}
