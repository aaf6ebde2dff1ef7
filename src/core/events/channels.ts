/** Channels that /v1/ws offers. */
export const CHANNELS = ['transactions', 'blocks', 'contracts'] as const;
export type OfferedChannel = (typeof CHANNELS)[number];

/** In the same sequence, read by what delivers events to webhooks, people and devices. */
const INTERNAL_CHANNELS = ['deposits', 'approvals', 'keys', 'audit', 'security'] as const;
export const ALL_CHANNELS = [...CHANNELS, ...INTERNAL_CHANNELS] as const;
export type EventChannel = (typeof ALL_CHANNELS)[number];

export const isOffered = (channel: EventChannel): channel is OfferedChannel =>
  (CHANNELS as readonly EventChannel[]).includes(channel);
