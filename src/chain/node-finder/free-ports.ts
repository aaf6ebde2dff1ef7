import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below what systems give to outgoing connections (Linux: from 32768 on): while a process ends and starts again on its port, none of them
 * can take it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_767;
const MAX_TRIES = 1_000;

/** Ports on loopback that nobody listens on right now; all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = new Map<number, Server>();
  for (let tries = 0; servers.size < count; tries++) {
    if (tries === MAX_TRIES) throw new Error(`no ${count} free ports on loopback from ${LOWEST} to ${HIGHEST}`);
    const port = randomInt(LOWEST, HIGHEST + 1);
    const server = await listening(port);
    if (server !== null) servers.set(port, server);
  }
  await Promise.all([...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  return [...servers.keys()];
}

/** Null where somebody has the port. */
function listening(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
