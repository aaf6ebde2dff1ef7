/**
 * No query without an account: the first argument of every repository's method is the account, or a record that names it, except for
 * those listed here with the reason and the only places that may call them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type TsInterfaceDeclaration, type TsType, type TsTypeElement } from '@swc/core';
import { describe, expect, it } from 'vitest';
import { UNSCOPED } from './unscoped-queries.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const files = (readdirSync(SRC, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
const texts = new Map(files.map((name) => [relative(SRC, join(SRC, name)), readFileSync(join(SRC, name), 'utf8')]));

/** Interfaces by name, and what a type alias stands for. */
const interfaces = new Map<string, TsInterfaceDeclaration>();
const aliases = new Map<string, TsType>();
for (const [name, text] of texts) {
  if (!/^(store\/(store|records|interfaces)|services\/credentials)/.test(name)) continue;
  for (const item of parseSync(text, { syntax: 'typescript' }).body) {
    const declaration = item.type === 'ExportDeclaration' ? item.declaration : item;
    if (declaration.type === 'TsInterfaceDeclaration') interfaces.set(declaration.id.value, declaration);
    if (declaration.type === 'TsTypeAliasDeclaration') aliases.set(declaration.id.value, declaration.typeAnnotation);
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
const namesAccountByName = (name: string): boolean =>
  interfaces.get(name)?.body.body.some((member) => isAccount(named(member))) ?? false;
/** The audit log's id is the account's. */
const isAccount = (name: string): boolean => name === 'accountId' || name === 'logId';

interface Method {
  /** As in `tx.wallets`. */
  member: string;
  repository: string;
  method: string;
  scoped: boolean;
}

function methodsOf(): Method[] {
  const members = interfaces.get('Repositories')?.body.body ?? [];
  return members.flatMap((member) => {
    const type = member.type === 'TsPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined;
    const repository = type === undefined ? '' : nameOf(type);
    const declared = interfaces.get(repository);
    if (declared === undefined) throw new Error(`${named(member)} is no interface that can be looked at`);
    return declared.body.body.map((element): Method => {
      if (element.type !== 'TsMethodSignature') throw new Error(`${repository}.${named(element)} is no method`);
      const [first] = element.params;
      const typed = first?.type === 'Identifier' ? first.typeAnnotation?.typeAnnotation : undefined;
      const scoped =
        first?.type === 'Identifier' && typed !== undefined && (isAccount(first.value) || namesAccount(typed));
      return { member: named(member), repository, method: named(element), scoped };
    });
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
