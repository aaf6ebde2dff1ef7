import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
let document: Json;
let operations: readonly AnyOperation[];

beforeAll(async () => {
  service = await startTestApp();
  document = (await service.get('/openapi.json', { apiKey: null })).body;
  operations = service.app.operations;
});
afterAll(() => service.close());

const described = (operation: AnyOperation) => document.paths[operation.path][operation.method.toLowerCase()];

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('describes every operation once, with id, summary, success, errors and an example', () => {
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const operation of operations) {
      const entry = described(operation);
      expect(entry.operationId).toBe(operation.id);
      expect(operation.id).toMatch(/^[a-z-]+\.[a-z-]+$/);
      expect(entry.summary.length).toBeGreaterThan(5);
      expect(entry.responses[operation.success.status]).toBeDefined();
      expect(entry.responses['500']).toBeDefined();
      if (operation.body !== undefined)
        expect(operation.example?.body, `${operation.id}: request example`).toBeDefined();
      if (operation.success.status !== 204) {
        expect(operation.example?.response, `${operation.id}: answer example`).toBeDefined();
      }
    }
  });

  it('gives examples that its own schemas take', () => {
    for (const { id, body, example, success } of operations) {
      if (body !== undefined) expect(body.safeParse(example?.body).error, `${id}: request example`).toBeUndefined();
      const answer = success.status === 204 ? undefined : success.schema;
      const strict = answer instanceof z.ZodObject ? answer.strict() : answer;
      if (strict !== undefined && success.contentType === undefined) {
        expect(strict.safeParse(example?.response).error, `${id}: answer example`).toBeUndefined();
      }
    }
  });

  it('says which paths are public, and nothing else is', () => {
    const open = operations.filter((operation) => described(operation).security !== undefined);
    expect(open.map(({ path }) => path).sort()).toEqual(['/livez', '/openapi.json', '/readyz']);
    expect(open.every((operation) => described(operation).security.length === 0)).toBe(true);
    expect(document.security).toEqual([{ apiKey: [] }]);
  });

  it('tells of 401 and 403 where a credential is needed, of the Idempotency-Key where one is taken', () => {
    for (const operation of operations) {
      const entry = described(operation);
      expect('401' in entry.responses, operation.id).toBe(operation.access !== 'public');
      const names = (entry.parameters ?? []).map(({ name }: { name: string }) => name);
      expect(names.includes('Idempotency-Key'), operation.id).toBe(operation.idempotent);
      for (const [, parameter] of operation.path.matchAll(/\{(\w+)\}/g)) expect(names).toContain(parameter);
    }
  });

  it('has every operation that is a route, and routes for every operation', () => {
    for (const { method, path } of operations) {
      expect(service.app.http.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') })).toBe(true);
    }
  });
});
