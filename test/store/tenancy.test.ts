/**
 * No query without an account: the first argument of every repository's method is the account, or a record that names it, except for
 * those listed here with the reason and the only places that may call them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ArrowFunctionExpression,
  type Expression,
  type FunctionDeclaration,
  type MethodProperty,
  type ObjectExpression,
  type PropertyName,
  parseSync,
  type TsInterfaceDeclaration,
  type TsType,
  type TsTypeAnnotation,
  type TsTypeElement,
} from '@swc/core';
import { describe, expect, it } from 'vitest';
import { UNSCOPED } from './unscoped-queries.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const files = (readdirSync(SRC, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
const texts = new Map(files.map((name) => [relative(SRC, join(SRC, name)), readFileSync(join(SRC, name), 'utf8')]));

/** Interfaces by name, and what a type alias stands for. */
const interfaces = new Map<string, TsInterfaceDeclaration>();
const aliases = new Map<string, TsType>();
/** The columns of a table's declaration: the fields of its records. */
const tables = new Map<string, ObjectExpression>();
for (const [name, text] of texts) {
  if (!/^(store\/(store|records|repositories)|services\/credentials)/.test(name)) continue;
  for (const item of parseSync(text, { syntax: 'typescript' }).body) {
    const declaration = item.type === 'ExportDeclaration' ? item.declaration : item;
    if (declaration.type === 'TsInterfaceDeclaration') interfaces.set(declaration.id.value, declaration);
    if (declaration.type === 'TsTypeAliasDeclaration') aliases.set(declaration.id.value, declaration.typeAnnotation);
    // `export const wallets = table('wallets', ['walletId'], { … })`
    for (const { id, init } of declaration.type === 'VariableDeclaration' ? declaration.declarations : []) {
      const columns = init?.type === 'CallExpression' ? init.arguments[2]?.expression : undefined;
      if (id.type === 'Identifier' && columns?.type === 'ObjectExpression') tables.set(id.value, columns);
    }
  }
}

const nameOf = (type: TsType): string =>
  type.type === 'TsTypeReference' && type.typeName.type === 'Identifier' ? type.typeName.value : '';
const named = (element: TsTypeElement): string =>
  'key' in element && element.key.type === 'Identifier' ? element.key.value : '';

/** Whether a value of this type says whose it is: in every member of it that a list or a picked part leaves. */
function namesAccount(type: TsType): boolean {
  if (type.type === 'TsTypeOperator') return namesAccount(type.typeAnnotation);
  if (type.type === 'TsArrayType') return namesAccount(type.elemType);
  if (type.type === 'TsTypeLiteral') return type.members.some((member) => isAccount(named(member)));
  if (type.type === 'TsIntersectionType') return type.types.some(namesAccount);
  const name = nameOf(type);
  const parameters = type.type === 'TsTypeReference' ? (type.typeParams?.params ?? []) : [];
  if (name === 'Omit' || name === 'Pick' || name === 'Readonly') {
    const listed = /"(accountId|logId)"/.test(JSON.stringify(parameters[1] ?? ''));
    return parameters[0] !== undefined && namesAccount(parameters[0]) && (name === 'Pick') === listed;
  }
  const [of] = parameters;
  if (name === 'RecordOf' && of?.type === 'TsTypeQuery' && of.exprName.type === 'Identifier') {
    const { properties = [] } = tables.get(of.exprName.value) ?? {};
    return properties.some(
      (property) =>
        property.type === 'KeyValueProperty' && property.key.type === 'Identifier' && isAccount(property.key.value),
    );
  }
  const alias = aliases.get(name);
  if (alias !== undefined) return namesAccount(alias);
  const found = interfaces.get(name);
  if (found === undefined) return false;
  return (
    found.body.body.some((member) => isAccount(named(member))) ||
    found.extends.some(({ expression }) =>
      expression.type === 'Identifier' ? namesAccountByName(expression.value) : false,
    )
  );
}
function namesAccountByName(name: string): boolean {
  const alias = aliases.get(name);
  return alias === undefined
    ? (interfaces.get(name)?.body.body.some((member) => isAccount(named(member))) ?? false)
    : namesAccount(alias);
}
/** The audit log's id is the account's. */
const isAccount = (name: string): boolean => name === 'accountId' || name === 'logId';

interface Method {
  /** As in `tx.wallets`. */
  member: string;
  repository: string;
  method: string;
  scoped: boolean;
}

/** What functions of the repositories' files are made of, by name. */
const functions = new Map<string, FunctionDeclaration>();
for (const [name, text] of texts) {
  if (!/^store\/(contents|repositories)/.test(name)) continue;
  for (const item of parseSync(text, { syntax: 'typescript' }).body) {
    if (item.type === 'ExportDeclaration' && item.declaration.type === 'FunctionDeclaration')
      functions.set(item.declaration.identifier.value, item.declaration);
  }
}

type Called = ArrowFunctionExpression | FunctionDeclaration | MethodProperty;
const nameOfKey = (key: PropertyName): string => (key.type === 'Identifier' ? key.value : '');
const calledName = (call: Expression): string =>
  call.type === 'CallExpression' && call.callee.type === 'Identifier' ? call.callee.value : '';

interface Property {
  name: string;
  value: Called | Expression;
}

/** The properties of the object that a function returns, with those of objects that are spread there. */
function returnedBy(functionName: string): Property[] {
  const statements = functions.get(functionName)?.body?.stmts ?? [];
  const local = new Map<string, Called | Expression>();
  for (const statement of statements) {
    if (statement.type === 'FunctionDeclaration') local.set(statement.identifier.value, statement);
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) if (id.type === 'Identifier' && init) local.set(id.value, init);
  }
  const returned = statements.find((statement) => statement.type === 'ReturnStatement')?.argument;
  if (returned?.type !== 'ObjectExpression') throw new Error(`${functionName} returns no object that can be looked at`);
  return propertiesOf(returned, local, functionName);
}

function propertiesOf(object: ObjectExpression, local: Map<string, Called | Expression>, where: string): Property[] {
  return object.properties.flatMap((property) => {
    if (property.type === 'SpreadElement') return returnedBy(calledName(property.arguments));
    if (property.type === 'Identifier') {
      const value = local.get(property.value);
      if (value === undefined) throw new Error(`${where}.${property.value} is from elsewhere`);
      return { name: property.value, value };
    }
    if (property.type === 'MethodProperty') return { name: nameOfKey(property.key), value: property };
    if (property.type !== 'KeyValueProperty') throw new Error(`${where} has a ${property.type}`);
    const { value } = property;
    const meant = value.type === 'Identifier' ? local.get(value.value) : value;
    return { name: nameOfKey(property.key), value: meant ?? value };
  });
}

/** The first parameter of a method: its name, where it has one, and its type. */
function firstOf(value: Called | Expression, where: string): { name: string; type: TsType | undefined } | null {
  if (
    value.type !== 'ArrowFunctionExpression' &&
    value.type !== 'FunctionDeclaration' &&
    value.type !== 'MethodProperty'
  )
    throw new Error(`${where} is no method`);
  const [first] = value.params;
  if (first === undefined) return null;
  const pattern = first.type === 'Parameter' ? first.pat : first;
  if (pattern.type !== 'Identifier' && pattern.type !== 'ObjectPattern') throw new Error(`${where} takes what?`);
  const type = (pattern as { typeAnnotation?: TsTypeAnnotation }).typeAnnotation?.typeAnnotation;
  return { name: pattern.type === 'Identifier' ? pattern.value : '', type };
}

function methodsOf(): Method[] {
  return returnedBy('createRepositories').flatMap(({ name: member, value }) => {
    const inline = value.type === 'ObjectExpression';
    const made = inline ? member : calledName(value as Expression);
    const repository = made.charAt(0).toUpperCase() + made.slice(1);
    return (inline ? propertiesOf(value, new Map(), member) : returnedBy(made)).map(
      ({ name: method, value: called }): Method => {
        const first = firstOf(called, `${repository}.${method}`);
        const scoped = first?.type !== undefined && (isAccount(first.name) || namesAccount(first.type));
        return { member, repository, method, scoped };
      },
    );
  });
}

const methods = methodsOf();
const unscoped = methods.filter(({ scoped }) => !scoped);
const listed = ({ repository, method }: Method) =>
  UNSCOPED[`${repository}.${method}`] ?? UNSCOPED[`${repository}.*`] ?? null;

describe('repositories', () => {
  it('are all looked at', () => {
    expect(methods.length).toBeGreaterThan(100);
    expect(
      methods.find(({ repository, method }) => repository === 'WalletRepository' && method === 'find')?.scoped,
    ).toBe(true);
    expect(
      methods.find(({ repository, method }) => repository === 'ApiKeyRepository' && method === 'findByPrefix')?.scoped,
    ).toBe(false);
  });

  it('take the account first, except where the list says why not', () => {
    const bare = unscoped.filter((method) => listed(method) === null);
    expect(bare.map(({ repository, method }) => `${repository}.${method}`)).toEqual([]);
  });

  it('have nothing on that list that is not there, or takes the account', () => {
    const used = new Set(unscoped.flatMap(({ repository, method }) => [`${repository}.${method}`, `${repository}.*`]));
    expect(Object.keys(UNSCOPED).filter((name) => !used.has(name))).toEqual([]);
  });

  it('are asked without an account only from where the list allows it', () => {
    const trespasses: string[] = [];
    for (const method of unscoped) {
      const call = new RegExp(`\\b${method.member}\\s*\\??\\.\\s*${method.method}\\s*\\(`);
      const { from = [] } = listed(method) ?? {};
      for (const [name, text] of texts) {
        if (name.startsWith('store/') || from.some((place) => name.startsWith(place))) continue;
        if (call.test(text)) trespasses.push(`${name} calls ${method.member}.${method.method}`);
      }
    }
    expect(trespasses).toEqual([]);
  });
});
