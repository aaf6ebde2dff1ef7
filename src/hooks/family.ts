/** A family of operations (A to G of the interface) as a Fastify plugin on the hook layer. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { assertDistinct } from './declaration-rules.ts';
import { createEndOfTick } from './end-of-tick.ts';
import type { AnyOperation } from './operation.ts';
import { type OperationDeps, registerOperations } from './register-operations.ts';
import type { SocketDescription } from './socket-description.ts';

/** What the families registered so far have declared. */
export interface Declared {
  readonly operations: readonly AnyOperation[];
  readonly sockets: readonly SocketDescription[];
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly declared: Declared;
    declare(operations: readonly AnyOperation[], sockets: readonly SocketDescription[]): void;
  }
}

/** Gives families `declare`. Throws where two operations share an id or a route, also of different families. */
export const declarations = fp(
  async (app, deps: OperationDeps) => {
    const operations: AnyOperation[] = [];
    const sockets: SocketDescription[] = [];
    const shared = { ...deps, endOfTick: createEndOfTick() };
    app.decorate('declared', { operations, sockets });
    app.decorate('declare', (more: readonly AnyOperation[], ofSockets: readonly SocketDescription[]) => {
      operations.push(...more);
      sockets.push(...ofSockets);
      assertDistinct(operations);
      registerOperations(app, more, shared);
    });
  },
  { name: 'declarations', dependencies: ['hook-layer'] },
);

export interface Family<S> {
  /** The folder's. */
  readonly name: string;
  /** `declared` is what families registered before have: for those that describe the others. */
  readonly operations: (services: S, declared: Declared) => AnyOperation[];
  readonly sockets?: readonly SocketDescription[];
  /** Names of plugins that its routes need. */
  readonly needs?: readonly string[];
  /** Registers what is no operation: WebSockets, pages. */
  readonly routes?: (app: FastifyInstance, services: S) => Promise<void>;
}

export const familyPlugin = <S extends object>({
  name,
  operations,
  sockets = [],
  needs = [],
  routes = async () => {},
}: Family<S>): FastifyPluginAsync<S> =>
  fp(
    async (app: FastifyInstance, services: S) => {
      app.declare(operations(services, app.declared), sockets);
      await routes(app, services);
    },
    { name, dependencies: ['declarations', ...needs] },
  );
