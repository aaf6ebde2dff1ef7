/** Nodes that speak Bitcoin's P2P protocol as a test wants it; messages are written here byte by byte, apart from what the service uses. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const REGTEST = 'fabfb5da';

export function peerMessage(
  command: string,
  payload: Buffer = Buffer.alloc(0),
  { magic = REGTEST, length = payload.length, checksum }: { magic?: string; length?: number; checksum?: string } = {},
): Buffer {
  const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  const size = Buffer.alloc(4);
  size.writeUInt32LE(length);
  const sum = checksum === undefined ? sha(sha(payload)).subarray(0, 4) : Buffer.from(checksum, 'hex');
  return Buffer.concat([
    Buffer.from(magic, 'hex'),
    Buffer.from(command.padEnd(12, '\0'), 'latin1'),
    size,
    sum,
    payload,
  ]);
}

export function versionOf({
  version = 70016,
  nonce = randomBytes(8),
  agent = '/Fake:1.0/' as string | Buffer,
  height = 120,
} = {}): Buffer {
  const text = Buffer.isBuffer(agent) ? agent : Buffer.from(agent, 'latin1');
  const size =
    text.length < 0xfd ? Buffer.from([text.length]) : Buffer.from([0xfd, text.length & 255, text.length >> 8]);
  const numbers = [Buffer.alloc(4), Buffer.alloc(4)] as const;
  numbers[0].writeInt32LE(version);
  numbers[1].writeInt32LE(height);
  return Buffer.concat([numbers[0], Buffer.alloc(68), nonce, size, text, numbers[1], Buffer.from([1])]);
}

export interface FakeNode {
  readonly port: number;
  /** Connections since the start. */
  count(): number;
  close(): Promise<void>;
}

/** `behave` is called once the first bytes of the other side are there. */
export async function startFakeNode(behave: (socket: Socket, hello: Buffer) => void): Promise<FakeNode> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count++;
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
    socket.once('data', (hello: Buffer) => behave(socket, hello));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As Bitcoin Core does: its version, two messages more, and verack. */
export const honest =
  (given: Parameters<typeof versionOf>[0] = {}) =>
  (socket: Socket): void => {
    for (const [command, payload] of [
      ['version', versionOf(given)],
      ['wtxidrelay', undefined],
      ['sendaddrv2', undefined],
      ['verack', undefined],
    ] as const)
      socket.write(peerMessage(command, payload));
  };
