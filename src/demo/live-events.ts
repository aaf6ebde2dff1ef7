import { WebSocket } from 'ws';

export interface ChannelUpdate {
  type: 'transaction' | 'block' | 'contract';
  channel: string;
  seq: number;
  retracts?: number;
  data: Record<string, unknown>;
}

/** What the socket says besides updates. */
type Message = ChannelUpdate | { type: 'subscribed'; channel: string } | { type: 'error'; error: { message: string } };

/** Connects to /v1/ws, authenticates and subscribes to transactions and blocks. */
export async function openLiveEvents(baseUrl: string, apiKey: string, onUpdate: (update: ChannelUpdate) => void) {
  const url = new URL('/v1/ws', baseUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(url);
  const seen: ChannelUpdate[] = [];
  const waiting = new Set<() => void>();

  await new Promise<void>((resolve, reject) => {
    const pending = new Set(['transactions', 'blocks']);
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`the socket closed with ${code} before it was subscribed`)));
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'auth', api_key: apiKey }));
      for (const channel of pending) socket.send(JSON.stringify({ type: 'subscribe', channel }));
    });
    socket.on('message', (text) => {
      const message = JSON.parse(String(text)) as Message;
      if (message.type === 'error') reject(new Error(message.error.message));
      if (message.type === 'subscribed') {
        pending.delete(message.channel);
        if (pending.size === 0) resolve();
      }
      if (message.type !== 'transaction' && message.type !== 'block') return;
      seen.push(message);
      onUpdate(message);
      for (const check of waiting) check();
    });
  });

  return {
    /** Resolves with the first update, past or future, that `matches`; rejects after 30 s. */
    until: (what: string, matches: (update: ChannelUpdate) => boolean) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`no event within 30 s: ${what}`));
        }, 30_000);
        const check = (): void => {
          const found = seen.find(matches);
          if (!found) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    close: () => socket.close(),
  };
}
