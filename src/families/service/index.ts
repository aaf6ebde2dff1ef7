import { familyPlugin } from '../../hooks/family.ts';
import type { ReadinessService } from '../../services/readiness.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { getAsyncapi } from './get-asyncapi.ts';
import { getLiveness } from './get-liveness.ts';
import { getOpenapi } from './get-openapi.ts';
import { getReadiness } from './get-readiness.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { passwordResetPage } from './password-reset-page.ts';
import { referencePage } from './reference-page.ts';

interface Services {
  readiness: Pick<ReadinessService, 'check'>;
  version: string;
}

/** The service's own operations and pages, and the descriptions of all operations and sockets: the last to be registered. */
export const service = familyPlugin<Services>({
  name: 'service',
  operations: ({ readiness, version }, declared) => {
    let text: string | null = null;
    return [
      getLiveness(version),
      getReadiness(readiness),
      // Made for the first who asks.
      getOpenapi(() => {
        text ??= JSON.stringify(openApiDocument(declared.operations, version));
        return text;
      }),
      getAsyncapi(JSON.stringify(asyncApiDocument(declared.sockets, version))),
    ];
  },
  routes: async (app) => {
    await app.register(referencePage);
    await app.register(passwordResetPage);
  },
});
