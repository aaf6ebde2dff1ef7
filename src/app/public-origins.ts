/** The origins that the service is known by: what a signature may be addressed to. */
import type { Server } from 'node:http';
import { createAuthorities, type FindOrigin } from '../core/request-signatures/authorities.ts';

/** With PORT=0 the system chooses a port: origins without one of their own have that, once it is known. */
export function followPort(publicOrigins: readonly string[], server: Pick<Server, 'address' | 'once'>): FindOrigin {
  let find = createAuthorities(publicOrigins);
  server.once('listening', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') return;
    const listening = publicOrigins.map((origin) => origin.replace(/:0$/, `:${address.port}`));
    find = createAuthorities([...publicOrigins, ...listening]);
  });
  return (host) => find(host);
}
