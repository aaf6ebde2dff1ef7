import { analyzeMiniscript } from '@bitcoinerlab/miniscript';
import fc from 'fast-check';
import { sha256 } from '../../../../src/core/hashes.ts';
import { testKey } from '../../psbt/spend-cases.ts';

export const KEYS = Array.from({ length: 16 }, (_, index) => testKey(`miniscript ${index}`));
export const PREIMAGES = Array.from({ length: 16 }, (_, index) => sha256(Buffer.from(`preimage ${index}`)));

const older = fc.constantFrom(1, 5, 16, 17, 144, 40_000).map((value) => `older(${value})`);
const after = fc.constantFrom(1, 16, 17, 100, 200, 70_000).map((value) => `after(${value})`);

/** Expressions by type; K and H stand for keys and hashes to be filled in, so that each is used once. */
const { base } = fc.letrec<{ base: string; unit: string; verify: string; wrapped: string }>((tie) => ({
  unit: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant('c:pk_k(K)'),
    fc.constant('c:pk_h(K)'),
    fc.constant('multi(2,K,K,K)'),
    fc.constant('j:and_v(v:c:pk_k(K),sha256(H))'),
    fc.tuple(tie('unit'), tie('wrapped')).map(([x, y]) => `or_b(${x},${y})`),
    fc.tuple(tie('unit'), tie('unit')).map(([x, y]) => `or_d(${x},${y})`),
    fc.tuple(tie('unit'), tie('unit')).map(([x, y]) => `or_i(${x},${y})`),
    fc.tuple(tie('unit'), tie('wrapped')).map(([x, y]) => `and_b(${x},${y})`),
    fc.tuple(tie('unit'), tie('wrapped'), tie('wrapped')).map((subs) => `thresh(2,${subs.join(',')})`),
    tie('base').map((x) => `n:or_i(0,${x})`),
    tie('unit').map((x) => `andor(${x},c:pk_k(K),c:pk_k(K))`),
  ),
  base: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('unit'),
    older,
    after,
    fc.constantFrom('sha256(H)', 'hash256(H)', 'n:sha256(H)'),
    fc.tuple(tie('verify'), tie('base')).map(([x, y]) => `and_v(${x},${y})`),
    fc.tuple(tie('unit'), tie('base')).map(([x, y]) => `or_d(${x},${y})`),
    fc.tuple(tie('base'), tie('base')).map(([x, y]) => `or_i(${x},${y})`),
    fc.tuple(tie('unit'), tie('base'), tie('base')).map((args) => `andor(${args.join(',')})`),
  ),
  verify: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant('v:c:pk_k(K)'),
    tie('base').map((x) => `v:${x}`),
    fc.tuple(tie('verify'), tie('verify')).map(([x, y]) => `and_v(${x},${y})`),
    fc.tuple(tie('unit'), tie('verify')).map(([x, y]) => `or_c(${x},${y})`),
  ),
  wrapped: fc.oneof(
    { depthSize: 'small' },
    fc.constant('s:c:pk_k(K)'),
    tie('unit').map((x) => `a:${x}`),
  ),
})) as unknown as { base: fc.Arbitrary<string> };

function filled(template: string, tapscript: boolean): string | null {
  let [key, hash] = [0, 0];
  const text = template
    .replaceAll('multi(', tapscript ? 'multi_a(' : 'multi(')
    .replace(/K/g, () => {
      const next = KEYS[key++];
      return next ? (tapscript ? next.xOnly : next.point).toString('hex') : '';
    })
    .replace(/(sha256|hash256)\(H\)/g, (_, name: string) => {
      const preimage = PREIMAGES[hash++ % PREIMAGES.length]!;
      return `${name}(${(name === 'sha256' ? sha256(preimage) : sha256(sha256(preimage))).toString('hex')})`;
    });
  return key <= KEYS.length ? text : null;
}

/** Valid miniscripts; sane ones mostly. */
export const arbitraryMiniscript = fc
  .tuple(base, fc.boolean())
  .map(([template, tapscript]) => ({ text: filled(template, tapscript) ?? '', tapscript }))
  .filter(({ text, tapscript }) => text !== '' && analyzeMiniscript(text, { tapscript }).valid);
