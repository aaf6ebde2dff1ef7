import { createNetworkService } from './network-service.ts';
import { createProber } from './prober.ts';

export function createNetworks(deps: Parameters<typeof createProber>[0]) {
  const worker = createProber(deps);
  return { networks: createNetworkService({ ...deps, onAsked: () => worker.wake() }), worker };
}
