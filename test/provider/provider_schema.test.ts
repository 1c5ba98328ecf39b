import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { clsNames } from '../../src/contract/registry.ts'
import { providerSchema } from '../../src/provider/provider_schema.ts'
import { runToken, tokenOf } from '../../src/provider/resource_type.ts'
import { checkPackageSchema } from '../support/pulumi_schema_rules.ts'

type Spec = Readonly<Record<string, Record<string, unknown>>>

const schema = providerSchema('1.0.0') as unknown as Spec

test('has a type for each class, and one for runs of pipelines', () => {
  expect(Object.keys(schema.resources ?? {})).toEqual([...clsNames.map(tokenOf), runToken])
})

test('defines every type that it refers to', () => {
  const named = [...JSON.stringify(schema).matchAll(/"#\/types\/([^"]+)"/g)].map(([, token]) => token)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((token) => !Object.hasOwn(schema.types ?? {}, token ?? ''))).toEqual([])
})

test('marks secrets', () => {
  const member = schema.types?.['landform:index:GeodbConnectionGeodbConnection']
  expect(member).toMatchObject({ properties: { password: { secret: true } } })
  expect(schema.config).toMatchObject({ variables: { password: { secret: true }, token: { secret: true } } })
})

test('keeps the rules for schemas of packages, which can be broken', () => {
  expect(checkPackageSchema(providerSchema('1.0.0'))).toEqual([])
  const broken = {
    ...providerSchema('1.0.0'),
    types: { 'landform:index:A': { type: 'object', properties: { a: { type: 'strin' } }, required: ['b'] } },
  }
  expect(checkPackageSchema(broken)).toEqual(
    expect.arrayContaining([
      'landform:index:A.a has no type',
      'landform:index:A requires b, which it does not have',
    ]),
  )
})

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
const metaschema = readdirSync(cache).find((name) => /^pulumi-metaschema-[\d.]+\.json$/.test(name))

test(`Pulumi's metaschema ${metaschema ? 'accepts it, and not a broken one' : 'COULD NOT BE FETCHED, SO IT CHECKED NOTHING'}`, () => {
  if (metaschema === undefined) {
    process.stderr.write(
      'the metaschema of Pulumi is missing: the schema of the provider was NOT checked with it\n',
    )
    expect(readdirSync(cache).join()).not.toContain('metaschema')
    return
  }
  const rules = JSON.parse(readFileSync(`${cache}${metaschema}`, 'utf8'))
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(rules)
  validate(providerSchema('1.0.0'))
  expect(validate.errors).toBeNull()
  expect(validate({ ...providerSchema('1.0.0'), name: '7' })).toBe(false)
})
