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
  readonly tags: Readonly<Record<string, string>>;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly declared: Declared;
    declare(more: Declared): void;
  }
}

/** Gives families `declare`. Throws where two operations share an id or a route, also of different families. */
export const declarations = fp(
  async (app, deps: OperationDeps) => {
    const operations: AnyOperation[] = [];
    const sockets: SocketDescription[] = [];
    const tags: Record<string, string> = {};
    const shared = { ...deps, endOfTick: createEndOfTick() };
    app.decorate('declared', { operations, sockets, tags });
    app.decorate('declare', (more: Declared) => {
      operations.push(...more.operations);
      sockets.push(...more.sockets);
      Object.assign(tags, more.tags);
      assertDistinct(operations);
      registerOperations(app, more.operations, shared);
    });
  },
  { name: 'declarations', dependencies: ['hook-layer'] },
);

export interface Family<S> {
  /** The folder's. */
  readonly name: string;
  /** What each tag of its operations holds, for OpenAPI. */
  readonly tags: Readonly<Record<string, string>>;
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
  tags,
  operations,
  sockets = [],
  needs = [],
  routes = async () => {},
}: Family<S>): FastifyPluginAsync<S> =>
  fp(
    async (app: FastifyInstance, services: S) => {
      app.declare({ operations: operations(services, app.declared), sockets, tags });
      await routes(app, services);
    },
    { name, dependencies: ['declarations', ...needs] },
  );
