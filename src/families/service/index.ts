import type { AnyOperation } from '../../hooks/operation.ts';
import type { SocketDescription } from '../../hooks/socket-description.ts';
import type { ReadinessService } from '../../services/readiness.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { getAsyncapi } from './get-asyncapi.ts';
import { getLiveness } from './get-liveness.ts';
import { getOpenapi } from './get-openapi.ts';
import { getReadiness } from './get-readiness.ts';
import { openApiDocument } from './openapi/openapi-document.ts';

/** The service's own operations, and with them the descriptions of these, all `others`, and the sockets. */
export function serviceOperations(
  services: { readiness: Pick<ReadinessService, 'check'>; version: string },
  others: readonly AnyOperation[],
  sockets: readonly SocketDescription[],
): AnyOperation[] {
  let text: string | null = null;
  const all: AnyOperation[] = [
    ...others,
    getLiveness(services.version),
    getReadiness(services.readiness),
    // Made for the first who asks.
    getOpenapi(() => {
      text ??= JSON.stringify(openApiDocument(all, services.version));
      return text;
    }),
    getAsyncapi(JSON.stringify(asyncApiDocument(sockets, services.version))),
  ];
  return all.slice(others.length);
}
