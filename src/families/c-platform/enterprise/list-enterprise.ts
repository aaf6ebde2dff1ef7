import { type CategoryResource, listCategory } from '../../list-category.ts';

/** One line per noun, in the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  {
    name: 'policies',
    methods: ['GET', 'POST'],
    description:
      'Rules: who may spend how much, to whom, when, and who must approve; their evaluation and replays are below it',
  },
  { name: 'groups', methods: ['GET', 'POST'], description: 'Groups of people and credentials that rules name' },
  { name: 'address-book', methods: ['GET', 'POST'], description: 'Named addresses that the account pays' },
  { name: 'approvals', methods: ['GET'], description: 'Requests that wait for approval, and past decisions' },
  {
    name: 'connections',
    methods: ['GET'],
    description: 'Where the account’s audit log goes: log collectors and archives',
  },
  { name: 'connect', methods: ['POST'], description: 'Creates a connection and tests it' },
  { name: 'status', methods: ['GET'], description: 'State of the rules, approvals, quota and connections' },
  { name: 'usage', methods: ['GET'], description: 'Requests and payments of each credential by day' },
  { name: 'config', methods: ['GET', 'PUT'], description: 'Settings that apply to all rules' },
];

export const listEnterprise = () =>
  listCategory({
    name: 'enterprise',
    declared: { family: 'c', tag: 'Policies', access: { scope: 'policies:read', role: 'operator' } },
    resources: RESOURCES,
  });
