/** Connections for the tests of every operation: a collector on a loopback address of its own, which the service may connect to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './app.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

/** Of all of 127.0.0.0/8 this one alone: the rest stays private. */
export const COLLECTOR_ADDRESS = '127.84.7.1';

let collector: Promise<string> | null = null;

/** Takes everything; it does not keep the process. */
export function collectorUrl(): Promise<string> {
  collector ??= new Promise((resolve) => {
    const server = createServer((request, response) => void request.resume().on('end', () => response.end()));
    server.listen(0, COLLECTOR_ADDRESS, () => {
      resolve(`http://${COLLECTOR_ADDRESS}:${(server.address() as AddressInfo).port}/`);
    });
    server.unref();
  });
  return collector;
}

/** What makes one. */
export const aConnection = async (): Promise<Json> => ({
  type: 'siem',
  name: 'log collector',
  settings: { transport: 'https', url: await collectorUrl() },
});

const made = new WeakMap<OperationWorld, string[]>();

const ofConnection =
  (body?: Json): Recipe =>
  async (world) => {
    const all = made.get(world) ?? [];
    made.set(world, all);
    // An account has so many at most.
    for (const id of all.splice(0, Math.max(0, all.length - 10)))
      await world.make('DELETE', `/api/v1/enterprise/connections/${id}`).catch(() => {});
    const { connection_id } = await world.make('POST', '/api/v1/enterprise/connect', await aConnection());
    all.push(connection_id);
    return { params: { connection_id }, ...(body === undefined ? {} : { body }) };
  };

export const CONNECTION_RECIPES: Readonly<Record<string, Recipe>> = {
  'connection.create': async (world) => {
    const { data } = await world.make('GET', '/api/v1/enterprise/connections?limit=100');
    for (const { connection_id } of (data as Json[]).slice(10))
      await world.make('DELETE', `/api/v1/enterprise/connections/${connection_id}`);
    return { body: await aConnection() };
  },
  'connection.get': ofConnection(),
  'connection.update': ofConnection({ name: 'renamed' }),
  'connection.delete': ofConnection(),
};
