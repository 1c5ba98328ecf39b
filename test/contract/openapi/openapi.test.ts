import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { describeApi } from '../../../src/contract/openapi/openapi.ts'
import { clsNames } from '../../../src/contract/registry.ts'
import { routeNames, routeOf } from '../../../src/contract/routes.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema: object }>>

const api = describeApi({ version: '1.2.3' })
const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods) as Operation[])
const contentsOf = ({ requestBody, responses }: Operation) =>
  [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))

/** The whole document as one schema, so that its references resolve. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'https://example.org/api', ...api })
const compile = (schema: object) =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://example.org/api#/')))

test('is an OpenAPI 3.1 document', async () => {
  const validator = new Validator()
  expect(await validator.validate(JSON.parse(JSON.stringify(api)))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  const broken = { ...api, paths: { '/x': { get: { responses: 5 } } } }
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})

test('every operation of the contract is listed once, under its path and method', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual([...routeNames].sort())
  for (const name of routeNames) {
    const { path, method } = routeOf(name)
    expect(api.paths[path]?.[method.toLowerCase()]).toMatchObject({ operationId: name })
  }
})

test('operations that are not implemented are omitted', () => {
  const some = describeApi({ version: '1', isOffered: (name) => name.startsWith('docs.') })
  expect(Object.keys(some.paths)).toContain('/openapi.json')
  expect(JSON.stringify(some.paths)).not.toContain('resource.get')
  expect(some.tags).toEqual([{ name: 'docs' }])
})

test('the parameters of each path are declared exactly once', () => {
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const { parameters } of Object.values(methods) as Operation[]) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(inPath, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      const all = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(all).size, path).toBe(all.length)
    }
  }
})

test('every schema is JSON Schema whose references resolve', () => {
  for (const operation of operations)
    for (const { schema } of contentsOf(operation))
      expect(() => compile(schema), operation.operationId).not.toThrow()
  for (const schema of Object.values(api.components.schemas)) expect(() => compile(schema)).not.toThrow()
})

test('a creation requires the fields of its class', () => {
  const isCreation = compile({ $ref: '#/components/schemas/ResourceCreation' })
  const resource = { parent: { id: 0 }, display_name: 'X' }
  expect(isCreation({ resource: { cls: 'resource_group', ...resource } })).toBe(true)
  expect(isCreation({ resource: { cls: 'nothing', ...resource } })).toBe(false)
  expect(isCreation({ resource: { cls: 'lookup_table', ...resource }, lookup_table: { items: 7 } })).toBe(
    false,
  )
})

test('each class has its own bodies', () => {
  for (const cls of clsNames)
    for (const name of [cls, `${cls}_creation`, `${cls}_change`])
      expect(api.components.schemas).toHaveProperty(name)
})
