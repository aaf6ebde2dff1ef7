import { PublicDocument } from '../../hooks/documents/public-document.ts';
import { familyPlugin } from '../../hooks/family.ts';
import type { ReadinessService } from '../../services/readiness.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { guidePages } from './documentation/guide-pages.ts';
import type { MakePages } from './documentation/pages.ts';
import { referencePage } from './documentation/reference-page.ts';
import { getAsyncapi } from './get-asyncapi.ts';
import { getLiveness } from './get-liveness.ts';
import { getOpenapi } from './get-openapi.ts';
import { getReadiness } from './get-readiness.ts';
import { openApiText } from './openapi/openapi-document.ts';
import { passwordResetPage } from './password-reset-page.ts';

interface Services {
  readiness: Pick<ReadinessService, 'check'>;
  version: string;
  license: string;
  makePages: MakePages;
}

const json = (make: () => Promise<string>): PublicDocument => new PublicDocument('application/json', make);

/** The service's own operations and pages, and the descriptions of all operations and sockets: the last to be registered. */
export const service = familyPlugin<Services>({
  name: 'service',
  tags: { Service: 'Liveness, readiness, and the descriptions of the API.' },
  operations: ({ readiness, version, license }, declared) => [
    getLiveness(version),
    getReadiness(readiness),
    getOpenapi(json(() => openApiText(declared, { version, license }))),
    getAsyncapi(json(async () => JSON.stringify(asyncApiDocument(declared.sockets, version)))),
  ],
  routes: async (app, { makePages }) => {
    await app.register(referencePage, { makePages });
    await app.register(guidePages, { makePages });
    await app.register(passwordResetPage);
  },
});
