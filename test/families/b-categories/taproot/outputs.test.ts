/** Kept and computed outputs over HTTP, tweaks among them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { walletLeaves, walletOutputs } from '../../../core/taproot/taproot-vectors.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const BASE = '/api/v1/taproot/outputs';
const KEY = 'f9f400803e683727b14f463836e1e78e1c64417638aa066919291a225f0e8dd8';
/** Not the x coordinate of a point. */
const NO_KEY = `${'0'.repeat(63)}5`;
const two = [{ script: '51' }, { script: '52' }];
const made = async (body: Json = {}): Promise<Json> => {
  const { status, body: answer, text } = await service.post(BASE, { internal_key: KEY, script_tree: two, ...body });
  expect(status, text).toBe(201);
  return answer;
};

describe('a kept output', () => {
  it('is made, read, listed, renamed and deleted', async () => {
    const output = await made({ name: 'Vault', external_id: 'customer-7' });
    expect(output).toMatchObject({ name: 'Vault', external_id: 'customer-7', network: 'regtest', leaf_count: 2 });
    expect((await service.get(`${BASE}/${output.output_id}`)).body).toEqual(output);

    const { tweak: _, leaves: _leaves, ...listed } = output;
    const { body: list } = await service.get(`${BASE}?external_id=customer-7&address=${output.address}`);
    expect(list).toMatchObject({ data: [listed], pagination: { total: 1, limit: 20, has_more: false } });
    expect((await service.get(`${BASE}?name=nobody`)).body.pagination.total).toBe(0);

    const renamed = await service.call('PUT', `${BASE}/${output.output_id}`, { name: 'Cold' });
    expect(renamed.body).toEqual({ ...output, name: 'Cold', external_id: null, updated_at: renamed.body.updated_at });
    const deleted = await service.call('DELETE', `${BASE}/${output.output_id}`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE']) {
      expect((await service.call(method, `${BASE}/${output.output_id}`)).status).toBe(404);
    }
  });

  it('is what its preview says', async () => {
    const preview = await service.post(`${BASE}/preview`, { internal_key: KEY, script_tree: two });
    expect(preview.status).toBe(200);
    expect(await made()).toMatchObject(preview.body);
  });

  it('is made once for one Idempotency-Key', async () => {
    const body = { internal_key: KEY, name: 'once' };
    const [first, again] = [
      await service.post(BASE, body, { idempotencyKey: 'output' }),
      await service.post(BASE, body, { idempotencyKey: 'output' }),
    ];
    expect(again.text).toBe(first.text);
    expect((await service.get(`${BASE}?name=once`)).body.pagination.total).toBe(1);
  });

  it('is nobody else’s', async () => {
    const output = await made();
    const { apiKey } = await service.anotherAccount('outputs');
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'mine' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await service.call(method, `${BASE}/${output.output_id}`, body, { apiKey });
      expect(answer).toMatchObject({ status: 404, body: { error: { details: { field: 'output_id' } } } });
    }
    expect((await service.get(BASE, { apiKey })).body.pagination.total).toBe(0);
    const spend = { output_id: output.output_id, leaf_index: 0 };
    expect((await service.post('/api/v1/taproot/spends', spend, { apiKey })).status).toBe(404);
    expect((await service.get(`${BASE}/${output.output_id}`)).body).toEqual(output);
  });

  it('stays while a wallet of the account watches its script', async () => {
    const output = await made({ script_tree: undefined, name: 'watched' });
    // tr() of the same internal key without a tree has the same address.
    const wallet = await service.post('/api/v1/wallets', {
      name: 'watching',
      type: 'watch-only',
      backup_type: 'none',
      descriptor: `tr(${KEY})`,
    });
    expect(wallet.status, wallet.text).toBe(201);
    const refused = await service.call('DELETE', `${BASE}/${output.output_id}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'state_conflict', field: 'output_id' } } },
    });
    expect(refused.body.error.message).toContain(wallet.body.wallet_id);
    expect((await service.get(`${BASE}/${output.output_id}`)).status).toBe(200);
  });
});

describe('script trees', () => {
  const preview = (body: Json) => service.post(`${BASE}/preview`, { internal_key: KEY, ...body });

  it('are those of the BIP341 vectors', async () => {
    const wire = (tree: Json): Json =>
      Array.isArray(tree) ? tree.map(wire) : { script: tree.script, leaf_version: tree.version };
    for (const { internalKey, tree, merkleRoot, tweak, outputKey, scriptPubKey } of walletOutputs) {
      const given = { internal_key: internalKey, ...(tree === null ? {} : { script_tree: wire(tree) }) };
      const { body, status } = await preview(given);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        merkle_root: merkleRoot,
        ...{ tweak, output_key: outputKey, script_pubkey: scriptPubKey },
      });
      expect(body.leaves.map((leaf: Json) => leaf.control_block)).toEqual(
        walletLeaves(tree).map(({ controlBlock }) => controlBlock),
      );
      const tweaked = await service.post('/api/v1/taproot/tweaks', {
        internal_key: internalKey,
        merkle_root: merkleRoot,
      });
      expect(tweaked.body).toMatchObject({ output_key: outputKey, parity: body.parity });
    }
  });

  it('are made of leaves with weights, the heaviest nearest to the root', async () => {
    const leaves = [1, 2, 4].map((weight, n) => ({ script: `5${n + 1}`, weight }));
    const { body } = await preview({ leaves });
    const depths = Object.fromEntries(body.leaves.map(({ script, depth }: Json) => [script, depth]));
    expect(depths).toEqual({ '51': 2, '52': 2, '53': 1 });
  });

  it('are never too deep by weights, however far apart', async () => {
    // Fibonacci's numbers make the deepest tree there is.
    const weights = [1e-6, 1e-6];
    while ((weights.at(-1) as number) < 6e14) weights.push((weights.at(-1) as number) + (weights.at(-2) as number));
    const { status, body } = await preview({ leaves: weights.map((weight) => ({ script: '51', weight })) });
    expect(status).toBe(200);
    const deepest = Math.max(...body.leaves.map(({ depth }: Json) => depth));
    expect(deepest).toBeGreaterThan(80);
    expect(deepest).toBeLessThanOrEqual(128);
  });

  it('are given by depths as by nesting', async () => {
    const nested = await preview({
      script_tree: [
        [two[0], two[1]],
        [two[0], [two[1], { script: '53', leaf_version: 0xc2 }]],
      ],
    });
    const leaves = nested.body.leaves.map(({ script, leaf_version, depth }: Json) => ({ script, leaf_version, depth }));
    expect((await preview({ leaves })).body).toEqual(nested.body);
    expect((await preview({ leaves: [{ script: '51', depth: 0 }] })).body.leaf_count).toBe(1);
  });

  it('may be 128 branches deep, and no deeper', async () => {
    const comb = (deepest: number): Json[] => {
      const depths = Array.from({ length: deepest }, (_, n) => n + 1);
      return [...depths, deepest].map((depth) => ({ script: '51', depth }));
    };
    const { body } = await preview({ leaves: comb(128) });
    expect(body.leaf_count).toBe(129);
    expect(body.leaves.at(-1).control_block).toHaveLength(2 * (33 + 128 * 32));
    const refused = await preview({ leaves: comb(129) });
    expect(refused).toMatchObject({ status: 400, body: { error: { details: { field: 'leaves[128].depth' } } } });
  });

  it('end a body of nothing but brackets, without a fault', async () => {
    const deep = `{"internal_key":"${KEY}","script_tree":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    const { status, body } = await service.post(`${BASE}/preview`, deep);
    expect({ status, field: body.error.details.field }).toMatchObject({ status: 400 });
  });

  const mistakes: [string, Json, string, RegExp][] = [
    ['an internal key off the curve', { internal_key: NO_KEY }, 'internal_key', /not the x coordinate/],
    ['an internal key of 33 bytes', { internal_key: `02${KEY}` }, 'internal_key', /64 hex digits/],
    ['no internal key', { internal_key: undefined }, 'internal_key', /required/],
    ['a script that is no hex', { script_tree: { script: 'xyz' } }, 'script_tree.script', /hex/],
    ['half a byte', { script_tree: [{ script: '51' }, { script: '5' }] }, 'script_tree[1].script', /hex/],
    ['a number for a script', { script_tree: [{ script: '51' }, { script: 5 }] }, 'script_tree[1].script', /string/],
    ['three branches', { script_tree: [two[0], two[1], two[0]] }, 'script_tree', /two trees/],
    ['an empty branch', { script_tree: [[], two[0]] }, 'script_tree[0]', /two trees/],
    ['a leaf that is null', { script_tree: [two[0], null] }, 'script_tree[1]', /must be a leaf/],
    ['an odd leaf version', { script_tree: { script: '51', leaf_version: 193 } }, 'script_tree.leaf_version', /even/],
    ["the annex's tag", { script_tree: { script: '51', leaf_version: 0x50 } }, 'script_tree.leaf_version', /80/],
    ['an unknown field', { script_tree: [two[0], { script: '51', wight: 2 }] }, 'script_tree[1].wight', /known/],
    ['two trees', { script_tree: two, leaves: two }, 'leaves', /beside script_tree/],
    ['depths of no tree', { leaves: [1, 2].map((depth) => ({ script: '51', depth })) }, 'leaves', /no binary tree/],
    ['a root beside others', { leaves: [0, 0].map((depth) => ({ script: '51', depth })) }, 'leaves', /no binary tree/],
    ['depths of some', { leaves: [{ script: '51', depth: 1 }, { script: '52' }] }, 'leaves', /every leaf has a depth/],
    ['depth and weight', { leaves: [{ script: '51', depth: 0, weight: 1 }] }, 'leaves', /none a weight/],
    ['no leaves', { leaves: [] }, 'leaves', /empty/],
    ['a weight of nothing', { leaves: [{ script: '51', weight: 0 }] }, 'leaves[0].weight', /at least/],
    ['513 leaves', { leaves: Array.from({ length: 513 }, () => ({ script: '51' })) }, 'leaves', /512/],
    [
      'too long scripts',
      { leaves: [{ script: '00'.repeat(40_000) }, { script: '00'.repeat(40_000) }] },
      'leaves',
      /65536/,
    ],
  ];
  it.each(mistakes)('are refused with %s, at its field', async (_, wrong, field, message) => {
    const { status, body } = await preview(wrong);
    expect({ status, field: body.error.details.field }).toEqual({ status: 400, field });
    expect(body.error.message).toMatch(message);
  });

  it('are refused with a leaf too many inside', async () => {
    const full = (depth: number): Json => (depth === 0 ? two[0] : [full(depth - 1), full(depth - 1)]);
    const { status, body } = await preview({ script_tree: [full(9), two[0]] });
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/one leaf too many/);
    expect((await preview({ script_tree: full(9) })).body.leaf_count).toBe(512);
  });
});

describe('tweaks', () => {
  it.each([
    [{ internal_key: NO_KEY }, 'internal_key'],
    [{ internal_key: KEY, merkle_root: 'ab' }, 'merkle_root'],
    [{ internal_key: KEY, private_key: 'cd' }, 'private_key'],
  ])('name what is wrong in %j', async (body, field) => {
    const answer = await service.post('/api/v1/taproot/tweaks', body);
    expect(answer).toMatchObject({ status: 400, body: { error: { details: { field } } } });
  });
});

it('lists the resources of the category', async () => {
  const { body } = await service.get('/api/v1/taproot');
  const { operations } = service.app;
  for (const { path } of body.data) expect(operations.some((operation) => operation.path === path)).toBe(true);
  const bases = operations
    .filter(({ path }) => path.startsWith('/api/v1/taproot/'))
    .map(({ path }) => path.split('/').slice(0, 5).join('/'));
  expect(new Set(body.data.map(({ path }: Json) => path))).toEqual(new Set(bases));
});
