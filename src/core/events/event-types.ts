/**
 * The closed table of event types: what happens to an account, as webhooks, notifications and devices learn of it. Each event is a row
 * of the one durable sequence that /v1/ws reads, and its type follows from that row (`eventTypeOf`). What is delivered as `data` is the
 * record as REST answers it (`record` names the operation that reads it) merged with the row's own update.
 */
import type { Rights } from '../access.ts';
import { roleReaches, scopeAllows } from '../access.ts';
import { closestName } from '../closest-name.ts';
import { CHANNELS, type TypedChannel, type UpdateData } from './channels.ts';
import { GOVERNANCE_KINDS, type GovernanceKind } from './governance-kinds.ts';

export interface EventTypeEntry<C extends TypedChannel = TypedChannel> {
  readonly channel: C;
  readonly summary: string;
  readonly access: (typeof CHANNELS)[C]['access'];
  readonly record: (typeof CHANNELS)[C]['record'];
  /** An update of this type. */
  readonly example: UpdateData[C];
}

/** `example`: the members that distinguish this type within its channel. */
const on = <C extends TypedChannel>(channel: C, summary: string, example: Partial<UpdateData[C]> = {}) => {
  const { access, record, example: usual } = CHANNELS[channel];
  return { channel, summary, access, record, example: { ...usual, ...example } } as EventTypeEntry<C>;
};

const governed = (event: GovernanceKind): EventTypeEntry<'governance'> => {
  const { summary, example } = GOVERNANCE_KINDS[event];
  const { access, record } = CHANNELS.governance;
  return { channel: 'governance', summary, access, record, example: { event, ...example } };
};

const confirmed = { block_height: 900_001 };

export const EVENT_TYPES = {
  'transaction.awaiting_approval': on('transactions', 'A payment waits until it is approved', {
    status: 'awaiting_approval',
  }),
  'transaction.awaiting_signature': on('transactions', 'A payment waits for signatures', {
    status: 'awaiting_signature',
  }),
  'transaction.signed': on('transactions', 'A payment is signed and committed; it is sent next', { status: 'signed' }),
  'transaction.broadcast': on('transactions', 'A transaction is in the mempool', { status: 'broadcast' }),
  'transaction.confirmed': on('transactions', 'A transaction is in a block', { status: 'confirmed', ...confirmed }),
  'transaction.retracted': on('transactions', 'A transaction is no longer in its block, which left the chain', {
    status: 'broadcast',
  }),
  'transaction.replaced': on('transactions', 'Another transaction replaces it', { status: 'replaced' }),
  'transaction.conflicted': on('transactions', 'A block holds a transaction that spends the same coins', {
    status: 'conflicted',
  }),
  'transaction.abandoned': on('transactions', 'A payment was given up, and its coins are free', {
    status: 'abandoned',
  }),
  'transaction.failed': on('transactions', 'A payment was refused for good, and its coins are free', {
    status: 'failed',
  }),
  'deposit.detected': on('deposits', 'A wallet receives a payment from outside, seen for the first time'),
  'block.connected': on('blocks', 'A block is the new tip'),
  'block.disconnected': on('blocks', 'A block left the chain'),
  'contract.awaiting_approval': on('contracts', 'A contract waits for approval before it is offered or accepted', {
    status: 'awaiting_approval',
  }),
  'contract.offered': on('contracts', 'A contract is offered', { status: 'offered' }),
  'contract.accepted': on('contracts', 'A contract is accepted', { status: 'accepted' }),
  'contract.signed': on('contracts', 'A contract is signed by both sides', { status: 'signed' }),
  'contract.funded': on('contracts', 'The funding transaction is broadcast', { status: 'funded' }),
  'contract.confirmed': on('contracts', 'The funding transaction is in a block', { status: 'confirmed' }),
  'contract.executed': on('contracts', 'The contract execution transaction is broadcast', {
    status: 'executed',
    outcome: 'yes',
  }),
  'contract.refunded': on('contracts', 'The refund transaction is broadcast', { status: 'refunded' }),
  'contract.closed': on('contracts', 'What settles the contract is in a block', { status: 'closed', outcome: 'yes' }),
  'contract.cancelled': on('contracts', 'A contract was cancelled', { status: 'cancelled' }),
  'contract.failed': on('contracts', 'A contract has failed', { status: 'failed' }),
  'contract.progress': on('contracts', 'Adaptor signatures are being made or verified', {
    ...{ status: 'accepted', progress: { stage: 'signing', done: 512, total: 1_000 } },
  }),
  'contract.retracted': on('contracts', 'The chain took back what was told of a contract', { status: 'funded' }),
  'approval.requested': on('approvals', 'Something waits until people approve it', { status: 'pending' }),
  'approval.decided': on('approvals', 'An approval is approved, rejected, expired or failed', { status: 'approved' }),
  'approval.done': on(
    'approvals',
    'What was approved is carried out: signed, and of a payment handed over for sending',
    {
      ...{ status: 'approved', done: true },
    },
  ),
  'key.expiring': on('keys', 'An API key or OAuth client expires within 7 days'),
  'audit.checkpoint': on('audit', "A signed tree head of the account's audit log was made"),
  'security.sign_in': on('security', 'A person logged in', {
    notice: 'sign_in',
    operation: 'auth.login',
    target: null,
  }),
  'security.key_created': on('security', 'An API key, OAuth client or signing key was made', { notice: 'key_created' }),
  'security.key_revoked': on('security', 'An API key, OAuth client or signing key was revoked', {
    ...{ notice: 'key_revoked', operation: 'api-key.revoke' },
  }),
  'security.policy_changed': on(
    'security',
    'Rules, groups, screening lists or the enterprise configuration were changed',
    {
      ...{ notice: 'policy_changed', operation: 'policy.update', target: 'pol_2rYb7Nw0QkXc9TmLz4VhJd' },
    },
  ),
  'security.user_changed': on('security', 'A person was added, changed or deleted, or their second factor was', {
    ...{ notice: 'user_changed', operation: 'user.update', target: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
  }),
  'security.device_added': on('security', 'A device synced for the first time', {
    ...{ notice: 'device_added', operation: 'mobile.sync', target: 'pixel-9.3f1c' },
  }),
  'security.device_revoked': on('security', 'A device was revoked', {
    ...{ notice: 'device_revoked', operation: 'device.delete', target: 'pixel-9.3f1c' },
  }),
  'screening.matched': on(
    'screening',
    'A payee, or who made a deposit, is on a screening list: `decision` says what became of it',
  ),
  'governance.proposal_created': governed('proposal_created'),
  'governance.proposal_updated': governed('proposal_updated'),
  'governance.vote_cast': governed('vote_cast'),
  'governance.proposal_executed': governed('proposal_executed'),
  'governance.delegation_changed': governed('delegation_changed'),
  'governance.treasury_changed': governed('treasury_changed'),
  'webhook.disabled': on('webhooks', 'The service ended the deliveries of a webhook: `reason` says why'),
} as const satisfies Record<string, EventTypeEntry>;

export type EventType = keyof typeof EVENT_TYPES;
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];

/** The members of an event's row that determine its type. */
export type TypedRow = {
  [C in TypedChannel]: { readonly channel: C; readonly data: UpdateData[C]; readonly retracts: boolean };
}[TypedChannel];

export function eventTypeOf(row: TypedRow): EventType {
  switch (row.channel) {
    case 'transactions':
      return row.retracts ? 'transaction.retracted' : `transaction.${row.data.status}`;
    case 'blocks':
      return row.retracts ? 'block.disconnected' : 'block.connected';
    case 'contracts':
      if (row.retracts) return 'contract.retracted';
      return row.data.progress === undefined ? `contract.${row.data.status}` : 'contract.progress';
    case 'deposits':
      return 'deposit.detected';
    case 'approvals':
      if (row.data.done) return 'approval.done';
      return row.data.status === 'pending' ? 'approval.requested' : 'approval.decided';
    case 'keys':
      return 'key.expiring';
    case 'audit':
      return 'audit.checkpoint';
    case 'security':
      return `security.${row.data.notice}`;
    case 'screening':
      return 'screening.matched';
    case 'governance':
      return `governance.${row.data.event}`;
    case 'webhooks':
      return 'webhook.disabled';
  }
}

/** Whether someone with these rights may read events of the type. */
export function mayReadEvent({ role, scopes }: Pick<Rights, 'role' | 'scopes'>, type: EventType): boolean {
  const { access } = EVENT_TYPES[type] as EventTypeEntry;
  return access === null || (roleReaches(role, access.role) && scopeAllows(scopes, access.scope));
}

/** The types that a pattern matches: a type, `transaction.*`, or `*`. */
export function typesMatching(pattern: string): EventType[] {
  if (pattern === '*') return EVENT_TYPE_NAMES;
  if (!pattern.endsWith('.*')) return EVENT_TYPE_NAMES.filter((type) => type === pattern);
  return EVENT_TYPE_NAMES.filter((type) => type.startsWith(pattern.slice(0, -1)));
}

/** Why a pattern matches no type, with the closest one; null if it matches. */
export function patternProblem(pattern: string): string | null {
  if (typesMatching(pattern).length > 0) return null;
  const near = closestName(pattern, EVENT_TYPE_NAMES);
  const nouns = [...new Set(EVENT_TYPE_NAMES.map((type) => `${type.split('.')[0]}.*`))];
  return near === null
    ? `${pattern} is not an event type: use one, a group (${nouns.join(', ')}), or * for all`
    : `${pattern} is not an event type: did you mean ${near}?`;
}
