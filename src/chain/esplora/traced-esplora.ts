import type { InSpan } from '../../tracing/tracing.ts';
import type { EsploraClient } from './esplora-client.ts';

/** The client with a span `esplora GET tx` for each request: of its path the first word alone, since the rest names addresses. */
export function tracedEsplora(client: EsploraClient, inSpan: InSpan): EsploraClient {
  const asking = <T>(method: string, path: string, ask: () => Promise<T>): Promise<T> =>
    inSpan(`esplora ${method} ${path.split(/[/?]/)[1] ?? ''}`, { 'http.request.method': method }, ask);
  return {
    json: (path) => asking('GET', path, () => client.json(path)),
    text: (path) => asking('GET', path, () => client.text(path)),
    bytes: (path) => asking('GET', path, () => client.bytes(path)),
    post: (path, body) => asking('POST', path, () => client.post(path, body)),
    close: client.close,
  };
}
