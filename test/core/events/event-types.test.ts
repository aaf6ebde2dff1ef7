import { describe, expect, it } from 'vitest';
import { scopeProblem } from '../../../src/core/access.ts';
import { CHANNELS } from '../../../src/core/events/channels.ts';
import {
  EVENT_TYPE_NAMES,
  EVENT_TYPES,
  type EventTypeEntry,
  eventTypeOf,
  mayReadEvent,
  patternProblem,
  type TypedRow,
  typesMatching,
} from '../../../src/core/events/event-types.ts';

const RETRACTIONS = ['transaction.retracted', 'block.disconnected', 'contract.retracted'];

describe('event types', () => {
  it.each(EVENT_TYPE_NAMES)('%s follows from its own example, which has the form of its channel', (type) => {
    const { channel, example, access } = EVENT_TYPES[type] as EventTypeEntry;
    expect(CHANNELS[channel].data.safeParse(example).error).toBeUndefined();
    const row = { channel, data: example, retracts: RETRACTIONS.includes(type) } as TypedRow;
    expect(eventTypeOf(row)).toBe(type);
    if (access !== null) expect(scopeProblem(access.scope)).toBeNull();
  });

  it('are named by themselves, by their noun, or all', () => {
    expect(typesMatching('transaction.confirmed')).toEqual(['transaction.confirmed']);
    expect(typesMatching('block.*')).toEqual(['block.connected', 'block.disconnected']);
    expect(typesMatching('*')).toEqual(EVENT_TYPE_NAMES);
    for (const none of ['', '.*', 'transaction', 'trans.*', 'transaction.*.*']) expect(typesMatching(none)).toEqual([]);
    expect(patternProblem('transaction.confirm')).toContain('did you mean transaction.confirmed?');
    expect(patternProblem('payments.*')).toContain('transaction.*');
    expect(patternProblem('deposit.*')).toBeNull();
  });

  it('are read with the scope and role of what they tell of', () => {
    const viewer = { role: 'viewer', scopes: ['transactions:read'] } as const;
    expect(EVENT_TYPE_NAMES.filter((type) => mayReadEvent(viewer, type))).toEqual(
      EVENT_TYPE_NAMES.filter((type) => /^(transaction|deposit|block)\./.test(type)),
    );
    expect(mayReadEvent({ role: 'viewer', scopes: ['*'] }, 'security.sign_in')).toBe(false);
    expect(mayReadEvent({ role: 'operator', scopes: ['*'] }, 'security.sign_in')).toBe(true);
  });
});
