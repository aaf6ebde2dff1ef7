import { type LookupAddress, promises } from 'node:dns';

/**
 * A host's addresses by DNS alone, IPv4 first: neither the machine's own names (/etc/hosts), nor a thread of libuv's pool for as long as a slow
 * server takes. None where there are none.
 */
export async function resolveAddresses(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    if (signal.aborted) return [];
    const [v4, v6] = await Promise.all([
      resolver.resolve4(hostname).catch(() => []),
      resolver.resolve6(hostname).catch(() => []),
    ]);
    return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
