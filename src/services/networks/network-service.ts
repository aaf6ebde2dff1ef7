/** Networks of nodes as requests make, show, change and delete them. What their nodes answer is the prober's. */
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { nodeAddress } from '../../core/nodes/node-address.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { NetworkRecord, NodeRecord } from '../../store/repositories/networks.ts';
import type { ProbeRecord } from '../../store/repositories/node-probes.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** Of an account, over all its networks. */
const MAX_NODES = 100;

export interface NewNetwork {
  readonly name: string;
  readonly nodes: readonly string[];
}
/** What a node answered last, since the account has it; `probedAt` null: nothing yet. */
export type NodeView = Pick<NodeRecord, 'node' | 'target'> & Answered;
export type NetworkView = NetworkRecord & { readonly probes: readonly NodeView[] };
type Answered = Omit<ProbeRecord, 'target' | 'failures' | 'nextAt'>;

const NOTHING: Answered = {
  ...{ problem: null, protocolVersion: null, userAgent: null, claimedHeight: null, lag: null },
  probedAt: null,
};

async function found(read: Pick<Repositories, 'networks'>, accountId: AccountId, networkId: string) {
  const network = await read.networks.find(accountId, networkId);
  if (network === null) throw new DomainError('not_found', 'there is no such network', { field: 'network_id' });
  return network;
}

export interface NetworkDeps {
  readonly store: Store;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function createNetworkService({
  store,
  network,
  clock,
  randomBytes,
  onAsked,
}: NetworkDeps & { onAsked(): void }) {
  async function withNodes(read: Repositories, accountId: AccountId, networks: readonly NetworkRecord[]) {
    const nodes = await read.networks.nodes(
      accountId,
      networks.map(({ networkId }) => networkId),
    );
    const probes = await read.nodeProbes.among(nodes.flatMap(({ target }) => target ?? []));
    const probeOf = new Map(probes.map((probe) => [probe.target, probe]));
    const shown = ({ node, target, addedAt }: NodeRecord): NodeView => {
      const probe = probeOf.get(target ?? '') ?? NOTHING;
      // What was probed for others before would tell that they know the node.
      return { ...((probe.probedAt ?? -1) >= addedAt ? probe : NOTHING), node, target };
    };
    return networks.map(
      (one): NetworkView => ({
        ...one,
        probes: nodes.filter(({ networkId }) => networkId === one.networkId).map(shown),
      }),
    );
  }

  async function put(tx: Repositories, { accountId, networkId, updatedAt }: NetworkRecord, given: NewNetwork) {
    const before = await tx.networks.nodes(accountId, [networkId]);
    const others = (await tx.networks.countNodes(accountId)) - before.length;
    if (others + given.nodes.length > MAX_NODES) {
      const message = `an account has at most ${MAX_NODES} nodes in all its networks, and others of yours have ${others}`;
      throw new DomainError('policy_refused', message, { field: 'nodes' });
    }
    const nodes = given.nodes.map((node, position): NodeRecord => {
      const address = nodeAddress(node, network);
      const target = address === null || address === 'onion' ? null : address.target;
      const same = before.find((one) => one.target === target);
      return { accountId, networkId, position, node, target, addedAt: same?.addedAt ?? updatedAt };
    });
    await tx.networks.putNodes(accountId, networkId, nodes);
    const added = nodes.filter(({ target }) => !before.some((one) => one.target === target));
    await tx.nodeProbes.ask(
      added.flatMap(({ target }) => target ?? []),
      updatedAt,
    );
    return before.filter(({ target }) => !nodes.some((one) => one.target === target));
  }

  /** After the commit: what a crash leaves, the prober forgets. */
  async function forget(nodes: readonly NodeRecord[]): Promise<void> {
    const targets = nodes.flatMap(({ target }) => target ?? []);
    if (targets.length > 0) await store.write((tx) => tx.nodeProbes.forget(targets, clock()));
  }

  return {
    /** Throws `policy_refused`. */
    async create(given: NewNetwork, context: RequestContext): Promise<NetworkView> {
      const result = await store.write(async (tx) => {
        const { accountId } = context;
        await tx.accounts.lock(accountId);
        const [networkId, at] = [newId('net', randomBytes), clock()];
        const record: NetworkRecord = { networkId, accountId, name: given.name, createdAt: at, updatedAt: at };
        await tx.networks.insert(record);
        await put(tx, record, given);
        const [made] = await withNodes(tx, accountId, [record]);
        await recordRequest(tx, context, { result: made!, target: networkId });
        return made!;
      });
      onAsked();
      return result;
    },

    /** Throws `not_found`. */
    get: async (networkId: string, { accountId }: RequestContext): Promise<NetworkView> =>
      (await withNodes(store.read, accountId, [await found(store.read, accountId, networkId)]))[0]!,

    /** Newest first. */
    async list(page: PageRequest, { accountId }: RequestContext): Promise<Page<NetworkView>> {
      const networks = await store.read.networks.list(accountId, page);
      return { ...networks, data: await withNodes(store.read, accountId, networks.data) };
    },

    /** Nodes that stay keep what they answered. Throws `not_found`, `policy_refused`. */
    async replace(networkId: string, given: NewNetwork, context: RequestContext): Promise<NetworkView> {
      const [result, gone] = await store.write(async (tx) => {
        const { accountId } = context;
        await tx.accounts.lock(accountId);
        const record = { ...(await found(tx, accountId, networkId)), name: given.name, updatedAt: clock() };
        await tx.networks.update(accountId, networkId, record);
        const dropped = await put(tx, record, given);
        const [now] = await withNodes(tx, accountId, [record]);
        await recordRequest(tx, context, { result: now!, target: networkId });
        return [now!, dropped] as const;
      });
      await forget(gone);
      onAsked();
      return result;
    },

    /** Throws `not_found`. */
    async delete(networkId: string, context: RequestContext): Promise<void> {
      const gone = await store.write(async (tx) => {
        await tx.accounts.lock(context.accountId);
        await found(tx, context.accountId, networkId);
        const nodes = await tx.networks.nodes(context.accountId, [networkId]);
        await tx.networks.delete(context.accountId, networkId);
        await recordRequest(tx, context, { result: undefined, target: networkId });
        return nodes;
      });
      await forget(gone);
    },
  };
}
export type NetworkService = ReturnType<typeof createNetworkService>;
