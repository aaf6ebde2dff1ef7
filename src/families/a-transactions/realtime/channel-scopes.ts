import type { EventMessage } from '../../../events/event-message.ts';

/** What a credential needs to listen to a channel; blocks are anyone's. */
export const CHANNEL_SCOPES: Readonly<Record<EventMessage['channel'], string | null>> = {
  transactions: 'transactions:read',
  contracts: 'contracts:read',
  blocks: null,
};
