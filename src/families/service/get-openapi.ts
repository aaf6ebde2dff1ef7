import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';

/** `document` gives the JSON text: it describes this operation too, so it can be made only when all are known. */
export const getOpenapi = (document: () => string) =>
  operation({
    id: 'openapi.get',
    family: 'service',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description, OpenAPI 3.1',
    tag: 'Service',
    effect: 'read',
    access: 'public',
    limitClass: 'none',
    idempotent: false,
    success: {
      status: 200,
      description: 'The document',
      contentType: 'application/json',
      schema: z.looseObject({ openapi: z.string() }),
    },
    errors: [],
    example: { response: { openapi: '3.1.0' } },
    run: async () => document(),
    present: (text) => text,
  });
