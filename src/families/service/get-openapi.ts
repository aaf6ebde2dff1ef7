import { z } from 'zod';
import type { PublicDocument } from '../../hooks/documents/public-document.ts';
import { operation } from '../../hooks/operation.ts';

export const getOpenapi = (document: PublicDocument) =>
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
    success: {
      status: 200,
      description: 'The document',
      contentType: 'application/json',
      document: true,
      schema: z.looseObject({ openapi: z.string() }),
    },
    example: { response: { openapi: '3.1.0' } },
    run: async () => document,
    present: (same) => same,
  });
