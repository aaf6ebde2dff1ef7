/** While the process or the database's writer is too far behind, requests are turned away before any work is done for them. */
import { fastifyPlugin as fp } from 'fastify-plugin';
import { addGate } from '../entrance.ts';
import { HttpRefusal } from '../refusals/errors.ts';

export interface Pressure {
  /** Mean delay of the event loop beyond its resolution, milliseconds, while it lasts; 0 for a single stall. */
  eventLoopDelayMs(): number;
  /** Jobs that wait for the database's writer. */
  queueDepth(): number;
  /** Beyond these requests are turned away; 0: never. */
  readonly most: { readonly eventLoopDelayMs: number; readonly queueDepth: number };
}

/** Whoever keeps the process alive must hear that it is. */
const ALWAYS = new Set(['liveness.get', 'readiness.get']);
const RETRY_AFTER_SECONDS = 2;

export const loadShedding = fp(
  async (app, { pressure }: { pressure: Pressure }) => {
    const { most } = pressure;

    addGate(app, ({ declaration }) => {
      const late = most.eventLoopDelayMs > 0 && pressure.eventLoopDelayMs() > most.eventLoopDelayMs;
      const full = most.queueDepth > 0 && pressure.queueDepth() > most.queueDepth;
      if (!late && !full) return;
      // Reading needs no writer.
      const meant = late || declaration?.effect === 'write';
      if (meant && !ALWAYS.has(declaration?.id ?? '')) throw overloaded();
    });
  },
  { name: 'load-shedding', dependencies: ['request-id'] },
);

const overloaded = (): HttpRefusal =>
  new HttpRefusal(503, 'overloaded', 'the service has more to do than it can: nothing was done, try again later', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
