import { type AddSeries, counted, gauge } from '../../metrics/series.ts';
import type { SocketMetrics } from './outbox.ts';

export const socketSeries =
  (sockets: SocketMetrics): AddSeries =>
  (registry) => {
    gauge(registry, { name: 'ashlar_websocket_connections', help: 'Open WebSockets', value: () => sockets.open });
    counted(registry, {
      name: 'ashlar_websocket_messages_total',
      help: 'Messages of WebSockets',
      label: 'direction',
      values: () => [
        ['received', sockets.received],
        ['sent', sockets.sent],
      ],
    });
    return undefined;
  };
