import { type CategoryResource, listCategory } from '../../list-category.ts';

/** One line per noun, in the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  {
    name: 'policies',
    methods: ['GET', 'POST'],
    description: 'Rules: who may move how much, where to, when, and who must agree',
  },
  { name: 'groups', methods: ['GET', 'POST'], description: 'Groups of people and credentials that rules name' },
  { name: 'address-book', methods: ['GET', 'POST'], description: 'Whom the account pays, by name' },
  { name: 'approvals', methods: ['GET'], description: 'What waits for approval, and what was decided' },
  { name: 'connections', methods: ['GET'], description: 'Where the account’s events and sealed audit segments go' },
  { name: 'connect', methods: ['POST'], description: 'Makes a connection, and tries it' },
  { name: 'status', methods: ['GET'], description: 'Where the connections stand' },
  { name: 'usage', methods: ['GET'], description: 'What each credential uses, by day' },
  { name: 'config', methods: ['GET', 'PUT'], description: 'What holds for all rules' },
];

export const listEnterprise = () =>
  listCategory({
    name: 'enterprise',
    declared: { family: 'c', tag: 'Policies', access: { scope: 'policies:read', role: 'operator' } },
    resources: RESOURCES,
  });
