/** The base path of a category lists the resources below it: one form for every category. */
import { z } from 'zod';
import { type Access, type Family, operation } from '../hooks/operation.ts';
import { answer, paginated } from './answer.ts';
import { integerQuery, pageQuery } from './fields.ts';

const METHODS = ['GET', 'POST', 'PUT'] as const;
type Method = (typeof METHODS)[number];

export interface CategoryResource {
  /** The path segment below the category: `blocks`. */
  readonly name: string;
  readonly description: string;
  /** What the path itself takes; nothing where operations are only below it. */
  readonly methods: readonly Method[];
}

const categoryResource = answer('CategoryResource', {
  name: z.string(),
  path: z.string().meta({ description: 'Where its operations begin' }),
  description: z.string(),
  methods: z
    .array(z.enum(METHODS))
    .meta({ description: 'What the path itself takes; nothing where operations are only below it' }),
});

/** Declares `GET /api/v1/<category>`, with the id `<category>.list`. Resources are listed in the order given. */
export const listCategory = (category: {
  name: string;
  declared: { readonly family: Family; readonly tag: string; readonly access: Access };
  resources: readonly CategoryResource[];
}) => {
  const { name, declared } = category;
  const path = `/api/v1/${name}`;
  const listed = category.resources.map((resource) => ({ ...resource, path: `${path}/${resource.name}` }));
  return operation({
    ...declared,
    method: 'GET',
    effect: 'read',
    id: `${name}.list`,
    path,
    summary: `The resources of the ${name} category`,
    query: z.strictObject({ limit: integerQuery(1, 100).default(100), offset: pageQuery.offset }),
    success: { status: 200, answer: paginated(categoryResource), description: 'The resources' },
    example: {
      response: {
        data: listed.slice(0, 1).map(categoryResource.present),
        pagination: { total: listed.length, limit: 1, offset: 0, has_more: listed.length > 1, next_cursor: null },
      },
    },
    run: async ({ query: { limit, offset } }) => ({
      data: listed.slice(offset, offset + limit),
      total: listed.length,
      limit,
      offset,
      hasMore: offset + limit < listed.length,
      nextCursor: null,
    }),
  });
};
