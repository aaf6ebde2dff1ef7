import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyOperation, FAMILY_CREDENTIALS } from '../../src/hooks/operation.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { responseOf } from '../builders/described-answers.ts';

/** Nothing else is open to whoever asks. */
const PUBLIC =
  /^\/(livez|readyz|(openapi|asyncapi)\.json|docs|\.well-known\/[\w-]+(\.json)?|oauth\/(token|revoke)|api\/v1\/auth\/(login|refresh|logout|sso\/[\w/{}-]+))$/;

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
      expect(entry.responses.default).toBeDefined();
      if (operation.body !== undefined)
        expect(operation.example?.body, `${operation.id}: request example`).toBeDefined();
      if (operation.success.status !== 204) {
        expect(operation.example?.response, `${operation.id}: answer example`).toBeDefined();
      }
    }
  });

  it('gives examples that its own schemas take', () => {
    for (const { id, params, query, body, example, success } of operations) {
      const given = [
        ...(example?.params ? [[params, example.params]] : []),
        ...(example?.query ? [[query, example.query]] : []),
      ];
      for (const [schema, value] of [...given, ...(body === undefined ? [] : [[body, example?.body]])])
        expect(schema.safeParse(value).error, `${id}: request example`).toBeUndefined();
      const answer = success.status === 204 ? undefined : success.schema;
      const strict = answer instanceof z.ZodObject ? answer.strict() : answer;
      if (strict !== undefined && success.contentType === undefined) {
        expect(strict.safeParse(example?.response).error, `${id}: answer example`).toBeUndefined();
      }
    }
  });

  it('gives each of two statuses an example of its own', () => {
    const twofold = operations.filter(({ success }) => success.otherwise !== undefined);
    expect(twofold.map(({ id }) => id)).toEqual(expect.arrayContaining(['transaction.create', 'readiness.get']));
    for (const operation of twofold) {
      const { id, success, dryRun } = operation;
      const other = described(operation).responses[success.otherwise?.status ?? 0].content['application/json'].example;
      expect((success.schema as z.ZodObject).strict().safeParse(other).error, id).toBeUndefined();
      expect(other.status, id).not.toBe((operation.example?.response as Json).status);
      if (dryRun) expect(other, id).toMatchObject({ status: 'preview', dry_run: true });
    }
  });

  it('says which paths are public, and nothing else is', () => {
    const open = operations.filter((operation) =>
      described(operation).security.every(
        (alternative: Json) => !/apiKey|oauth2|userToken/.test(JSON.stringify(alternative)),
      ),
    );
    for (const { path } of open) expect(path).toMatch(PUBLIC);
    expect(open.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/asyncapi.json', '/livez', '/openapi.json', '/readyz']),
    );
    expect(open.map(({ id }) => id)).toEqual(
      operations.filter(({ access }) => access === 'public').map(({ id }) => id),
    );
  });

  it('says for the others which credentials do, with which scope, and that writes are signed', () => {
    const named = new Set(Object.keys(document.components.securitySchemes));
    const scopes = document.components.securitySchemes.oauth2.flows.clientCredentials.scopes;
    for (const operation of operations) {
      const { id, access, effect } = operation;
      if (access === 'public') continue;
      const { security } = described(operation);
      for (const alternative of security) {
        for (const scheme of Object.keys(alternative)) expect(named.has(scheme), `${id}: ${scheme}`).toBe(true);
        if (alternative.oauth2 !== undefined) expect(alternative.oauth2, id).toEqual([access.scope]);
      }
      const unsigned = security.filter((alternative: Json) => effect === 'write' && !alternative.requestSignature);
      expect(unsigned, id).toEqual(access.own === undefined || effect !== 'write' ? [] : [{ userToken: [] }]);
      expect(Object.keys(scopes), id).toContain(access.scope);
    }
  });

  it('tells of 401 and 403 where a credential is needed, of the headers of retries and signatures where they are taken', () => {
    for (const operation of operations) {
      const { id, access, effect, idempotent, path, bindsSignature, credentials } = operation;
      const isOfPeople = credentials?.join() === 'user_token';
      const entry = described(operation);
      expect('403' in entry.responses, id).toBe(access !== 'public' || operation.errors.includes('forbidden'));
      if (access !== 'public') expect('401' in entry.responses, id).toBe(true);
      const { parameters: shared } = document.components;
      const names = (entry.parameters ?? []).map(
        (given: Json) => given.name ?? shared[given.$ref.split('/').at(-1)].name,
      );
      expect(names.includes('Idempotency-Key'), id).toBe(idempotent);
      expect(JSON.stringify(entry.security).includes('requestSignature'), id).toBe(
        bindsSignature === true ||
          FAMILY_CREDENTIALS[operation.family].includes('signature') ||
          (effect === 'write' && access !== 'public' && !isOfPeople),
      );
      for (const [, parameter] of path.matchAll(/\{(\w+)\}/g)) expect(names).toContain(parameter);
    }
  });

  it('gives every answer the headers that all have', () => {
    for (const operation of operations) {
      for (const answer of Object.values<Json>(described(operation).responses)) {
        expect(Object.keys(responseOf(document, answer).headers), operation.id).toEqual(
          expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
        );
      }
    }
  });

  it('has every operation that is a route, and routes for every operation', () => {
    for (const { method, path } of operations) {
      expect(service.app.http.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') })).toBe(true);
    }
  });
});
