/** The hook layer with a clock that stands, counters that can be looked into, and operations of several families and classes. */
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../src/core/errors.ts';
import { createLocalCounters } from '../../src/counters/local.ts';
import { type AnyOperation, operation } from '../../src/hooks/operation.ts';
import { type HookApp, startHookApp } from './hook-app.ts';

/** 40 s before the minute's end. */
const START = Date.UTC(2026, 10, 21, 12, 30, 20);
export const MINUTE_END = Date.UTC(2026, 10, 21, 12, 31) / 1000;

function operations(): AnyOperation[] {
  const read = {
    tag: 'Test',
    errors: [],
    method: 'GET',
    effect: 'read',
    idempotent: false,
    limitClass: 'standard',
    access: { scope: 'notes:read', role: 'viewer' },
    success: { status: 200, description: 'It', schema: z.object({}) },
    run: async () => ({}),
    present: () => ({}),
  } as const;
  return [
    operation({ ...read, id: 'note.status', family: 'c', path: '/api/v1/notes/status', summary: 'Of family C' }),
    operation({ ...read, id: 'note.vote', family: 'g', path: '/v1/governance/notes', summary: 'Of family G' }),
    operation({
      ...read,
      id: 'note.export',
      family: 'a',
      path: '/api/v1/notes/export',
      summary: 'Bulk',
      limitClass: 'bulk',
    }),
    operation({
      ...read,
      id: 'door.open',
      family: 'c',
      method: 'POST',
      path: '/api/v1/door',
      summary: 'A login',
      effect: 'compute',
      access: 'public',
      run: async (): Promise<object> => {
        throw new DomainError('unauthorized', 'the password is wrong');
      },
    }),
  ];
}

export interface LimitedApp extends HookApp {
  /** Counters held. */
  counted(): number;
  /** Refusals that went into the audit log. */
  readonly recorded: string[];
  /** A GET with a key, or without one. */
  get(url: string, apiKey: string | null, more?: Record<string, string>): Promise<LimitedAnswer>;
}

export interface LimitedAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  limit: number;
  remaining: number;
  reset: number;
  body: any;
}

export async function startLimitedApp(options: { trustProxy?: string[] } = {}): Promise<LimitedApp> {
  let moved = 0;
  const counters = createLocalCounters({ clock: () => START + moved });
  const recorded: string[] = [];
  const recordRefusal = async (_: unknown, slug: string) => void recorded.push(slug);
  const app = await startHookApp({
    ...options,
    startAt: START,
    more: operations,
    layer: { counters, recordRefusal },
  });
  onTestFinished(() => app.close());
  return {
    ...app,
    recorded,
    counted: counters.size,
    advance(ms) {
      moved += ms;
      app.advance(ms);
    },
    async get(url, apiKey, more = {}) {
      const response = await app.app.inject({
        url,
        headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...more },
      });
      return answerOf(response);
    },
  };
}

export function answerOf(response: { statusCode: number; headers: object; body: string }): LimitedAnswer {
  const headers = response.headers as Record<string, string | undefined>;
  return {
    status: response.statusCode,
    headers,
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
    reset: Number(headers['x-ratelimit-reset']),
    body: response.body === '' ? null : JSON.parse(response.body),
  };
}
