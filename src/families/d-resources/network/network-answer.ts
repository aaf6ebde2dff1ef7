/** A network of nodes on the wire. */
import { z } from 'zod';
import { NODE_PROBLEM, nodeAddress } from '../../../core/nodes/node-address.ts';
import type { NodeProblem } from '../../../core/nodes/node-refused.ts';
import type { NetworkView, NodeView } from '../../../services/networks/network-service.ts';
import { answer, time } from '../../answer.ts';
import { idField, nameField } from '../../fields.ts';

export const networkParams = z.strictObject({ network_id: idField('net') });

const nodeField = z
  .string()
  .trim()
  .max(255, 'must have at most 255 characters')
  // Which network only decides about the port that is not said.
  .refine((text) => nodeAddress(text, 'mainnet') !== null, NODE_PROBLEM);

export const networkBody = z
  .strictObject({
    name: nameField,
    nodes: z
      .array(nodeField)
      .max(100, 'must have at most 100 nodes')
      .meta({ description: 'host:port, a host name, an onion address, or the URL of an Esplora API' }),
  })
  .meta({ id: 'NetworkRequest' });

const STATUSES = ['reachable', 'unreachable', 'not_allowed', 'not_probed'] as const;
type Standing = { readonly status: (typeof STATUSES)[number]; readonly reason: string | null };

const REASONS: Readonly<Record<NodeProblem, string>> = {
  not_allowed: 'its host or port is not one that is connected to',
  no_connection: 'it takes no connection',
  no_handshake: 'it does not complete a handshake of Bitcoin',
  other_network: 'it is of another Bitcoin network',
  self: 'it answers with what this service sends: the connection leads back',
};

function standing({ target, problem, probedAt }: NodeView): Standing {
  if (target === null) return { status: 'not_probed', reason: 'onion services need a SOCKS proxy, and there is none' };
  if (probedAt === null) return { status: 'not_probed', reason: 'it waits for its first probe' };
  if (problem === null) return { status: 'reachable', reason: null };
  return { status: problem === 'not_allowed' ? problem : 'unreachable', reason: REASONS[problem] };
}

const probe = answer(
  'NodeProbe',
  {
    node: z.string(),
    status: z.enum(STATUSES).meta({ description: 'reachable: it completed a handshake of this network' }),
    reason: z.string().nullable(),
    protocol_version: z.int().nullable().meta({ description: 'Of P2P' }),
    user_agent: z.string().nullable(),
    claimed_height: z.int().nullable().meta({ description: 'Its tip as it says' }),
    lag: z.int().nullable().meta({ description: 'Blocks behind the tip of this service when probed; negative: ahead' }),
    probed_at: time.nullable(),
  },
  standing,
);

export const network = answer(
  'Network',
  {
    network_id: z.string(),
    name: z.string(),
    nodes: z.array(z.string()),
    probes: z.array(probe.schema).meta({ description: 'What each of the nodes answered last' }),
    created_at: time,
    updated_at: time,
  },
  ({ probes }: NetworkView) => ({ nodes: probes.map(({ node }) => node) }),
);

export const networkBodyExample = { name: 'Treasury nodes', nodes: ['198.51.100.7'] };

export const networkExample = {
  network_id: 'net_3mVb1k7Q2xYt9LpRw0Zc5A',
  ...networkBodyExample,
  probes: [
    {
      node: '198.51.100.7',
      status: 'reachable',
      reason: null,
      protocol_version: 70016,
      user_agent: '/Satoshi:30.0.0/',
      claimed_height: 925000,
      lag: 0,
      probed_at: '2026-11-28T09:00:01.000Z',
    },
  ],
  created_at: '2026-11-28T09:00:00.000Z',
  updated_at: '2026-11-28T09:00:00.000Z',
} as const;
