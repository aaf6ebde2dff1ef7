import type { InSpan } from '../../tracing/tracing.ts';
import type { RpcClient } from './rpc-client.ts';

/** The client with a span `rpc getblock` for each HTTP request to the node; a batch is named after its first call. */
export function tracedRpc(rpc: RpcClient, inSpan: InSpan): RpcClient {
  const named = (method: string) => ({ 'rpc.system.name': 'jsonrpc', 'rpc.method': method });
  return {
    call: (method, params, options) => inSpan(`rpc ${method}`, named(method), () => rpc.call(method, params, options)),
    batch(calls, options) {
      const [first] = calls;
      if (first === undefined) return rpc.batch(calls, options);
      const attributes = { ...named(first.method), 'rpc.batch.size': calls.length };
      return inSpan(`rpc ${first.method}`, attributes, () => rpc.batch(calls, options));
    },
    close: rpc.close,
  };
}
