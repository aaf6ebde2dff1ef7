/** Outputs that an account keeps, for the scripts and control blocks that spend them. */
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { isBranch, type TapTree, tapLeaf } from '../../core/taproot/script-tree.ts';
import { type TaprootOutput, taprootAddress, taprootOutput } from '../../core/taproot/taproot-output.ts';
import type { PageRequest } from '../../store/records.ts';
import type { StoredTree, TaprootOutputFilter, TaprootOutputRecord } from '../../store/repositories/taproot-outputs.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

export interface OutputNames {
  readonly name: string | null;
  readonly externalId: string | null;
}

export interface NewTaprootOutput extends OutputNames {
  /** x-only, 32 bytes. */
  readonly internalKey: Uint8Array;
  readonly tree: TapTree | null;
}

export interface TaprootOutputDependencies {
  readonly store: Store;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function createTaprootOutputs(deps: TaprootOutputDependencies) {
  const { store, network, clock, randomBytes } = deps;
  return {
    /** Throws `invalid_key` at internal_key, `invalid_script` at script_tree. */
    async create({ internalKey, tree, name, externalId }: NewTaprootOutput, context: RequestContext) {
      const output = outputAt(internalKey, tree);
      const at = clock();
      const record: TaprootOutputRecord = {
        outputId: newId('tro', randomBytes),
        accountId: context.accountId,
        ...{ name, externalId, network },
        internalKey: hex(internalKey),
        tree: tree && storedTree(tree),
        leafCount: output.leaves.length,
        merkleRoot: output.merkleRoot && hex(output.merkleRoot),
        outputKey: hex(output.outputKey),
        parity: output.parity,
        scriptPubKey: hex(output.scriptPubKey),
        address: taprootAddress(output.outputKey, network),
        createdAt: at,
        updatedAt: at,
      };
      const result = { record, output };
      return store.write(async (tx) => {
        await tx.taprootOutputs.insert(record);
        await recordRequest(tx, context, { result, target: record.outputId });
        return result;
      });
    },

    /** Throws `not_found`. */
    get: async (outputId: string, { accountId }: RequestContext) =>
      viewOf(await outputOf(store.read, accountId, outputId)),
    list: (filter: TaprootOutputFilter, page: PageRequest, { accountId }: RequestContext) =>
      store.read.taprootOutputs.list(accountId, filter, page),

    /** Key and tree never change: what is paid to the address goes by them. */
    rename: (outputId: string, names: OutputNames, context: RequestContext) =>
      store.write(async (tx) => {
        const { accountId } = context;
        await tx.taprootOutputs.rename(accountId, outputId, { ...names, updatedAt: clock() });
        const result = viewOf(await outputOf(tx, accountId, outputId));
        await recordRequest(tx, context, { result, target: outputId });
        return result;
      }),

    /** Throws `state_conflict` where a wallet of the account watches the script. */
    delete: (outputId: string, context: RequestContext) =>
      store.write(async (tx) => {
        const { accountId } = context;
        const { scriptPubKey } = await outputOf(tx, accountId, outputId);
        if (!(await tx.taprootOutputs.deleteUnwatched(accountId, outputId))) {
          const walletId = await tx.taprootOutputs.watchedBy(accountId, scriptPubKey);
          // Null: another request has deleted it meanwhile.
          if (walletId === null) throw noSuchOutput();
          throw new DomainError(
            'state_conflict',
            `wallet ${walletId} watches this output's address: without the scripts its coins might not be spendable`,
            { field: 'output_id' },
          );
        }
        await recordRequest(tx, context, { result: undefined, target: outputId });
      }),
  };
}

export type TaprootOutputs = ReturnType<typeof createTaprootOutputs>;

/** The same as core's, with the field of a request at which it is wrong. */
export function outputAt(internalKey: Uint8Array, tree: TapTree | null): TaprootOutput {
  try {
    return taprootOutput(internalKey, tree);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw error.at(error.code === 'invalid_key' ? 'internal_key' : 'script_tree');
  }
}

async function outputOf(
  repositories: Pick<Repositories, 'taprootOutputs'>,
  accountId: AccountId,
  outputId: string,
): Promise<TaprootOutputRecord> {
  const record = await repositories.taprootOutputs.find(accountId, outputId);
  if (record === null) throw noSuchOutput();
  return record;
}

const noSuchOutput = (): DomainError =>
  new DomainError('not_found', 'there is no such taproot output', { field: 'output_id' });

const viewOf = (record: TaprootOutputRecord) => ({
  record,
  output: taprootOutput(Buffer.from(record.internalKey, 'hex'), record.tree && treeOf(record.tree)),
});

export type TaprootOutputView = ReturnType<typeof viewOf>;

const storedTree = (tree: TapTree): StoredTree =>
  isBranch(tree)
    ? [storedTree(tree[0]), storedTree(tree[1])]
    : { script: hex(tree.script), leafVersion: tree.leafVersion };

const treeOf = (tree: StoredTree): TapTree =>
  isStoredBranch(tree)
    ? [treeOf(tree[0]), treeOf(tree[1])]
    : tapLeaf(Buffer.from(tree.script, 'hex'), tree.leafVersion);

const isStoredBranch = (tree: StoredTree): tree is readonly [StoredTree, StoredTree] => Array.isArray(tree);
