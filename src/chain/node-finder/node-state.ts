import { readFile, rename, writeFile } from 'node:fs/promises';

/** What a later run of the service must know to find the node again. */
export interface NodeState extends NodePorts {
  pid: number;
}
export interface NodePorts {
  rpcPort: number;
  zmqPort: number;
}

export async function readState(file: string): Promise<NodeState | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { pid, rpcPort, zmqPort } = JSON.parse(text) as Partial<NodeState>;
    return Number.isInteger(pid) && Number.isInteger(rpcPort) && Number.isInteger(zmqPort)
      ? { pid: pid!, rpcPort: rpcPort!, zmqPort: zmqPort! }
      : null;
  } catch {
    return null;
  }
}

export async function saveState(file: string, state: NodeState): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${file}.new`, file);
}
