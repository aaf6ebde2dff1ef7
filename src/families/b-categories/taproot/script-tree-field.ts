/** A script tree in a request: written out as it is, or its leaves with weights. */
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { treeFromDepths } from '../../../core/taproot/depth-first-tree.ts';
import { treeFromWeights, type WeightedLeaf } from '../../../core/taproot/huffman-tree.ts';
import { TAPSCRIPT_LEAF_VERSION } from '../../../core/taproot/leaf-hash.ts';
import { isLeafVersion, MAX_TREE_DEPTH, type TapTree } from '../../../core/taproot/script-tree.ts';
import { namedRequest } from '../../fields.ts';
import { hexField } from './taproot-fields.ts';

/** A record of an output and a list of them stay handy. */
const MAX_LEAVES = 512;
const MAX_SCRIPT_BYTES = 65_536;

const leafField = z.strictObject({
  script: hexField('Script', MAX_SCRIPT_BYTES),
  leaf_version: z
    .int()
    .refine(isLeafVersion, 'must be an even number from 0 to 254, and not 80 (0x50)')
    .default(TAPSCRIPT_LEAF_VERSION),
});

type Path = (string | number)[];

class Problem extends Error {
  readonly path: Path;
  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

/** Nested to any depth: the schema is not recursive, so that deep ones end here and not in the parser's stack. */
const scriptTreeField = z
  .unknown()
  .transform((value, context): TapTree => {
    try {
      return readTree(value, [], { leaves: 0, bytes: 0 });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      context.issues.push({ code: 'custom', message: error.message, input: '', path: error.path });
      return z.NEVER;
    }
  })
  .meta({
    description:
      'A leaf {script, leaf_version}, or an array of two trees: script in hex, leaf_version 192 (0xc0, tapscript) unless given; at most ' +
      `${MAX_LEAVES} leaves. Bodies are nested 32 levels at most: a deeper tree, up to ${MAX_TREE_DEPTH} branches, is given by leaves with depths`,
    examples: [[{ script: '51' }, [{ script: '52' }, { script: '53', leaf_version: 192 }]]],
  });

function readTree(value: unknown, path: Path, counted: { leaves: number; bytes: number }): TapTree {
  if (Array.isArray(value)) {
    if (path.length >= MAX_TREE_DEPTH) throw new Problem(path, `is deeper than ${MAX_TREE_DEPTH} branches`);
    if (value.length !== 2) throw new Problem(path, 'must be a leaf, or an array of two trees');
    return [readTree(value[0], [...path, 0], counted), readTree(value[1], [...path, 1], counted)];
  }
  const parsed = leafField.safeParse(value);
  if (!parsed.success) throw leafProblem(parsed.error.issues[0], path);
  const { script, leaf_version: leafVersion } = parsed.data;
  counted.leaves++;
  counted.bytes += script.length;
  if (counted.leaves > MAX_LEAVES) throw new Problem(path, `is one leaf too many: ${MAX_LEAVES} are taken`);
  if (counted.bytes > MAX_SCRIPT_BYTES) throw new Problem(path, `makes scripts of more than ${MAX_SCRIPT_BYTES} bytes`);
  return { script, leafVersion };
}

function leafProblem(issue: z.core.$ZodIssue | undefined, path: Path): Problem {
  const at = [...path, ...((issue?.path ?? []) as Path)];
  if (issue?.code === 'unrecognized_keys')
    return new Problem([...at, ...issue.keys.slice(0, 1)], 'is not a known field');
  if (issue?.path.length === 0)
    return new Problem(at, 'must be a leaf {script, leaf_version}, or an array of two trees');
  if (issue?.code === 'invalid_type') {
    return new Problem(at, issue.expected === 'string' ? 'must be a string of hex' : 'must be a whole number');
  }
  return new Problem(at, issue?.message ?? 'is not a leaf');
}

/** Weights are bounded so that no tree of theirs is too deep: 10^21 apart they make 101 branches at most. */
const leavesField = z
  .array(
    namedRequest('ScriptTreeLeaf', {
      ...leafField.shape,
      weight: z.number().min(1e-6, 'must be at least 0.000001').max(1e15, 'must be at most 10^15').optional(),
      depth: z
        .int()
        .min(0, 'must not be negative')
        .max(MAX_TREE_DEPTH, `must be at most ${MAX_TREE_DEPTH}`)
        .optional()
        .meta({ description: 'Branches above it: of all leaves, or of none' }),
    }),
  )
  .min(1, 'must not be empty')
  .max(MAX_LEAVES, `must have at most ${MAX_LEAVES} members`)
  .refine(
    (leaves) => leaves.reduce((sum, { script }) => sum + script.length, 0) <= MAX_SCRIPT_BYTES,
    `must have scripts of at most ${MAX_SCRIPT_BYTES} bytes together`,
  )
  .transform((leaves, context): TapTree => {
    try {
      return treeOfLeaves(leaves);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      context.issues.push({ code: 'custom', message: `do not fit together: ${error.message}`, input: '' });
      return z.NEVER;
    }
  })
  .meta({
    description:
      'Instead of script_tree: with depths, from left to right, the tree that has them so (as in BIP371); else the tree with the heaviest ' +
      'leaves nearest to the root (Huffman), weight 1 unless given',
  });

interface GivenLeaf {
  readonly script: Buffer;
  readonly leaf_version: number;
  readonly weight?: number | undefined;
  readonly depth?: number | undefined;
}

function treeOfLeaves(leaves: readonly GivenLeaf[]): TapTree {
  const placed = leaves.filter(({ depth }) => depth !== undefined);
  if (placed.length === 0) {
    const weighted = leaves.map(
      ({ script, leaf_version: leafVersion, weight = 1 }): WeightedLeaf => ({ script, leafVersion, weight }),
    );
    return treeFromWeights(weighted as [WeightedLeaf, ...WeightedLeaf[]]);
  }
  if (placed.length < leaves.length || leaves.some(({ weight }) => weight !== undefined)) {
    throw new DomainError('invalid_script', 'either every leaf has a depth and none a weight, or none has a depth');
  }
  return treeFromDepths(
    leaves.map(({ script, leaf_version, depth }) => ({ script, leafVersion: leaf_version, depth: depth as number })),
  );
}

/** At most one of both; neither: no script path. */
export const treeFields = { script_tree: scriptTreeField.optional(), leaves: leavesField.optional() };

export const oneTree = (given: { script_tree?: unknown; leaves?: unknown }): boolean =>
  given.script_tree === undefined || given.leaves === undefined;
export const TWO_TREES = {
  path: ['leaves'],
  message: 'must not stand beside script_tree: both say which tree it is',
};

export const treeOf = (given: { script_tree?: TapTree | undefined; leaves?: TapTree | undefined }): TapTree | null =>
  given.script_tree ?? given.leaves ?? null;
