import type { AnyOperation } from '../../hooks/operation.ts';
import type { ReadinessService } from '../../services/readiness.ts';
import { getLiveness } from './get-liveness.ts';
import { getOpenapi } from './get-openapi.ts';
import { getReadiness } from './get-readiness.ts';
import { openApiDocument } from './openapi/openapi-document.ts';

/** The service's own operations, and with them the description of these and all `others`. */
export function serviceOperations(
  services: { readiness: Pick<ReadinessService, 'check'>; version: string },
  others: readonly AnyOperation[],
): AnyOperation[] {
  const all: AnyOperation[] = [
    ...others,
    getLiveness(services.version),
    getReadiness(services.readiness),
    getOpenapi(() => text),
  ];
  const text = JSON.stringify(openApiDocument(all, services.version));
  return all.slice(others.length);
}
